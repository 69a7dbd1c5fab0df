import Foundation
import GodwitModel
import TestClient
import TestCluster
import Testing

/// A tracker with a panel, as a user starts it: a ride that begins now, and a panel on a free port.
final class RunningPanel {
  let folder: TemporaryFolder
  let journal: String
  private let source: String
  private let endpoint: [String]
  private let options: [String]
  private(set) var background: Background
  private(set) var port: UInt16 = 0

  /// - Parameters:
  ///   - listen: where the panel is; `nil`: on a port that it gets again after an end.
  ///   - server: where records go; `nil`: to where nobody is.
  ///   - options: further options.
  ///   - environment: of the tracker.
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
      background.said.firstMatch(of: #/The panel: http://[^\s/]*:(\d+)//#).flatMap { UInt16($0.1) }
    }
  }

  var address: String { "http://127.0.0.1:\(port)/" }

  func stop() async throws {
    background.interrupt()
    #expect(try await background.waitForEnd() == 0, "\(background.said)")
  }

  /// Starts it again where it was.
  func start() async throws {
    background = try Self.start(source, journal, endpoint, "127.0.0.1:\(port)", options, folder, [:])
    port = try await listening()
  }

  /// Ten minutes through Ljubljana at six metres a second, a fix a second, from a moment ago on: a trip that is
  /// started takes fixes that were measured after its start.
  private static func writeRide(to path: String) throws {
    var text = "<gpx version=\"1.0\" creator=\"test\" xmlns=\"http://www.topografix.com/GPX/1/0\"><trk><trkseg>\n"
    let start = Date().addingTimeInterval(1)
    for second in 0..<600 {
      let time = RFC3339.string(start.addingTimeInterval(Double(second)))
      let latitude = 46.05 + Double(second) * 5.4e-5
      text += "<trkpt lat=\"\(latitude)\" lon=\"14.5\"><time>\(time)</time><speed>6</speed></trkpt>\n"
    }
    try (text + "</trkseg></trk></gpx>\n").write(toFile: path, atomically: true, encoding: .utf8)
  }

  // MARK: Asking

  /// - Parameter headers: `Content-Type` is JSON's where there is a body, unless they say otherwise.
  func send(
    _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
  ) async throws -> Answer {
    try await ask(method, "http://127.0.0.1:\(port)\(path)", body, headers: headers)
  }

  func get(_ path: String) async throws -> [String: Any] { try await send("GET", path).object }

  /// A setting's value, as the panel tells it.
  func setting(_ name: String) async throws -> String {
    let sections = try await get("/api/settings")["sections"] as? [[String: Any]] ?? []
    let fields = sections.flatMap { $0["fields"] as? [[String: Any]] ?? [] }
    let field = try #require(fields.first { $0["name"] as? String == name })
    return "\(field["value"] ?? "")"
  }
}
