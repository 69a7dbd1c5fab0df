internal import Foundation
internal import GodwitHTTPClient
internal import GodwitModel

/// A client of one Immich server. It follows the published OpenAPI description, version 3.3.5; the used paths and members are the
/// same since 1.112. It was not tested with a real Immich server.
struct ImmichClient: Sendable {
  let address: PhotoServerAddress
  let key: PhotoServerKey
  let network: HTTPClient

  /// The number of photos of one page; Immich allows 1,000.
  private static let pageSize = 1000
  /// The maximum size of a page in bytes, about 8 KiB for each photo.
  private static let maximumResponse = 8 << 20
  /// The maximum length of a cursor in bytes.
  private static let maximumCursor = 4096
  private static let timeout = 20.0

  /// Checks the address and the key.
  /// - Throws: ``PhotoServerError``.
  func check() async throws(PhotoServerError) {
    let response = try await send("GET", "server/ping", hasKey: false, limit: 4096)
    guard response.status == 200, let reply = try? JSONDecoder().decode(ImmichPing.self, from: Data(response.body)),
      reply.res == "pong"
    else { throw .notImmich }
    _ = try await page(
      ImmichSearch(takenAfter: "2000-01-01T00:00:00Z", takenBefore: "2000-01-02T00:00:00Z", size: 1, page: 1, cursor: nil))
  }

  /// Returns the photos of a period, sorted by time.
  /// - Parameters:
  ///   - times: the period.
  ///   - maximum: the maximum number of photos.
  /// - Throws: ``PhotoServerError``.
  func photos(_ times: Range<Date>, maximum: Int) async throws(PhotoServerError) -> PhotoPage {
    var found: [PhotoID: Photo] = [:]
    var (number, cursor): (Int?, String?) = (1, nil)
    var isComplete = false
    // The number of requests is limited, because a server may repeat a page endlessly.
    for _ in 0..<max(1, (maximum + Self.pageSize - 1) / Self.pageSize) {
      let response = try await page(
        ImmichSearch(
          takenAfter: RFC3339.string(times.lowerBound), takenBefore: RFC3339.string(times.upperBound), size: Self.pageSize,
          page: number, cursor: cursor))
      for photo in response.assets.items.compactMap({ $0.value?.photo }) where times.contains(photo.time) {
        found[photo.id] = photo
      }
      if let next = response.assets.nextPage.flatMap({ Int($0) }), (2...1_000_000).contains(next) {
        (number, cursor) = (next, nil)
      } else if let next = response.assets.nextCursor, (1...Self.maximumCursor).contains(next.utf8.count) {
        (number, cursor) = (nil, next)
      } else {
        isComplete = true
        break
      }
    }
    let photos = found.values.sorted { ($0.time, $0.id.text) < ($1.time, $1.id.text) }
    return PhotoPage(photos: Array(photos.prefix(maximum)), isComplete: isComplete && photos.count <= maximum)
  }

  /// Returns the image of a photo in a size.
  /// - Throws: ``PhotoServerError``.
  func image(_ id: PhotoID, _ size: PhotoSize) async throws(PhotoServerError) -> PhotoImage {
    let response = try await send(
      "GET", "assets/\(id.text)/thumbnail", [URLQueryItem(name: "size", value: size.rawValue)], limit: size.maximumBytes)
    try Self.expectSuccess(response, permission: "asset.view")
    guard let type = ImageType(of: response.body) else { throw .notAnImage }
    return PhotoImage(type: type, bytes: response.body)
  }

  private func page(_ search: ImmichSearch) async throws(PhotoServerError) -> ImmichSearchResponse {
    guard let body = try? JSONEncoder().encode(search) else { throw .notImmich }
    let response = try await send("POST", "search/metadata", body: Array(body), limit: Self.maximumResponse)
    try Self.expectSuccess(response, permission: "asset.read")
    guard let reply = try? JSONDecoder().decode(ImmichSearchResponse.self, from: Data(response.body)) else { throw .notImmich }
    return reply
  }

  /// Sends a request. A redirect is an error, because the key must not be sent to another address.
  private func send(
    _ method: String, _ path: String, _ query: [URLQueryItem] = [], body: [UInt8] = [], hasKey: Bool = true, limit: Int
  ) async throws(PhotoServerError) -> HTTPClient.Response {
    guard let url = address.api(path, query) else { throw .notImmich }
    var headers = ["Accept": method == "POST" || !hasKey ? "application/json" : "image/*"]
    if hasKey { headers["x-api-key"] = key.secret }
    if !body.isEmpty { headers["Content-Type"] = "application/json" }
    var request = HTTPClient.Request(method: method, url: url, headers: headers, body: body, timeout: Self.timeout)
    request.connectTimeout = 10
    // A body of limit + 1 bytes shows that the response exceeds the limit.
    request.maximumResponseSize = limit + 1
    let response: HTTPClient.Response
    do { response = try await network.send(request) } catch {
      if error as? HTTPError == .beyondReach { throw .privateNetwork }
      throw .unreachable((error as? HTTPError)?.description ?? "The request was cancelled.")
    }
    guard response.body.count <= limit else { throw .tooLarge }
    if (300..<400).contains(response.status) {
      let place = response.headers["location"].flatMap { URLComponents(string: $0) }
      throw .redirected(place?.host.map { "\(place?.scheme ?? "https")://\($0)" } ?? "another address")
    }
    return response
  }

  private static func expectSuccess(_ response: HTTPClient.Response, permission: String) throws(PhotoServerError) {
    switch response.status {
    case 200..<300: return
    case 401: throw .wrongKey
    case 403: throw .missingPermission(permission)
    // Immich responds with 400 if the key has no access to the photo.
    case 400 where permission == "asset.view": throw .unknownPhoto
    case 404: throw permission == "asset.view" ? .unknownPhoto : .notImmich
    default: throw .failed(response.status)
    }
  }
}
