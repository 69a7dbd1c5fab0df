import Foundation
import Testing

@testable import GodwitHTTP
@testable import GodwitServer

@Suite("Pages")
struct PagesTests {
  @Test("the bytes that are served are those of the files")
  func served() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-pages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = Server.Configuration(listen: try #require(ListenAddress("127.0.0.1:0")), dataFolder: folder.path)
    let local = LocalServer(try Server(configuration: configuration))
    defer { local.close() }
    let pages = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/GodwitServer/Web/Pages")
    let names = try FileManager.default.contentsOfDirectory(atPath: pages.path).filter { !$0.hasSuffix(".html") }
    #expect(names.count > 20)
    for name in names {
      let response = local.respond(LocalRequest(method: "GET", path: "/\(name)"))
      #expect(response.status == 200, "\(name)")
      #expect(response.body == [UInt8](try Data(contentsOf: pages.appendingPathComponent(name))), "\(name)")
    }
  }
}
