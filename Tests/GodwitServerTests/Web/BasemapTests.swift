import Foundation
import Synchronization
import Testing

@testable import GodwitHTTP
@testable import GodwitServer
@testable import GodwitTiles

/// A PMTiles file for tests, with one tile at zoom 0.
enum BasemapFile {
  /// The bytes of a file.
  /// - Parameters:
  ///   - kind: the tile type in PMTiles.
  ///   - tile: the stored bytes of the tile.
  ///   - compression: the tile compression in PMTiles.
  static func bytes(kind: UInt8 = 1, tile: [UInt8] = gzipped([0x1A, 0]), compression: UInt8 = 2) -> Data {
    // A directory of one entry: tile 0, run length 1, length, offset 0. All numbers are below 128.
    let root: [UInt8] = [1, 0, 1, UInt8(tile.count), 1]
    let metadata = Array(#"{"attribution":"© OpenStreetMap","vector_layers":[{"id":"earth"},{"id":"roads"}]}"#.utf8)
    var header = Array("PMTiles".utf8) + [3]
    var offset = 127
    for count in [root.count, metadata.count, 0, tile.count] {
      for number in [offset, count] { header += withUnsafeBytes(of: UInt64(number).littleEndian) { Array($0) } }
      offset += count
    }
    header += [UInt8](repeating: 0, count: 24) + [1, 1, compression, kind, 0, 14]
    for degrees in [13.4, 45.4, 16.6, 46.9] {
      header += withUnsafeBytes(of: Int32(degrees * 1e7).littleEndian) { Array($0) }
    }
    header += [UInt8](repeating: 0, count: 127 - header.count)
    return Data(header + root + metadata + tile)
  }

  static func gzipped(_ bytes: [UInt8]) -> [UInt8] { Gzip.compressed(bytes) ?? [] }
}

@Suite("Base maps")
struct BasemapTests {
  /// Runs `body` with a server in a temporary folder.
  private func with(
    file: (name: String, bytes: Data)? = nil, configure: (inout Server.Configuration, String) -> Void = { _, _ in },
    _ body: (LocalServer, Server, String) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-basemap-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if let file { try file.bytes.write(to: folder.appendingPathComponent(file.name)) }
    var configuration = Server.Configuration(listen: try #require(ListenAddress("127.0.0.1:0")), dataFolder: folder.path)
    configure(&configuration, folder.path)
    let server = try Server(configuration: configuration)
    let local = LocalServer(server)
    defer { local.close() }
    try body(local, server, folder.path)
  }

  private func get(_ path: String, _ server: LocalServer, _ headers: [String: String] = [:]) -> LocalResponse {
    server.respond(LocalRequest(method: "GET", path: path, headers: headers))
  }

  private func settings(_ server: LocalServer, _ folder: String) throws -> [String: Any] {
    let token = try String(contentsOfFile: folder + "/admin-token", encoding: .utf8).trimmingCharacters(
      in: .whitespacesAndNewlines)
    let response = get("/api/v1/settings", server, ["Authorization": "Bearer \(token)"])
    #expect(response.status == 200)
    return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
  }

  @Test(
    "tiles of the built-in world map are public, sent as stored to clients that accept gzip, and have an entity tag",
    arguments: ["/basemap/world/0/0/0.mvt", "/basemap/world/6/34/22.mvt", "/basemap/names/7/69/45.mvt"])
  func world(path: String) throws {
    try with { local, _, _ in
      let stored = get(path, local, ["Accept-Encoding": "br, gzip"])
      #expect(stored.status == 200)
      #expect(stored.headers["content-type"] == "application/vnd.mapbox-vector-tile")
      #expect(stored.headers["content-encoding"] == "gzip")
      #expect(stored.headers["cache-control"] == "public, max-age=86400")
      let plain = get(path, local)
      #expect(plain.headers["content-encoding"] == nil)
      #expect(try TileCompression.gzip.decompressed(stored.body, limit: 1 << 20, part: "it") == plain.body)
      #expect(try !VectorTile(plain.body).layers.isEmpty)
      let tag = try #require(stored.headers["etag"])
      let again = get(path, local, ["Accept-Encoding": "gzip", "If-None-Match": tag])
      #expect(again.status == 304)
      #expect(again.body.isEmpty)
    }
  }

  @Test(
    "a position without a tile returns 204, and an invalid tile address returns 404",
    arguments: [
      ("/basemap/world/7/0/0.mvt", 204), ("/basemap/names/7/0/127.mvt", 204), ("/basemap/world/6/64/0.mvt", 404),
      ("/basemap/world/6/-1/0.mvt", 404), ("/basemap/world/1/0.mvt", 404), ("/basemap/world/0/0/0.png", 404),
      ("/basemap/world/0/0/0", 404), ("/basemap/world/99999999999999999999/0/0.mvt", 404), ("/basemap/world//0/0.mvt", 404),
      ("/basemap/world/٣/0/0.mvt", 404), ("/basemap/0/0/0.mvt", 404),
    ])
  func outside(path: String, status: Int) throws {
    try with { local, _, _ in #expect(get(path, local).status == status) }
  }

  @Test("tiles do not count against the rate limit")
  func unlimited() throws {
    let limit = { (configuration: inout Server.Configuration, _: String) in
      configuration.rateLimits.anonymous = RateLimit(perMinute: 1)
    }
    try with(configure: limit) { local, _, _ in
      for _ in 0..<20 { #expect(get("/basemap/world/0/0/0.mvt", local, ["X-Forwarded-For": "192.0.2.7"]).status == 200) }
    }
  }

  @Test("without a file the settings have no base map")
  func none() throws {
    try with { local, _, folder in
      let settings = try settings(local, folder)
      #expect(settings["basemap"] is NSNull)
    }
  }

  @Test("a configured base map and one in the data folder are served and described", arguments: [true, false])
  func own(isNamed: Bool) throws {
    let name = { (configuration: inout Server.Configuration, folder: String) in
      if isNamed { configuration.basemap = folder + "/slovenia.pmtiles" }
    }
    try with(file: ("slovenia.pmtiles", BasemapFile.bytes()), configure: name) { local, _, folder in
      let basemap = try #require(try settings(local, folder)["basemap"] as? [String: Any])
      #expect(basemap["schema"] as? String == "protomaps")
      #expect(basemap["format"] as? String == "mvt")
      #expect(basemap["min_zoom"] as? Int == 0)
      #expect(basemap["max_zoom"] as? Int == 14)
      #expect(basemap["bounds"] as? [Double] == [13.4, 45.4, 16.6, 46.9])
      #expect(basemap["attribution"] as? String == "© OpenStreetMap")
      let url = try #require(basemap["url"] as? String)
      #expect(url.hasPrefix("/basemap/{z}/{x}/{y}.mvt?v="))
      #expect(get("/basemap/0/0/0.mvt", local).body == [0x1A, 0])
      #expect(get("/basemap/5/0/0.mvt", local).status == 204)
    }
  }

  @Test("raster tiles are served with their image type")
  func images() throws {
    let bytes = BasemapFile.bytes(kind: 2, tile: [0x89, 0x50], compression: 0)
    try with(file: ("basemap.pmtiles", bytes)) { local, _, folder in
      let basemap = try #require(try settings(local, folder)["basemap"] as? [String: Any])
      #expect(basemap["format"] as? String == "png")
      #expect(basemap["schema"] as? String == "protomaps")
      let tile = get("/basemap/0/0/0.png", local)
      #expect(tile.headers["content-type"] == "image/png")
      #expect(tile.body == [0x89, 0x50])
      #expect(get("/basemap/0/0/0.mvt", local).status == 404)
    }
  }

  @Test(
    "a configured base map that cannot be served prevents the start, with the reason",
    arguments: [
      (Data("no tiles".utf8), "it does not begin with \"PMTiles\""), (BasemapFile.bytes(compression: 3), "Brotli"),
      (BasemapFile.bytes(kind: 9), "unknown kind 9"), (BasemapFile.bytes().dropLast(3), "ends before"),
    ])
  func wrong(bytes: Data, reason: String) throws {
    var message = ""
    do {
      let name = { (configuration: inout Server.Configuration, folder: String) in configuration.basemap = folder + "/a.pmtiles" }
      try with(file: ("a.pmtiles", bytes), configure: name) { _, _, _ in
        Issue.record("the server has started")
      }
    } catch { message = "\(error)" }
    #expect(message.contains(reason), "\(message)")
    #expect(message.contains("a.pmtiles cannot be used"))
  }

  @Test(
    "a base map in the data folder is found, replaced and removed at run time; a damaged one is reported")
  func dropped() throws {
    let notices = Notices()
    let listen = { (configuration: inout Server.Configuration, _: String) in configuration.notices = { notices.add($0) } }
    try with(configure: listen) { local, server, folder in
      let path = URL(fileURLWithPath: folder + "/map.pmtiles")
      let refresh = { server.maps.folder.refresh { notices.add($0) } }
      #expect(get("/basemap/0/0/0.mvt", local).status == 404)
      try Data("still being copied".utf8).write(to: path)
      refresh()
      #expect(get("/basemap/0/0/0.mvt", local).status == 404)
      #expect(notices.last.contains("cannot be used"))
      try BasemapFile.bytes().write(to: path)
      refresh()
      #expect(get("/basemap/0/0/0.mvt", local).status == 200)
      try BasemapFile.bytes(tile: BasemapFile.gzipped([0x1A, 0, 0x1A, 0])).write(to: path)
      refresh()
      #expect(get("/basemap/0/0/0.mvt", local).body.count == 4)
      try FileManager.default.removeItem(at: path)
      refresh()
      #expect(get("/basemap/0/0/0.mvt", local).status == 404)
      #expect(notices.last.contains("is gone"))
    }
  }

  @Test(
    "glyphs are served by font stack and range; a range without glyphs is empty",
    arguments: [
      ("/fonts/Noto Sans Regular/0-255.pbf", 200, true), ("/fonts/Noto Sans Bold,Noto Sans Regular/256-511.pbf", 200, true),
      ("/fonts/Noto Sans Regular/19968-20223.pbf", 200, false), ("/fonts/Noto Sans Regular/1-256.pbf", 400, false),
      ("/fonts/Noto Sans Regular/0-254.pbf", 400, false), ("/fonts/0-255.pbf", 400, false), ("/fonts//0-255.pbf", 400, false),
      ("/fonts/A/99999999999999999999-255.pbf", 400, false), ("/fonts/A/1114112-1114367.pbf", 400, false),
    ])
  func fonts(path: String, status: Int, hasLetters: Bool) throws {
    try with { local, _, _ in
      let response = get(path, local, ["Accept-Encoding": "gzip"])
      #expect(response.status == status)
      if status == 200 {
        #expect(response.headers["content-type"] == "application/x-protobuf")
        #expect(response.body.isEmpty == !hasLetters)
        #expect(response.headers["content-encoding"] == (hasLetters ? "gzip" : nil))
      }
    }
  }

  @Test("regular and bold glyphs differ")
  func weights() throws {
    try with { local, _, _ in
      let regular = get("/fonts/Noto Sans Regular/0-255.pbf", local).body
      #expect(regular != get("/fonts/Noto Sans Bold/0-255.pbf", local).body)
      #expect(regular == get("/fonts/Anything Else/0-255.pbf", local).body)
    }
  }
}

/// Collects the messages of a server.
private final class Notices: Sendable {
  private let all = Mutex<[String]>([])
  func add(_ text: String) { all.withLock { $0.append(text) } }
  var last: String { all.withLock { $0.last ?? "" } }
}
