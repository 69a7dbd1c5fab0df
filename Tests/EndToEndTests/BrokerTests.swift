import Foundation
import GodwitServer
import GodwitStore
import TestBroker
import TestCluster
import TestParts
import Testing

/// Runs `godwit serve --mqtt` with a real broker, and kills the server under load.
@Suite(
  "A server connected to an MQTT broker", .enabled(if: TestPart.broker.isRun, "\(TestPart.broker.reason)"), .serialized,
  .timeLimit(.minutes(20)))
struct BrokerTests {
  private static let topic = "owntracks/jane/walker"
  private static let second = 1_795_163_400

  private func location(_ number: Int) -> String {
    #"{"_type":"location","lat":46.05,"lon":14.5,"tst":\#(Self.second + number),"acc":12,"batt":80,"conn":"m","tid":"wa"}"#
  }

  /// A long write transaction. No other commit succeeds until `release()`.
  private final class Lock: Sendable {
    private let store: any StoreDatabase
    private let gate = DispatchSemaphore(value: 0)
    private let end = DispatchSemaphore(value: 0)

    init(_ location: StoreLocation) async throws {
      store = try location.open()
      await withCheckedContinuation { continuation in
        store.write { [gate] db in
          _ = try db.run("UPDATE devices SET created = created", with: [])
          continuation.resume()
          gate.wait()
        } completion: { [end] _ in
          end.signal()
        }
      }
    }

    func release() {
      gate.signal()
      end.wait()
      store.close()
    }
  }

  private func acknowledged(_ broker: TestBroker) -> Int {
    broker.log.components(separatedBy: "Received PUBACK from godwit-").count - 1
  }
  private func sent(_ broker: TestBroker) -> Int { broker.log.components(separatedBy: "Sending PUBLISH to godwit-").count - 1 }

  /// Waits until the store has `count` points, and expects no more of them and none twice.
  private func expect(_ count: Int, _ server: RunningServer) async throws {
    try await server.background.wait("\(count) points") { try server.exported().count >= count ? true : nil }
    let times = try server.exported().map(\.time)
    #expect(times.count == count && Set(times).count == count)
  }

  @Test(
    "messages that were not committed before a kill are not acknowledged, and are stored once after redelivery",
    arguments: ["SQLite", "PostgreSQL"])
  func killedBeforeCommit(_ kind: String) async throws {
    let broker = try TestBroker()
    let database = kind == "SQLite" ? nil : try TestDatabase()
    let server = try await RunningServer(store: database?.address, more: ["--mqtt", "mqtt://127.0.0.1:\(broker.port)"])
    let location = try database.map { try StoreLocation($0.address) } ?? .folder(server.data)
    try broker.publish(self.location(0), to: Self.topic, retain: true)
    try await server.background.wait("the first acknowledgement") { acknowledged(broker) == 1 ? true : nil }
    for round in 1...3 {
      let before = (acknowledged(broker), sent(broker))
      let lock = try await Lock(location)
      try broker.publish((0..<30).map { self.location(round * 100 + $0) }, to: Self.topic, quality: round == 2 ? 2 : 1)
      // The broker sends at most 20 messages without an acknowledgement.
      try await server.background.wait("the messages to be sent") { sent(broker) >= before.1 + 20 ? true : nil }
      #expect(acknowledged(broker) == before.0)
      try await server.kill()
      #expect(acknowledged(broker) == before.0)
      lock.release()
      try broker.publish(self.location(round * 100 + 50), to: Self.topic)
      try await server.restart()
      try await expect(1 + round * 31, server)
      try await server.background.wait("all to be acknowledged") { acknowledged(broker) >= before.0 + 31 ? true : nil }
    }
    #expect(try await server.stop() == 0)
    #expect(server.background.errorOutput.contains("all records are stored"))
  }

  @Test("each message is stored once, although the server is killed repeatedly", arguments: ["SQLite", "PostgreSQL"])
  func killedUnderLoad(_ kind: String) async throws {
    let broker = try TestBroker(.anonymous, ["max_queued_messages 100000"])
    let database = kind == "SQLite" ? nil : try TestDatabase()
    let server = try await RunningServer(store: database?.address, more: ["--mqtt", "mqtt://127.0.0.1:\(broker.port)"])
    try await server.background.wait("the connection") { server.background.errorOutput.contains("MQTT: connected") ? true : nil }
    for round in 0..<5 {
      let before = acknowledged(broker)
      let messages = (0..<600).map { location(round * 600 + $0) }
      async let poured: Void = try broker.publish(messages, to: Self.topic)
      try await server.background.wait("40 more acknowledgements") { acknowledged(broker) >= before + 40 ? true : nil }
      try await server.killAndRestart()
      try await poured
    }
    try await expect(3000, server)
    #expect(try await server.stop() == 0)
  }

  @Test("the password is read from a file or from the environment, and is not logged")
  func password() async throws {
    let broker = try TestBroker(.login(user: "godwit", password: "sesame/@?1"))
    let folder = try TemporaryFolder()
    try "sesame/@?1\n".write(toFile: folder.path("password"), atomically: true, encoding: .utf8)
    try "another\n".write(toFile: folder.path("wrong"), atomically: true, encoding: .utf8)
    let url = "mqtt://godwit@127.0.0.1:\(broker.port)"
    for (arguments, environment, sign) in [
      (["--mqtt-password-file", folder.path("password")], [:], "MQTT: connected to \(url)"),
      ([], ["GODWIT_MQTT_PASSWORD": "sesame/@?1"], "MQTT: connected to \(url)"),
      (
        ["--mqtt-password-file", folder.path("wrong")], ["GODWIT_MQTT_PASSWORD": "sesame/@?1"],
        "the name or the password is wrong"
      ),
    ] as [([String], [String: String], String)] {
      let server = try Background(
        Executable.godwit, ["serve", "--listen", "127.0.0.1:0", "--data", folder.path("data"), "--mqtt", url] + arguments,
        in: folder,
        environment: environment)
      try await server.wait(sign) { server.errorOutput.contains(sign) ? true : nil }
      #expect(!server.errorOutput.contains("sesame") && !server.errorOutput.contains("another"))
      server.interrupt()
      #expect(try await server.waitForEnd() == 0)
    }
  }

  @Test(
    "invalid options are rejected, and no message contains the password",
    arguments: [
      (["--mqtt", "http://x"], "does not begin with mqtt://"), (["--mqtt", "mqtt://:SECRET@x"], "no user"),
      (["--mqtt", "mqtt://x", "--mqtt-topic", "owntracks/#"], "names no devices"), (["--mqtt-auto-create"], "need --mqtt"),
      (["--mqtt", "mqtt://u@x", "--mqtt-password-file", "/nowhere"], "/nowhere cannot be read"),
    ] as [([String], String)])
  func usage(_ arguments: [String], _ reason: String) throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(["serve", "--listen", "127.0.0.1:0", "--data", folder.path("data")] + arguments)
    #expect(
      result.status == 2 && result.errorOutput.contains(reason) && !result.errorOutput.contains("SECRET"), "\(result.errorOutput)"
    )
  }

  @Test("godwit device topics assigns topics, and shows pending messages")
  func topics() async throws {
    let broker = try TestBroker()
    let server = try await RunningServer(more: ["--mqtt", "mqtt://127.0.0.1:\(broker.port)"])
    func topics(_ arguments: String...) throws -> Executable.Result {
      try Executable.run(["device", "topics", "--data", server.data] + arguments)
    }
    #expect(try topics().errorOutput.contains("No topic is a device's yet"))
    try await server.background.wait("the connection") { server.background.errorOutput.contains("MQTT: connected") ? true : nil }
    try broker.publish([location(1), location(2)], to: "owntracks/jane/pixel")
    try await server.background.wait("the messages to be pending") {
      try topics().text.contains("2 messages are stored") ? true : nil
    }
    #expect(server.background.errorOutput.contains("owntracks/jane/pixel is unassigned"))
    let bound = try topics("walker", "--add", "owntracks/jane/pixel", "--json")
    let object = try #require(JSONSerialization.jsonObject(with: bound.output) as? [String: [[String: Any]]])
    #expect(
      object["topics"]?.first?["device"] as? String == "walker" && object["topics"]?.first?["source"] as? String == "manual")
    try await expect(2, server)
    let unbound = try topics("walker", "--remove", "owntracks/jane/pixel")
    #expect(unbound.status == 0 && unbound.errorOutput.contains("No topic is walker's yet"))
    #expect(try topics("walker", "--remove", "owntracks/jane/pixel").status == 1)
    #expect(try topics("missing").errorOutput.contains("No device is called \"missing\""))
    #expect(try topics("--add", "owntracks/a/b").status == 2)
    #expect(try topics("walker", "--add", "owntracks/a").errorOutput.contains("three parts"))
    #expect(try await server.stop() == 0)
  }
}
