import Foundation
import Testing

@testable import GodwitAPI
@testable import GodwitHTTP
@testable import GodwitServer

@Suite("Map library")
struct MapLibraryTests {
  /// Creates a folder with a version of the library.
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

  @Test("the library is sent compressed and with an entity tag, and is cached as immutable")
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

  @Test("a library of another version is not used, because browsers would cache it under the wrong version")
  func otherVersion() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-library-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try Self.library(version: "4.7.1", in: folder)
    #expect(MapLibrary(folder: folder.path).folder != folder.path)
    try Self.library(version: MapLibrary.version, in: folder)
    #expect(MapLibrary(folder: folder.path).folder == folder.path)
  }

  @Test("the library is searched for in the build folder and in the folders of packages")
  func folders() {
    let folders = MapLibrary.folders(executable: "/home/anna/godwit/.build/x86_64-unknown-linux-gnu/debug/godwit")
    #expect(folders.contains("/home/anna/godwit/.build/maplibre-\(MapLibrary.version)"))
    #expect(folders.contains("/usr/share/godwit/maplibre") && folders.contains("/usr/local/share/godwit/maplibre"))
    #expect(MapLibrary.folders(executable: "").first == "/usr/share/godwit/maplibre")
  }

  @Test("the pages load this version of the library")
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

  @Test("the Content-Security-Policy allows workers from blobs, and no other exception")
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
