import Foundation
import TestParts
import Testing

@Suite("Logging in with a link", .serialized, .timeLimit(.minutes(20)))
struct LoginCommandTests {
  /// Sends a login code. The output is the whole response, with its status line and headers.
  private static func login(_ server: ServerWithOptions, _ code: String) throws -> Executable.Result {
    try ServerWithOptions.curl([
      "-i", "-H", "Content-Type: application/json", "-d", #"{"code":"\#(code)"}"#, "http://127.0.0.1:\(server.port)/api/v1/login",
    ])
  }

  // Logs are readable by more people than the administrator token is meant for.
  @Test(
    "the log of a start has no secret and names the command to run; the command prints a link that works once",
    .enabled(if: TestPart.curl.isRun, "\(TestPart.curl.reason)"))
  func once() async throws {
    let server = try await ServerWithOptions(listen: "127.0.0.1:0")
    let log = server.background.errorOutput
    #expect(!log.contains("gw_") && !log.contains("#") && !log.contains("token="), "\(log)")
    #expect(log.contains("godwit login --data \(server.data)"))
    let login = try Executable.run(["login", "--data", server.data])
    let link = try #require(login.text.firstMatch(of: #/http://127\.0\.0\.1:(\d+)/login#(\S+)\n/#), "\(login.text)")
    #expect(UInt16(link.1) == server.port)
    #expect(try Self.login(server, String(link.2)).text.hasPrefix("HTTP/1.1 200"))
    let again = try Self.login(server, String(link.2))
    #expect(again.text.hasPrefix("HTTP/1.1 401") && again.text.contains("godwit login"))
    // With a given address, and as JSON.
    let other = try Executable.run(["login", "--data", server.data, "--url", "https://track.example.org/", "--json"])
    let object = try #require(JSONSerialization.jsonObject(with: other.output) as? [String: Any])
    #expect((object["url"] as? String)?.hasPrefix("https://track.example.org/login#") == true)
    try await server.stop()
    #expect(!server.background.errorOutput.contains(String(link.2)))
    let none = try Executable.run(["login", "--data", server.data])
    #expect(none.status == 1 && none.errorOutput.contains("No server runs on"))
    let unreachable = try Executable.run(["login", "--data", server.folder.path("nothing")])
    #expect(unreachable.status == 1 && unreachable.errorOutput.contains("no such folder"))
  }

  @Test(
    "a page whose host name resolves to this machine (DNS rebinding) reads nothing and changes nothing",
    .enabled(if: TestPart.curl.isRun, "\(TestPart.curl.reason)"),
    arguments: ["127.evil.example", "127.0.0.1.evil.example", "[::1].evil"])
  func rebinding(_ name: String) async throws {
    let server = try await ServerWithOptions(listen: "127.0.0.1:0")
    let host = "\(name):\(server.port)"
    for (path, body) in [
      ("devices", nil), ("points", nil), ("devices", #"{"name":"x"}"#), ("webhooks", #"{"url":"http://evil.example/"}"#),
      ("users", #"{"name":"mallory","password":"correct horse"}"#),
    ] as [(String, String?)] {
      let response = try ServerWithOptions.curl(
        ["-o", "/dev/null", "-w", "%{http_code}", "-H", "Host: \(host)", "-H", "Origin: http://\(host)"]
          + (body.map { ["-d", $0] } ?? []) + ["http://127.0.0.1:\(server.port)/api/v1/\(path)"])
      #expect(response.text == "401", "\(path) \(body ?? "")")
    }
    try await server.stop()
  }

  @Test("on a terminal the server prints a link", .enabled(if: Executable.find("script") != nil, "script is not installed"))
  func terminal() async throws {
    let folder = try TemporaryFolder()
    let command = "exec \(Executable.godwit.path) serve --listen 127.0.0.1:0 --data \(folder.path("data"))"
    let server = try Background(
      try #require(Executable.find("script")), ["-qefc", command, folder.path("typescript")], in: folder)
    let link = try await server.wait("a link") {
      server.text.firstMatch(of: #/within ten minutes: (http:\S+\/login#\S+)/#).map { String($0.1) }
    }
    #expect(link.hasPrefix("http://127.0.0.1:") && !server.text.contains("gw_"))
    server.interrupt()
    server.kill()
    _ = try await server.waitForEnd()
  }

  @Test(
    "a server that listens on the network prints a link with its network address, and a QR code of the link",
    .enabled(if: Executable.find("script") != nil, "script is not installed"))
  func network() async throws {
    let folder = try TemporaryFolder()
    let command =
      "exec \(Executable.godwit.path) serve --listen 0.0.0.0:0 --network-address 192.0.2.7 --data \(folder.path("data"))"
    let server = try Background(
      try #require(Executable.find("script")), ["-qefc", command, folder.path("typescript")], in: folder)
    try await server.wait("a code") { server.text.contains("▀") && server.text.contains("prints another link") ? true : nil }
    #expect(server.text.contains(#/within ten minutes: http:\/\/192\.0\.2\.7:\d+\/login#/#))
    server.interrupt()
    server.kill()
    _ = try await server.waitForEnd()
  }

  @Test(
    "a page without a session shows the command to run; its link opens the first steps, and a used link shows the command again",
    .enabled(if: TestPart.browser.isRun, "\(TestPart.browser.reason)"))
  func browser() async throws {
    let server = try await RunningServer()
    let browser = try await Chromium()
    for path in ["", "regions", "timeline", "statistics", "devices", "import", "account", "settings", "welcome"] {
      try await browser.visit("http://127.0.0.1:\(server.port)/\(path)")
      try await browser.wait("location.pathname === '/sign-in'")
      try await browser.wait("document.querySelector('#login pre').offsetParent !== null")
    }
    #expect(try await browser.value("document.querySelector('#login pre').textContent", as: String.self) == "godwit login")
    try await browser.wait("document.getElementById('sign-in').offsetParent === null")
    for (width, height) in [(360, 640), (1280, 800)] {
      try await browser.resize(width: width, height: height)
      let overflow: Int = try await browser.value("document.documentElement.scrollWidth - innerWidth")
      #expect(overflow <= 0, "\(width)")
    }
    let link = try Executable.run(["login", "--data", server.data]).text.trimmingCharacters(in: .newlines)
    try await browser.visit(link)
    try await browser.wait("location.pathname === '/welcome' && document.body.dataset.state === 'ready'")
    #expect(try await browser.value("document.cookie + location.hash", as: String.self) == "")
    try await browser.visit(link)
    try await browser.wait("!document.getElementById('problem').hidden")
    #expect(try await browser.value("document.getElementById('problem').textContent.includes('godwit login')", as: Bool.self))
    #expect(try await browser.value("location.href.includes('#')", as: Bool.self) == false)
    #expect(browser.pageErrors.isEmpty, "\(browser.pageErrors)")
  }
}
