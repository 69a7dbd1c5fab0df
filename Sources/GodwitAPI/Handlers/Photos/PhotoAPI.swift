internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitPhotos
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `/api/v1/photos…`: sets the Immich server of the requesting user and reads its photos. No route returns photos of another user.
struct PhotoAPI {
  let work: RequestWork
  let library: PhotoLibrary

  // MARK: The server

  func server(_ request: PlainRequest) async throws -> ServerObject {
    let account = request.principal.user?.id
    return try await work.read { ServerObject(try PhotoServerTable.server(of: account, $0)) }
  }

  /// Stores a server. The server must respond and accept the key.
  func setServer(_ request: BodyRequest<ServerBody>) async throws -> ServerObject {
    let (principal, body) = (request.principal, request.body)
    let server: PhotoServer
    do throws(PhotoServerFault) {
      server = PhotoServer(
        account: principal.user?.id, address: try PhotoServerAddress(body.address), key: try PhotoServerKey(body.key),
        stored: work.now)
    } catch {
      throw Problem(422, "Not a photo server", error.description, at: error.place)
    }
    request.audit(server.address.origin)
    let isAdministrator = principal.isAdministrator
    let reachable = try await work.read { try PhotoServerTable.reachable(server, isAdministrator: isAdministrator, $0) }
    do throws(PhotoServerError) { try await library.check(reachable) } catch { throw Self.rejection(error) }
    try await work.write { try PhotoServerTable.set(server, $0) }
    library.discard(server.account)
    return ServerObject(server)
  }

  func removeServer(_ request: PlainRequest) async throws -> ServerObject {
    let account = request.principal.user?.id
    guard try await work.write({ try PhotoServerTable.remove(of: account, $0) }) else { throw Self.noServer }
    library.discard(account)
    return ServerObject(nil)
  }

  // MARK: Photos

  func photos(_ request: ParameterRequest<ListParameters>) async throws -> NotStored<PhotoList> {
    let (period, box) = (try request.parameters.period(), request.parameters.bbox?.box)
    let known = try await known(request.principal)
    let page: PhotoPage
    do throws(PhotoServerError) { page = try await library.photos(period, on: known) } catch {
      throw Self.problem(error)
    }
    let shown = page.photos.filter { photo in box.map { $0.contains(photo.coordinate) } ?? true }
    return NotStored(
      PhotoList(photos: shown.map { PhotoObject($0, on: known.server.address) }, complete: page.isComplete))
  }

  /// Returns a picture. Its type is detected from its bytes, and its headers keep a browser from running scripts in it.
  func picture(_ request: ParameterRequest<PictureParameters>) async throws -> RawResult<Picture> {
    guard let id = PhotoID(request.parameter) else { throw Self.problem(.unknownPhoto) }
    let size = request.parameters.size.flatMap { PhotoSize(rawValue: $0.rawValue) } ?? .thumbnail
    let known = try await known(request.principal)
    do throws(PhotoServerError) {
      let image = try await library.image(id, size, on: known)
      return RawResult(
        HTTPResponse(status: 200, contentType: image.type.rawValue, body: image.bytes)
          .with("Content-Security-Policy", "default-src 'none'; sandbox").with("Content-Disposition", "inline"))
    } catch { throw Self.problem(error) }
  }

  /// Returns the photo server of a user.
  private func known(_ principal: Principal) async throws -> ReachableServer {
    let (account, isAdministrator) = (principal.user?.id, principal.isAdministrator)
    return try await work.read { db in
      guard let server = try PhotoServerTable.server(of: account, db) else { throw Self.noServer }
      return try PhotoServerTable.reachable(server, isAdministrator: isAdministrator, db)
    }
  }

  // MARK: Problems

  private static let noServer = Problem(
    404, "No photo server", "No Immich server is stored. Store one on the page Account, or with PUT /api/v1/photos/server.")

  /// Returns the problem for a server that cannot be stored, with the faulty member of the body.
  private static func rejection(_ error: PhotoServerError) -> Problem {
    switch error {
    case .busy: problem(error)
    case .wrongKey, .missingPermission: Problem(422, "Not a photo server", error.description, at: "key")
    case .unreachable, .privateNetwork, .redirected, .notImmich, .unknownPhoto, .tooLarge, .notAnImage, .failed:
      Problem(422, "Not a photo server", error.description, at: "address")
    }
  }

  private static func problem(_ error: PhotoServerError) -> Problem {
    switch error {
    case .unknownPhoto: Problem(404, "Unknown photo", error.description)
    case .busy: Problem(503, "Photo server busy", error.description, retryAfter: 5)
    case .unreachable, .privateNetwork, .redirected, .notImmich, .wrongKey, .missingPermission, .tooLarge, .notAnImage, .failed:
      // Not 502: a proxy uses 502 to report that this server does not respond.
      Problem(503, "Photo server failed", error.description)
    }
  }
}

extension BoundingBox {
  /// Whether a position is inside; `false` for `nil`.
  fileprivate func contains(_ coordinate: Coordinate?) -> Bool {
    guard let coordinate, (south...max(south, north)).contains(coordinate.latitude) else { return false }
    let longitude = coordinate.longitude
    return west <= east ? (west...east).contains(longitude) : longitude >= west || longitude <= east
  }
}
