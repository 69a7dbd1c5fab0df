internal import GodwitHTTP
internal import GodwitRoutes
internal import GodwitTiles

/// Serves map tiles of the built-in world map and of the owner's file, and the glyphs of their labels.
struct BasemapAPI {
  let basemaps: Basemaps
  let fonts: MapFonts

  /// Browsers cache a tile for a day and then revalidate it. The URLs of the owner's tiles contain the version of the file.
  private static let cacheControl = "public, max-age=86400"

  func world(_ request: HTTPRequest) throws(Problem) -> HTTPReply { .now(try tile(request, of: basemaps.world)) }

  func names(_ request: HTTPRequest) throws(Problem) -> HTTPReply { .now(try tile(request, of: basemaps.names)) }

  func own(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let own = basemaps.own else {
      throw Problem(404, "Not found", "This server has no base map; start it with --basemap FILE.pmtiles.")
    }
    return .now(try tile(request, of: own.archive))
  }

  /// Returns the glyphs of a range of 256 characters. The response is empty for a range that no font has: the map requests
  /// every range that a label needs.
  func glyphs(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let range = GlyphRange(path: request.parameter) else {
      throw Problem(
        400, "Bad argument", "\(request.path): expected /fonts/STACK/START-END.pbf with 256 characters from a multiple of 256.")
    }
    var response = HTTPResponse(status: 200, contentType: "application/x-protobuf", body: [])
    if let bytes = fonts.glyphs(range) { response = try content(bytes, .gzip, type: "application/x-protobuf", for: request) }
    return .now(response.with("Cache-Control", Self.cacheControl))
  }

  private func tile(_ request: HTTPRequest, of archive: TileArchive) throws(Problem) -> HTTPResponse {
    guard let place = TileCoordinate(path: request.parameter, kind: archive.kind) else {
      throw Problem(
        404, "Not found", "\(request.path): expected ZOOM/COLUMN/ROW.\(archive.kind.fileExtension) of a zoom level from 0 to 22.")
    }
    let stored: TileArchive.StoredTile?
    do throws(TileArchiveError) { stored = try archive.tile(at: place) } catch {
      throw Problem(500, "Base map unreadable", "Tile \(request.parameter): \(error).")
    }
    guard let stored else {
      var response = HTTPResponse(status: 204, contentType: archive.kind.contentType, body: [])
      response.headers = [("Cache-Control", Self.cacheControl)]
      return response
    }
    return try content(stored.bytes, stored.compression, type: archive.kind.contentType, for: request)
      .with("Cache-Control", Self.cacheControl)
  }

  /// Returns the content in its stored encoding if the client accepts this encoding, else decompressed.
  private func content(
    _ bytes: [UInt8], _ compression: TileCompression, type: String, for request: HTTPRequest
  ) throws(Problem) -> HTTPResponse {
    guard compression != .none else { return HTTPResponse(status: 200, contentType: type, body: bytes) }
    if compression == .gzip, Gzip.isAccepted(request.header("Accept-Encoding")) {
      return HTTPResponse(status: 200, contentType: type, body: bytes)
        .with("Content-Encoding", "gzip").with("Vary", "Accept-Encoding")
    }
    do throws(TileArchiveError) {
      let plain = try compression.decompressed(bytes, limit: TileArchive.Limits.decompressedTile, part: "a tile")
      return HTTPResponse(status: 200, contentType: type, body: plain).with("Vary", "Accept-Encoding")
    } catch {
      throw Problem(500, "Base map unreadable", "\(request.path): \(error).")
    }
  }
}

extension TileCoordinate {
  /// Reads the end of an address, such as `6/34/22.mvt`; `nil` for other texts, and for tiles outside of the map.
  init?(path: String, kind: TileKind) {
    let ending = "." + kind.fileExtension
    guard path.hasSuffix(ending) else { return nil }
    let parts = path.dropLast(ending.count).split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy { $0.isASCII && $0.isNumber } ? Int($0) : nil }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    self.init(zoom: numbers[0], column: numbers[1], row: numbers[2])
  }
}

/// Map tiles in the OpenAPI document.
enum MapTile: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    let tile: JSONValue = ["schema": ["type": "string", "format": "binary"]]
    return [TileKind.vector.contentType: tile]
  }
}

/// Images or vector tiles of the owner's file in the OpenAPI document.
enum OwnMapTile: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    let tile: JSONValue = ["schema": ["type": "string", "format": "binary"]]
    var content: [String: JSONValue] = [:]
    for kind in [TileKind.vector, .png, .jpeg, .webp, .avif] { content[kind.contentType] = tile }
    return .object(content)
  }
}

/// Glyphs in the OpenAPI document.
enum GlyphFile: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    ["application/x-protobuf": ["schema": ["type": "string", "format": "binary"]]]
  }
}
