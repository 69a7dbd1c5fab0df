import Foundation
import GodwitModel
import Synchronization
import TestBroker
import TestClient
import Testing

@testable import GodwitIntake
@testable import GodwitServer

/// Collects the log messages of a server.
final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
  func contain(_ part: String) -> Bool { all.contains { $0.contains(part) } }
}

/// A server that is connected to a broker.
struct BrokerServer {
  let server: RegionServer
  let broker: TestBroker
  let notes: Notes

  /// Runs `body` with a server that has subscribed at the broker, then closes the server.
  static func with(
    _ depth: RegionServer.Depth = .overASocket, devices: [String] = ["phone"], broker: TestBroker? = nil, version: String? = nil,
    makesDevices: Bool = false, _ body: (BrokerServer) async throws -> Void
  ) async throws {
    let broker = try broker ?? TestBroker()
    let notes = Notes()
    let more = version.map { "?version=\($0)" } ?? ""
    var configuration = MQTTConfiguration(broker: try BrokerAddress("mqtt://127.0.0.1:\(broker.port)\(more)")) { notes.add($0) }
    configuration.makesDevices = makesDevices
    try await RegionServer.with(depth, devices: devices, mqtt: configuration) { server in
      let both = BrokerServer(server: server, broker: broker, notes: notes)
      try await both.eventually("the server to subscribe") { broker.log.contains("Sending SUBACK to godwit-") }
      try await body(both)
    }
  }

  /// Waits until a condition is true.
  func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let end = Date().addingTimeInterval(240)
    while try await !condition() {
      guard Date() < end else { throw Timeout(what: what, notes: notes.all, log: String(broker.log.suffix(2000))) }
      try await Task.sleep(for: .milliseconds(50))  // sleeps: the broker is another process, whose state can only be polled
    }
  }

  struct Timeout: Error, CustomStringConvertible {
    var what: String
    var notes: [String]
    var log: String
    var description: String { "Timed out waiting for \(what). Log of the server: \(notes). Log of the broker: \(log)" }
  }

  /// The properties of a device's points, oldest first.
  func points(_ device: String = "phone") async throws -> [[String: Any]] {
    let response = try await server.send("GET", "/api/v1/points", ["device": device, "limit": "10000"])
    let features = response.object["features"] as? [[String: Any]] ?? []
    return features.compactMap { $0["properties"] as? [String: Any] }
  }

  func count(_ device: String = "phone") async throws -> Int { try await points(device).count }

  func state() async throws -> [String: Any] { try await server.send("GET", "/api/v1/mqtt").object }

  /// A counter of `/metrics`.
  func metric(_ name: String) async throws -> Int? {
    let lines = try await server.send("GET", "/metrics").text.split(separator: "\n")
    return lines.first { $0.hasPrefix("godwit_mqtt_\(name) ") }.flatMap { Int($0.split(separator: " ").last ?? "") }
  }

  func rejected() async throws -> [[String: Any]] {
    try await server.send("GET", "/api/v1/rejected").object["rejected"] as? [[String: Any]] ?? []
  }

  /// Waits until the server has received `count` messages from the broker.
  func received(_ count: Int) async throws {
    try await eventually("\(count) messages") { try await (metric("messages_received_total") ?? 0) >= count }
  }
}

/// MQTT messages of the apps.
enum AppMessage {
  static let second = 1_795_163_400

  static func location(_ time: Int = second, latitude: Double = 46, more: String = "") -> String {
    #"{"_type":"location","BSSID":"b8:27:eb:0:0:1","SSID":"home","acc":12,"alt":330,"batt":81,"bs":1,"conn":"w","created_at":\#(time),"lat":\#(latitude),"lon":14.5,"m":1,"t":"t","tid":"ph","tst":\#(time),"vac":3,"vel":4\#(more)}"#
  }
}
