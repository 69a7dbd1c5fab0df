import Foundation
import GodwitModel
import TestClient
import TestCluster
import Testing

/// A tracker with a panel on a free port, which replays a ride that begins now.
final class RunningPanel {
  let folder: TemporaryFolder
  let journal: String
  private let source: String
  private let endpoint: [String]
  private let options: [String]
  private let environment: [String: String]
  private(set) var background: Background
  private(set) var port: UInt16 = 0

  /// - Parameters:
  ///   - listen: the address of the panel; `nil`: a free port of this machine.
  ///   - server: the server of the records; `nil`: an address without a server.
  ///   - options: additional options of `godwit track`.
  ///   - environment: additional variables of the tracker.
  init(
    listen: String? = nil, server: RunningServer? = nil, options: [String] = [],
    environment: [String: String] = [:]
  ) async throws {
    folder = try TemporaryFolder()
    journal = folder.path("journal")
    source = folder.path("ride.gpx")
    try Self.writeRide(to: source)
    endpoint = ["--endpoint", server?.endpoint ?? "http://127.0.0.1:9/"] + (server.map { ["--token", $0.token] } ?? [])
    self.options = options
    self.environment = environment
    let address = try listen ?? "127.0.0.1:\(TestCluster.freePort())"
    background = try Self.start(source, journal, endpoint, address, options, folder, environment)
    port = try await listening()
  }

  private static func start(
    _ source: String, _ journal: String, _ endpoint: [String], _ listen: String, _ options: [String],
    _ folder: TemporaryFolder, _ environment: [String: String]
  ) throws -> Background {
    try Background(
      Executable.godwit,
      ["track", "--source", source, "--journal", journal, "--panel", listen] + endpoint + options, in: folder,
      environment: environment)
  }

  private func listening() async throws -> UInt16 {
    try await background.wait("the panel") {
      background.errorOutput.firstMatch(of: #/The panel: http://[^\s/]*:(\d+)//#).flatMap { UInt16($0.1) }
    }
  }

  var address: String { "http://127.0.0.1:\(port)/" }

  func stop() async throws {
    background.interrupt()
    #expect(try await background.waitForEnd() == 0, "\(background.errorOutput)")
  }

  /// Starts the tracker again with the same port.
  func start() async throws {
    background = try Self.start(source, journal, endpoint, "127.0.0.1:\(port)", options, folder, environment)
    port = try await listening()
  }

  /// Writes a ride of ten minutes through Ljubljana at 6 m/s, with one fix per second. It begins in one second, because a trip
  /// has only fixes that were measured after its start.
  private static func writeRide(to path: String) throws {
    var text = "<gpx version=\"1.0\" creator=\"test\" xmlns=\"http://www.topografix.com/GPX/1/0\"><trk><trkseg>\n"
    let start = Date().addingTimeInterval(1)
    for second in 0..<600 {
      let time = RFC3339.string(start.addingTimeInterval(Double(second)))
      let latitude = 46.05 + Double(second) * 5.4e-5
      text += "<trkpt lat=\"\(latitude)\" lon=\"14.5\"><ele>120</ele><time>\(time)</time><speed>6</speed></trkpt>\n"
    }
    try (text + "</trkseg></trk></gpx>\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  // MARK: Requests

  /// The token that the panel created; `nil` if one was configured.
  var token: String? {
    (try? String(contentsOfFile: journal + ".panel-token", encoding: .utf8))?.trimmingCharacters(in: .newlines)
  }

  /// Sends a request with the token that the panel created, unless `headers` have a token or a cookie.
  /// - Parameter headers: if there is a body, the default of `Content-Type` is that of JSON.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:], isAnonymous: Bool = false
  ) async throws -> Response {
    let isOpen = isAnonymous || headers["Authorization"] != nil || headers["Cookie"] != nil
    return try await ask(
      method, "http://127.0.0.1:\(port)\(path)", body, token: isOpen ? nil : token, headers: headers)
  }

  /// Opens a link of `godwit login --panel` in a browser, which then has a session.
  func login(_ browser: Chromium) async throws {
    try await browser.login(["--panel", "--journal", journal])
    try await browser.wait("document.body.dataset.link === 'live'")
  }

  func get(_ path: String) async throws -> [String: Any] { try await send("GET", path).object }

  /// Returns the value of a setting that the panel reports.
  func setting(_ name: String) async throws -> String {
    let sections = try await get("/api/v1/settings")["sections"] as? [[String: Any]] ?? []
    let fields = sections.flatMap { $0["fields"] as? [[String: Any]] ?? [] }
    let field = try #require(fields.first { $0["name"] as? String == name })
    return "\(field["value"] ?? "")"
  }
}
