import Foundation
import TestClient
import Testing

@Suite("The documentation in a browser", .timeLimit(.minutes(5)))
struct DocsCommandTests {
  @Test("a site is served until the program is interrupted")
  func site() async throws {
    let folder = try TemporaryFolder()
    try "<h1>Godwit</h1>".write(toFile: folder.path("index.html"), atomically: true, encoding: .utf8)
    let program = try Background(Executable.godwit, ["docs", folder.url.path, "--listen", "127.0.0.1:0"], in: folder)
    let port = try await program.wait("the address, \(program.errorOutput)") {
      program.errorOutput.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#).flatMap { UInt16($0.1) }
    }
    let page = try await ask("GET", "http://127.0.0.1:\(port)/")
    #expect(page.status == 200 && String(decoding: page.body, as: UTF8.self) == "<h1>Godwit</h1>")
    #expect(try await ask("GET", "http://127.0.0.1:\(port)/none").status == 404)
    program.interrupt()
    #expect(try await program.waitForEnd() == 0, "\(program.errorOutput)")
  }

  @Test("a folder without a site is rejected with instructions")
  func nothing() throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(["docs", folder.url.path])
    #expect(
      result.status == 1 && result.errorOutput.contains("there is no documentation. Run make docs"), "\(result.errorOutput)")
  }
}
