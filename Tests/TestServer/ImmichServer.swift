internal import Foundation
internal import Synchronization

/// A stand-in for an Immich server. It implements the used part of Immich's OpenAPI description (version 3.3.5), and validates requests
/// as strictly as the description.
package final class ImmichServer: Sendable {
  package struct Asset: Sendable {
    package var id: String
    /// The time in RFC 3339, UTC.
    package var time: String
    package var latitude: Double?
    package var longitude: Double?
    package var type = "IMAGE"
    package var visibility = "timeline"
    package var isTrashed = false
    package var name = "IMG_0001.jpg"

    package init(_ number: Int, _ time: String, _ latitude: Double? = nil, _ longitude: Double? = nil) {
      id = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - String(number).count) + String(number)
      self.time = time
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }

  package struct Options: Sendable {
    package var assets: [Asset] = []
    package var key = "immich-key"
    /// The permissions of the key.
    package var permissions: Set<String> = ["asset.read", "asset.view"]
    /// Whether the next page is identified by a cursor instead of a number.
    package var hasCursors = false
    /// The maximum number of items of a page, regardless of the request.
    package var pageSize = 1000
    /// The thumbnails by photo id; other photos have a small PNG.
    package var pictures: [String: (type: String, bytes: [UInt8])] = [:]
    /// The response to every request, if set: status, headers, body.
    package var always: (status: String, headers: [String: String], body: String)?

    package init(_ assets: [Asset] = []) { self.assets = assets }
  }

  private let server: LocalServer
  private let shared: SharedOptions

  package init(_ options: Options) throws {
    let shared = SharedOptions(options)
    self.shared = shared
    server = try LocalServer { request, connection in
      let reply = Self.reply(request, shared.value.withLock { $0 })
      connection.respond(reply.status, headers: reply.headers, body: reply.body)
    }
  }

  private final class SharedOptions: Sendable {
    let value: Mutex<Options>
    init(_ value: Options) { self.value = Mutex(value) }
  }

  package var address: String { "http://127.0.0.1:\(server.port)" }
  package var requests: [LocalServer.Request] { server.requests }

  package func change(_ body: @Sendable (inout Options) -> Void) { shared.value.withLock { body(&$0) } }

  /// A PNG of one pixel.
  package static let png = [UInt8](
    Data(base64Encoded: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkaPhfDwAEhQGAYl1c5AAAAABJRU5ErkJggg==")
      ?? Data())

  private struct Reply {
    var status = "200 OK"
    var headers = ["Content-Type": "application/json"]
    var body: [UInt8]

    init(_ object: Any, _ status: String = "200 OK") {
      body = [UInt8]((try? JSONSerialization.data(withJSONObject: object)) ?? Data())
      self.status = status
    }

    static func problem(_ status: String, _ message: String) -> Reply { Reply(["message": message], status) }
  }

  private static func reply(_ request: LocalServer.Request, _ options: Options) -> Reply {
    if let always = options.always {
      var reply = Reply([:], always.status)
      reply.headers = always.headers
      reply.body = Array(always.body.utf8)
      return reply
    }
    guard let parts = URLComponents(string: request.target), parts.path.hasPrefix("/api/") else {
      return .problem("404 Not Found", "no such address")
    }
    let path = parts.path.dropFirst(5).split(separator: "/").map(String.init)
    if request.method == "GET", path == ["server", "ping"] { return Reply(["res": "pong"]) }
    guard request.headers["x-api-key"] == options.key else { return .problem("401 Unauthorized", "Invalid API key") }
    if request.method == "POST", path == ["search", "metadata"] { return search(request, options) }
    if request.method == "GET", path.count == 3, path[0] == "assets", path[2] == "thumbnail" {
      return picture(path[1], parts.queryItems ?? [], options)
    }
    return .problem("404 Not Found", "no such address")
  }

  private static let searchMembers: Set<String> = [
    "albumIds", "checksum", "city", "country", "createdAfter", "createdBefore", "cursor", "description", "encodedVideoPath",
    "filter", "id", "isEncoded", "isFavorite", "isMotion", "isNotInAlbum", "isOffline", "lensModel", "libraryId", "make", "model",
    "ocr", "order", "orderBy", "originalFileName", "originalPath", "page", "personIds", "previewPath", "rating", "size", "state",
    "tagIds", "takenAfter", "takenBefore", "thumbnailPath", "trashedAfter", "trashedBefore", "type", "updatedAfter",
    "updatedBefore", "visibility", "withDeleted", "withExif", "withPeople", "withStacked",
  ]

  private static func search(_ request: LocalServer.Request, _ options: Options) -> Reply {
    guard options.permissions.contains("asset.read") else {
      return .problem("403 Forbidden", "Missing required permission: asset.read")
    }
    guard request.headers["content-type"] == "application/json",
      let body = (try? JSONSerialization.jsonObject(with: Data(request.body))) as? [String: Any],
      Set(body.keys).isSubset(of: searchMembers), let after = (body["takenAfter"] as? String).flatMap(date),
      let before = (body["takenBefore"] as? String).flatMap(date), body["type"] as? String == "IMAGE",
      body["withExif"] as? Bool == true, ["asc", "desc"].contains(body["order"] as? String ?? "desc")
    else { return .problem("400 Bad Request", "not a search") }
    let size = body["size"] as? Int ?? 250
    var page = body["page"] as? Int ?? 1
    if let cursor = body["cursor"] as? String { page = Int(cursor.dropFirst("cursor-".count)) ?? 0 }
    guard (1...1000).contains(size), page >= 1 else { return .problem("400 Bad Request", "size, page") }
    let wanted = min(size, options.pageSize)
    // Immich's range includes both ends.
    let found = options.assets.filter { asset in date(asset.time).map { (after...before).contains($0) } ?? false }
      .sorted { $0.time < $1.time }
    let shown = found.dropFirst((page - 1) * wanted).prefix(wanted)
    let isLast = page * wanted >= found.count
    let next: Any = isLast || options.hasCursors ? NSNull() : "\(page + 1)"
    let cursor: Any = isLast || !options.hasCursors ? NSNull() : "cursor-\(page + 1)"
    return Reply([
      "albums": ["count": 0, "facets": [], "items": [], "total": 0],
      "assets": [
        "count": shown.count, "facets": [], "items": shown.map(object), "total": found.count, "nextPage": next,
        "nextCursor": cursor,
      ],
    ])
  }

  private static func date(_ text: String) -> Date? {
    (try? Date(text, strategy: .iso8601))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }

  /// The JSON object of an asset, with all required members.
  private static func object(_ asset: Asset) -> [String: Any] {
    [
      "id": asset.id, "type": asset.type, "fileCreatedAt": asset.time, "fileModifiedAt": asset.time, "createdAt": asset.time,
      "localDateTime": asset.time, "updatedAt": asset.time, "originalFileName": asset.name,
      "originalPath": "/photos/\(asset.name)",
      "originalMimeType": "image/jpeg", "checksum": "2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "duration": NSNull(), "hasMetadata": true,
      "height": 3024, "width": 4032, "isArchived": false, "isEdited": false, "isFavorite": false, "isOffline": false,
      "isTrashed": asset.isTrashed, "ownerId": "00000000-0000-4000-8000-00000000000a", "thumbhash": NSNull(),
      "visibility": asset.visibility,
      "exifInfo": [
        "latitude": asset.latitude.map { $0 as Any } ?? NSNull(), "longitude": asset.longitude.map { $0 as Any } ?? NSNull(),
        "dateTimeOriginal": asset.time, "timeZone": "UTC", "make": NSNull(), "model": NSNull(),
      ] as [String: Any],
    ]
  }

  private static func picture(_ id: String, _ query: [URLQueryItem], _ options: Options) -> Reply {
    guard options.permissions.contains("asset.view") else {
      return .problem("403 Forbidden", "Missing required permission: asset.view")
    }
    guard query.allSatisfy({ $0.name == "size" && ["preview", "thumbnail"].contains($0.value) }),
      options.assets.contains(where: { $0.id == id })
    else { return .problem("400 Bad Request", "Not found or no asset.view access") }
    var reply = Reply([:])
    let picture = options.pictures[id] ?? ("image/png", png)
    reply.headers = ["Content-Type": picture.type]
    reply.body = picture.bytes
    return reply
  }
}
