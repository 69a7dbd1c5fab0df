import Foundation
import GodwitModel
import TestBroker
import TestClient
import TestParts
import Testing

@testable import GodwitAccounts
@testable import GodwitIntake
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

private let second = AppMessage.second
private func location(_ time: Int = second) -> String { AppMessage.location(time) }

@Suite("MQTT topics and broker addresses")
struct MQTTTextTests {
  @Test(
    "a topic is parsed from its end",
    arguments: [
      ("owntracks/+/+", "owntracks/jane/phone", "owntracks/jane/phone|jane|phone|"),
      ("owntracks/+/+", "owntracks/jane/phone/event", "owntracks/jane/phone|jane|phone|event"),
      ("/owntracks/+/+", "/owntracks/jane/phone/cmd", "/owntracks/jane/phone|jane|phone|cmd"),
      ("home/owntracks/+/+", "home/owntracks/jane/phone", "home/owntracks/jane/phone|jane|phone|"),
      ("owntracks/jane/phone", "owntracks/jane/phone", "owntracks/jane/phone|jane|phone|"),
      ("owntracks/+/+", "owntracks/jane", nil), ("owntracks/+/+", "/owntracks/jane/phone", nil),
      ("owntracks/+/+", "owntracks//phone", nil), ("owntracks/jane/+", "owntracks/bob/phone", nil),
      ("owntracks/+/+", "owntracks/a/b/c/d", nil),
    ] as [(String, String, String?)])
  func topics(_ filter: String, _ topic: String, _ expected: String?) throws {
    let found = try #require(MQTTTopicFilter(filter)).match(topic)
    #expect(found.map { "\($0.base)|\($0.user)|\($0.device)|\($0.leaf ?? "")" } == expected)
  }

  @Test(
    "a filter that does not identify devices is rejected",
    arguments: ["", "owntracks", "owntracks/+", "/owntracks/+", "owntracks/#", "owntracks/+/a+", "owntracks//+", "$SYS/+/+"])
  func filters(_ text: String) { #expect(MQTTTopicFilter(text) == nil) }

  @Test(
    "an address is parsed, and shown without its password",
    arguments: [
      ("mqtt://broker", "mqtt://broker:1883"), ("mqtts://broker", "mqtts://broker:8883"),
      ("mqtt://jane:p%40ss@broker:1884", "mqtt://jane@broker:1884"), ("MQTT://[::1]", "mqtt://[::1]:1883"),
      ("mqtts://b?ca=/a&cert=/c&key=/k&version=3.1.1", "mqtts://b:8883"),
    ])
  func addresses(_ text: String, _ shown: String) throws { #expect(try BrokerAddress(text).description == shown) }

  @Test(
    "an invalid address is an error with the reason, without its password",
    arguments: [
      ("broker:1883", "does not begin with mqtt://"), ("http://broker", "does not begin with"), ("mqtt://", "has no host"),
      ("mqtt://b/owntracks", "has no path"), ("mqtt://b?ca=/x", "begin with mqtts://"), ("mqtts://b?cert=/x", "belong together"),
      ("mqtts://b?cert=/x&key=/y", "need ca"),
      ("mqtt://b?version=4", "version=4 is unknown"), ("mqtt://b?qos=2", "qos is unknown"), ("mqtt://:SECRET@b", "no user"),
      ("mqtt://b:70000", "not a port"),
    ])
  func wrongAddresses(_ text: String, _ reason: String) throws {
    let error = try #require(throws: BrokerAddressError.self) { try BrokerAddress(text) }
    #expect(error.description.contains(reason) && !error.description.contains("SECRET"), "\(error)")
  }
}

@Suite(
  "Assignment of MQTT topics to devices", .enabled(if: TestPart.broker.isRun, "\(TestPart.broker.reason)"), .serialized,
  .timeLimit(.minutes(20)))
struct MQTTTopicTests {
  @Test(
    "a topic is assigned to the device with its name, USER-DEVICE before DEVICE, and stays assigned",
    arguments: RegionServer.Depth.sockets)
  func names(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth, devices: ["phone", "jane-phone", "Bobs"]) { both in
      try both.broker.publish(location(), to: "owntracks/jane/phone")
      try both.broker.publish(location(), to: "owntracks/bob/phone")
      // The device "phone" already has a topic.
      try both.broker.publish(location(), to: "owntracks/eve/phone")
      try both.broker.publish(location(), to: "/owntracks/x/bobs")
      try await both.received(4)
      try await both.eventually("all bindings") { try await (both.state()["topics"] as? [Any])?.count == 3 }
      try await both.eventually("all points") {
        var counts: [Int] = []
        for device in ["phone", "jane-phone", "Bobs"] { counts.append(try await both.count(device)) }
        return counts == [1, 1, 1]
      }
      let topics = try await both.state()["topics"] as? [[String: Any]] ?? []
      #expect(
        topics.map { "\($0["topic"] ?? "") \($0["device"] ?? "") \($0["source"] ?? "")" } == [
          "/owntracks/x/bobs Bobs name", "owntracks/bob/phone phone name", "owntracks/jane/phone jane-phone name",
        ])
      try await both.eventually("the unassigned topic") { try await (both.state()["waiting"] as? [Any])?.count == 1 }
      #expect(
        both.notes.contain(
          "owntracks/eve/phone is unassigned. Its messages are stored until it is assigned: godwit device "
            + "add eve-phone"))
    }
  }

  @Test(
    "messages received before the assignment of their topic are processed in order after it",
    arguments: RegionServer.Depth.sockets)
  func waiting(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth, devices: ["pixel"]) { both in
      let base = "owntracks/jane/phone"
      try both.broker.publish((0..<300).map { location(second + $0) }, to: base)
      try both.broker.publish(
        #"{"_type":"waypoint","desc":"Home","lat":46,"lon":14.5,"rad":100,"tst":1,"rid":"r1"}"#, to: base + "/waypoint")
      // A repeated message, and a message of another unassigned topic.
      try both.broker.publish(location(), to: base)
      try both.broker.publish(location(1), to: "owntracks/mallory/x")
      try await both.received(303)
      func unassignedTopics() async throws -> [String: Int] {
        let list = try await both.state()["waiting"] as? [[String: Any]] ?? []
        return Dictionary(uniqueKeysWithValues: list.map { ($0["topic"] as? String ?? "", $0["messages"] as? Int ?? 0) })
      }
      try await both.eventually("all messages") { try await unassignedTopics() == [base: 301, "owntracks/mallory/x": 1] }
      let wrong = try await both.server.send("PUT", "/api/v1/devices/pixel/mqtt-topics", body: #"{"topic":"owntracks/jane"}"#)
      #expect(wrong.status == 422 && wrong.text.contains("three parts"))
      let bound = try await both.server.send("PUT", "/api/v1/devices/pixel/mqtt-topics", body: #"{"topic":"\#(base)"}"#)
      #expect(bound.status == 200 && bound.text.contains(#""source":"manual""#), "\(bound.text)")
      try await both.eventually("all points") { try await both.count("pixel") == 300 }
      try await both.eventually("the messages to be processed") { try await unassignedTopics() == ["owntracks/mallory/x": 1] }
      #expect(try await both.server.send("GET", "/api/regions").ids == ["r1"])
      let deleted = try await both.server.send("DELETE", "/api/v1/mqtt/unassigned-topics", ["topic": "owntracks/mallory/x"])
      #expect(deleted.object["forgotten"] as? Int == 1)
      #expect(try await unassignedTopics().isEmpty)
      // The topic becomes unassigned again.
      let missing = try await both.server.send("DELETE", "/api/v1/devices/pixel/mqtt-topics", ["topic": "owntracks/a/b"])
      #expect(missing.status == 404)
      let unbound = try await both.server.send("DELETE", "/api/v1/devices/pixel/mqtt-topics")
      #expect(unbound.text.contains(#"{"topics":[]}"#))
      try await both.eventually("the message to be stored") {
        try both.broker.publish(location(second + 900), to: base)
        return try await unassignedTopics()[base] == 1
      }
    }
  }

  @Test("a device that is created later with the topic's name gets the stored messages")
  func addedLater() async throws {
    try await BrokerServer.with { both in
      try both.broker.publish(location(), to: "owntracks/anna/tablet")
      try await both.eventually("the unassigned topic") { try await (both.state()["waiting"] as? [Any])?.count == 1 }
      // The command creates a device while the server runs.
      _ = try both.server.tracks().addDevice(named: "tablet", tokenHash: AccessToken().hash, at: Date())
      try await both.eventually("the point") { try await both.count("tablet") == 1 }
    }
  }

  @Test("with auto-creation a device is created for each topic", arguments: RegionServer.Depth.sockets)
  func made(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth, devices: [], makesDevices: true) { both in
      try both.broker.publish(location(), to: "owntracks/jane/phone")
      try both.broker.publish(location(), to: "owntracks/b o b/!!")
      try await both.eventually("both points") {
        let first = try await both.count("jane-phone")
        return try await both.count("b-o-b") + first == 2
      }
      // The devices have no tokens.
      #expect(try both.server.tracks().devices().map(\.tokens) == [0, 0])
    }
  }

  @Test("with users, a topic is assigned to a device of the user in the topic", arguments: RegionServer.Depth.sockets)
  func users(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth, devices: ["phone", "tablet", "bob-watch"], makesDevices: true) { both in
      let store = try both.server.tracks()
      let made = try await store.write { try UserTable.add("Jane", .admin, password: "x", at: Date(), $0) }
      let jane = try #require(made)
      let phone = try #require(try store.device(named: "phone"))
      try await store.write { try DeviceOwners.set(jane.id, of: phone.id, $0) }
      for topic in ["owntracks/bob/phone", "owntracks/jane/phone", "owntracks/bob/tablet", "owntracks/bob/watch"] {
        try both.broker.publish(location(), to: topic)
      }
      try await both.eventually("all points") { try store.devices().reduce(0) { $0 + $1.points } == 4 }
      let bindings = try store.read { try MQTTTables.bindings($0) }
      #expect(
        bindings.map { "\($0.topic) \($0.device.name)" } == [
          "owntracks/bob/phone bob-phone", "owntracks/bob/tablet bob-tablet", "owntracks/bob/watch bob-watch",
          "owntracks/jane/phone phone",
        ])
    }
  }

  @Test("a command is not published to a topic that was assigned to another device after the last message of its device")
  func reassigned() async throws {
    try await BrokerServer.with(devices: ["phone", "watch"]) { both in
      let app = try both.broker.subscribe(to: "owntracks/+/+/cmd", as: "app")
      try await both.eventually("the app to subscribe") { both.broker.log.contains("Sending SUBACK to app") }
      try both.broker.publish(location(), to: "owntracks/jane/phone")
      try await both.eventually("the point") { try await both.count() == 1 }
      let store = try both.server.tracks()
      let (phone, watch) = (try #require(try store.device(named: "phone")), try #require(try store.device(named: "watch")))
      try await store.write { db in
        try MQTTTables.bind("owntracks/jane/phone", to: watch.id, .manual, at: Date(), db)
        try MQTTTables.bind("owntracks/jane/new", to: phone.id, .manual, at: Date(), db)
      }
      let body = #"{"action":"reportLocation"}"#
      let made = try await both.server.send("POST", "/api/v1/devices/phone/commands", body: body)
      #expect(made.status == 201)
      try await both.eventually("the command") { app.received.count == 1 }
      #expect(app.received.first?.hasPrefix("owntracks/jane/new/cmd ") == true)
    }
  }
}

@Suite("MQTT topics and messages in the store")
struct MQTTTablesTests {
  @Test("the limit of stored messages counts messages, not ids", arguments: StoreKind.tested)
  func limit(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let topic = try #require(MQTTTopicFilter("owntracks/+/+")?.match("owntracks/jane/phone"))
      try server.server.store.writeAndWait { db in
        try MQTTTables.store([(topic, Array("first".utf8))], at: Date(), db)
        // On PostgreSQL repeated messages consume ids.
        try db.run("UPDATE mqtt_unassigned SET id = id - ?", 2 * MQTTTables.maximumWaiting)
        try MQTTTables.store([(topic, Array("second".utf8))], at: Date(), db)
      }
      let stored = try server.server.store.read { try MQTTTables.waiting(of: topic.base, limit: 10, $0) }
      #expect(stored.map { String(decoding: $0.body, as: UTF8.self) } == ["first", "second"])
    }
  }

  @Test("a device whose name has non-ASCII capitals is found by its exact name", arguments: StoreKind.tested)
  func capitals(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      _ = try await server.device("Älter", of: nil)
      let topic = try #require(MQTTTopicFilter("owntracks/+/+")?.match("owntracks/jane/Älter"))
      let found = try server.server.store.writeAndWait { try MQTTTables.claim(topic, makesDevices: false, at: Date(), $0) }
      #expect(found?.name == "Älter")
    }
  }
}
