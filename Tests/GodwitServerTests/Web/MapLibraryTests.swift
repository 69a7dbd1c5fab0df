import Foundation
import Testing

@testable import GodwitAPI
@testable import GodwitHTTP
@testable import GodwitServer

@Suite("The library that draws the maps")
struct MapLibraryTests {
  /// A folder with a library of a version.
  private static func library(version: String, in folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = "/** @license blob/v\(version)/LICENSE.txt */\n" + String(repeating: "globalThis.maplibregl = {};\n", count: 200)
    try Data(script.utf8).write(to: folder.appendingPathComponent("maplibre-gl.js"))
    try Data(".maplibregl-map {}".utf8).write(to: folder.appendingPathComponent("maplibre-gl.css"))
    try Data("secret".utf8).write(to: folder.appendingPathComponent("other.js"))
  }

  private static func withServer(version: String, _ body: (LocalServer) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-library-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let library = folder.appendingPathComponent("library")
    try Self.library(version: version, in: library)
    var configuration = Server.Configuration(
      listen: try #require(ListenAddress("127.0.0.1:0")), dataFolder: folder.appendingPathComponent("data").path)
    configuration.mapLibraryFolder = library.path
    let local = LocalServer(try Server(configuration: configuration))
    defer { local.close() }
    try body(local)
  }

  private static let script = "/maplibre/\(MapLibrary.version)/maplibre-gl.js"

  @Test("is sent compressed, with a tag, and cached for a year")
  func served() throws {
    try Self.withServer(version: MapLibrary.version) { server in
      let plain = server.respond(LocalRequest(method: "GET", path: Self.script))
      #expect(plain.status == 200 && plain.headers["content-encoding"] == nil)
      #expect(plain.headers["cache-control"]?.contains("immutable") == true)
      let compressed = server.respond(LocalRequest(method: "GET", path: Self.script, headers: ["Accept-Encoding": "gzip"]))
      #expect(compressed.headers["content-encoding"] == "gzip" && compressed.body.count < plain.body.count / 10)
      #expect(compressed.headers["vary"] == "Accept-Encoding")
      let tag = try #require(compressed.headers["etag"])
      let known = server.respond(LocalRequest(method: "GET", path: Self.script, headers: ["If-None-Match": tag]))
      #expect(known.status == 304 && known.body.isEmpty)
      for path in ["/maplibre/\(MapLibrary.version)/other.js", "/maplibre/5.2.0/maplibre-gl.js", "/maplibre/maplibre-gl.js"] {
        #expect(server.respond(LocalRequest(method: "GET", path: path)).status == 404, "\(path)")
      }
    }
  }

  @Test("of another version is not used, because browsers would cache it under the wrong name")
  func otherVersion() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-library-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.library(version: "4.7.1", in: folder)
    #expect(MapLibrary(folder: folder.path).folder != folder.path)
    try Self.library(version: MapLibrary.version, in: folder)
    #expect(MapLibrary(folder: folder.path).folder == folder.path)
  }

  @Test("is looked for beside the executable, around its folder, and where packages put it")
  func folders() {
    let folders = MapLibrary.folders(executable: "/home/anna/godwit/.build/x86_64-unknown-linux-gnu/debug/godwit")
    #expect(folders.contains("/home/anna/godwit/.build/maplibre-\(MapLibrary.version)"))
    #expect(folders.contains("/usr/share/godwit/maplibre") && folders.contains("/usr/local/share/godwit/maplibre"))
    #expect(MapLibrary.folders(executable: "").first == "/usr/share/godwit/maplibre")
  }

  @Test("is loaded by the pages in this version")
  func version() {
    var count = 0
    for (name, bytes) in Pages.files {
      for match in String(decoding: bytes, as: UTF8.self).matches(of: #/\/maplibre\/([0-9.]+)/#) {
        #expect(match.1 == MapLibrary.version, "\(name)")
        count += 1
      }
    }
    #expect(count > 0)
  }

  @Test("may begin its worker from a blob, and nothing else is added to what pages may load")
  func policy() throws {
    try Self.withServer(version: MapLibrary.version) { server in
      let policy = try #require(server.respond(LocalRequest(method: "GET", path: "/")).headers["content-security-policy"])
      #expect(
        policy.contains("default-src 'self';") && policy.contains("worker-src 'self' blob:;")
          && policy.contains("connect-src 'self';"))
      #expect(!policy.contains("unsafe-eval") && !policy.contains("script-src"))
    }
  }
}
