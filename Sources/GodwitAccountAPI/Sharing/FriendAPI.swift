internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/friends`: which users see each other; `/api/v1/profile`: the name and picture that friends see.
struct FriendAPI {
  let work: RequestWork

  /// Bytes of a picture.
  private static let maximumAvatarBytes = 32 << 10

  private static func user(_ reader: Reader) throws(Problem) -> User {
    guard let user = reader.user else {
      throw Problem(400, "No user", "Only users have friends. Make one with `godwit user add NAME`, and sign in.")
    }
    return user
  }

  /// `GET /api/v1/friends`: accepted and requested friendships, with the positions that the requester may see.
  func list(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      let user = try Self.user(reader)
      let friendships = try work.store.read { try FriendTable.all(of: user.id, $0) }
      let positions = try work.store.friends(ofUser: user.id).map { friend -> String in
        var last: [UInt8] = []
        PointFeature.write(friend.point.record, device: friend.point.device.name, into: &last)
        return JSONText.object {
          $0.add("name", friend.name)
          $0.add("tid", friend.tid)
          $0.add("face", friend.face.map { Data($0).base64EncodedString() })
          $0.add("last", raw: String(decoding: last, as: UTF8.self))
        }
      }
      let text =
        #"{"friends":[\#(friendships.map { Self.json($0, for: user) }.joined(separator: ","))],"positions":[\#(positions.joined(separator: ","))]}"#
      return JSONText.response(text)
    }
  }

  /// `POST /api/v1/friends`
  func ask(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    enum Direction: String, CaseIterable { case see, show }
    let user = try Self.user(request.reader)
    var body = try JSONBody(request.takeBody(), "friend")
    let name = try body.needed("user")
    request.subject = name
    let direction = try body.choice("direction", of: Direction.self) ?? .see
    let accessLevel = try body.choice("sight", of: Friendship.AccessLevel.self)
    let since = try body.date("since")
    try body.end()
    if direction == .see, accessLevel != nil || since != nil {
      throw body.fault("sight", "the user that is seen decides how much.")
    }
    if since != nil, accessLevel != .history { throw body.fault("since", #"only with "sight": "history"."#) }
    let wish: FriendTable.FriendRequest = direction == .see ? .see : .show(accessLevel ?? .latest, since: since)
    return work.change(request) { connection in
      guard let other = try UserTable.user(named: name, connection), other.id != user.id else {
        throw User.unknown(name)
      }
      guard let made = try FriendTable.ask(wish, of: user.id, with: other.id, at: Date(), connection) else {
        throw StoreError.closed
      }
      return JSONText.response(Self.json(made, for: user))
    }
  }

  /// `DELETE /api/v1/friends/ID`: ends a friendship; both sides may.
  func end(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let name = request.parameter
    let user = try Self.user(request.reader)
    return work.change(request) { connection in
      guard let id = RowNumber(name, after: "frd_")?.value, let known = try FriendTable.friendship(id, connection),
        [known.subject.id, known.viewer.id].contains(user.id)
      else { throw Problem(404, "Unknown friend", "There is no \(name.jsonQuoted). /api/v1/friends lists the existing ones.") }
      try FriendTable.remove(id, connection)
      return JSONText.response(JSONText.object { $0.add("ended", name) })
    }
  }

  /// `GET /api/v1/profile`
  func card(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      let user = try Self.user(reader)
      return JSONText.response(Self.json(try work.store.read { try FriendTable.card(of: user.id, $0) }))
    }
  }

  /// `PUT /api/v1/profile`
  func setCard(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let user: User
    var card = Card()
    user = try Self.user(request.reader)
    var body = try JSONBody(request.takeBody(), "card")
    (card.name, card.tid) = (try body.text("name"), try body.text("tid"))
    let face = try body.text("face")
    try body.end()
    if let name = card.name, !(1...64).contains(name.count) { throw body.fault("name", "1 to 64 characters.") }
    if let tid = card.tid, !(1...2).contains(tid.count) { throw body.fault("tid", "1 or 2 characters.") }
    if let face {
      let picture = Data(base64Encoded: face).map { Array($0) } ?? []
      let isPicture = picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) || picture.starts(with: [0xFF, 0xD8, 0xFF])
      guard isPicture, picture.count <= Self.maximumAvatarBytes else {
        throw body.fault("face", "expected a PNG or JPEG of \(Self.maximumAvatarBytes) bytes at most, as Base64.")
      }
      card.face = picture
    }
    return work.change(request) { [card] connection in
      try EntityTag.check(request, JSONText.response(Self.json(try FriendTable.card(of: user.id, connection))))
      try FriendTable.setCard(card, of: user.id, connection)
      return JSONText.response(Self.json(card)).tagged
    }
  }

  private static func json(_ card: Card) -> String {
    JSONText.object {
      $0.add("name", card.name)
      $0.add("tid", card.tid)
      $0.add("face", card.face.map { Data($0).base64EncodedString() })
    }
  }

  private static func json(_ friendship: Friendship, for user: User) -> String {
    let isSubject = friendship.subject.id == user.id
    return JSONText.object {
      $0.add("id", "frd_\(friendship.id)")
      $0.add("user", isSubject ? friendship.viewer.name : friendship.subject.name)
      // "show": the other user sees the requester.
      $0.add("direction", isSubject ? "show" : "see")
      $0.add("state", friendship.accepted != nil ? "agreed" : friendship.asked == user.id ? "asked" : "waits for you")
      $0.add("sight", friendship.accessLevel.rawValue)
      $0.add("since", friendship.since)
      $0.add("created", friendship.created)
      $0.add("accepted", friendship.accepted)
    }
  }
}
