internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/friends`: friendships between users; `/api/v1/profile`: the name and the picture that friends see.
struct FriendAPI {
  let work: RequestWork

  /// Returns the user of a request.
  @discardableResult
  func user(_ request: HTTPRequest) throws(Problem) -> User {
    guard let user = request.principal.user else {
      throw Problem(400, "No user", "Only users have friends. Create one with `godwit user add NAME`, and sign in.")
    }
    return user
  }

  /// Lists accepted and requested friendships, with the positions that the requester may see.
  func list(_ request: PlainRequest) async throws -> FriendList {
    let user = try user(request.http)
    return try await work.run {
      let friendships = try work.store.read { try FriendTable.all(of: user.id, $0) }
      let positions = try work.store.friends(ofUser: user.id).map { friend in
        Position(
          name: friend.name, tid: friend.tid, avatar: friend.avatar.map { Picture(bytes: $0) },
          last: PointFeatureResult(friend.point.record, device: friend.point.device.name))
      }
      return FriendList(friends: friendships.map { FriendshipObject($0, for: user) }, positions: positions)
    }
  }

  func ask(_ request: BodyRequest<FriendRequestBody>) async throws -> FriendshipObject {
    let (user, body, now) = (try user(request.http), request.body, work.now)
    request.audit(body.user)
    let friendRequest: FriendTable.FriendRequest =
      body.direction ?? .see == .see ? .see : .show(body.accessLevel ?? .latest, since: body.since?.date)
    return try await work.write { db in
      guard let other = try UserTable.user(named: body.user, db), other.id != user.id else { throw User.unknown(body.user) }
      guard let made = try FriendTable.ask(friendRequest, of: user.id, with: other.id, at: now, db) else {
        throw StoreError.closed
      }
      return FriendshipObject(made, for: user)
    }
  }

  /// Ends a friendship. Both users of a friendship may end it.
  func end(_ request: PlainRequest) async throws -> Ended {
    let (user, name) = (try user(request.http), request.parameter)
    return try await work.write { db in
      guard let id = RowNumber(name, after: "frd_")?.value, let known = try FriendTable.friendship(id, db),
        [known.subject.id, known.viewer.id].contains(user.id)
      else { throw Problem(404, "Unknown friend", "There is no \(name.jsonQuoted). /api/v1/friends lists the existing ones.") }
      try FriendTable.remove(id, db)
      return Ended(ended: name)
    }
  }

  func profile(_ request: PlainRequest) async throws -> ProfileResult {
    let user = try user(request.http)
    return try await work.read { ProfileResult(try FriendTable.profile(of: user.id, $0)) }
  }

  func setProfile(_ request: OperationRequest<ProfileParameters, ProfileBody>) async throws -> Tagged<ProfileResult> {
    let (user, profile, ifMatch) = (try user(request.http), request.body.profile, request.parameters.ifMatch)
    return try await work.write { db in
      try ifMatch?.check(ProfileResult(try FriendTable.profile(of: user.id, db)))
      try FriendTable.setProfile(profile, of: user.id, db)
      return Tagged(ProfileResult(profile))
    }
  }
}
