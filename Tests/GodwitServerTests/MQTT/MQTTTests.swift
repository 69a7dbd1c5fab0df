import Foundation
import GodwitModel
import TestBroker
import TestClient
import TestParts
import Testing

@testable import GodwitIntake
@testable import GodwitServer
@testable import GodwitStore

private let second = AppMessage.second
private func location(_ time: Int = second, latitude: Double = 46, more: String = "") -> String {
  AppMessage.location(time, latitude: latitude, more: more)
}

@Suite(
  "OwnTracks over MQTT, with a broker", .enabled(if: TestPart.broker.isRun, "\(TestPart.broker.reason)"), .serialized,
  .timeLimit(.minutes(20)))
struct MQTTTests {
  // MARK: Received messages

  @Test("every kind of message has the same effect as over HTTP", arguments: RegionServer.Depth.sockets)
  func kinds(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth) { both in
      let base = "owntracks/jane/phone"
      let place = #"{"_type":"waypoint","desc":"Home","lat":46,"lon":14.5,"rad":100,"tst":\#(second),"rid":"r1"}"#
      let other = #"{"_type":"waypoint","desc":"Work","lat":46.1,"lon":14.6,"rad":150,"tst":\#(second + 1),"rid":"r2"}"#
      let messages = [
        ("", location(more: #","poi":"Bench","tag":"walk""#)), ("/waypoint", place),
        ("/waypoints", #"{"_type":"waypoints","_creator":"x","waypoints":[\#(place),\#(other)]}"#),
        (
          "/event",
          #"{"_type":"transition","event":"enter","desc":"Home","rid":"r1","lat":46,"lon":14.5,"acc":8,"tid":"ph","t":"c","tst":\#(second + 5),"wtst":\#(second)}"#
        ),
        ("/step", #"{"_type":"steps","tst":\#(second),"steps":1200,"from":\#(second - 60),"to":\#(second),"distance":800}"#),
        (
          "/beacon",
          #"{"_type":"beacon","desc":"Door","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":2,"tst":\#(second),"acc":1,"rssi":-60,"prox":1}"#
        ), ("/status", #"{"_type":"status","iOS":{"version":"18.1"}}"#),
        ("/dump", #"{"_type":"dump","configuration":{"_type":"configuration","password":"SECRET","mode":0}}"#),
        ("/info", #"{"_type":"card","name":"Jane","face":"iVBOR","tid":"jn"}"#), ("", #"{"_type":"lwt","tst":\#(second)}"#),
        // Commands for other devices and empty messages are ignored.
        ("/cmd", #"{"_type":"cmd","action":"dump"}"#), ("", ""),
      ]
      for (leaf, message) in messages { try both.broker.publish(message, to: base + leaf) }
      try await both.received(10)
      try await both.eventually("the last message") {
        let tracks = try both.server.tracks()
        return try tracks.events(device: 1, from: nil, to: nil).contains {
          if case .action(let a) = $0.kind { a.name == "lwt" } else { false }
        }
      }
      let point = try #require(try await both.points().first)
      #expect(
        point["poi"] as? String == "Bench" && point["device_id"] as? String == "jane/phone" && point["wifi"] as? String == "home")
      let events = try both.server.tracks().events(device: 1, from: nil, to: nil)
      let names = events.compactMap { if case .action(let action) = $0.kind { action.name } else { String?.none } }
      #expect(Set(names) == ["steps", "beacon", "lwt"])
      let entered = events.compactMap { if case .region(let event) = $0.kind { event.region.name } else { String?.none } }
      #expect(entered == ["Home"])
      #expect(Set(try await both.server.send("GET", "/api/regions").ids) == ["r1", "r2"])
      let reported = try await both.server.send("GET", "/api/v1/devices/phone/commands")
      let reports = try #require(reported.object["reports"] as? [String: [String: Any]])
      #expect(Set(reports.keys) == ["profile", "status", "configuration"] && !reported.text.contains("SECRET"))
      #expect(try await both.rejected().isEmpty)
    }
  }

  @Test(
    "messages of any QoS, at a broker of either version, are stored once",
    arguments: [0, 1, 2], ["3.1.1", "5"])
  func qualities(_ quality: Int, _ version: String) async throws {
    try await BrokerServer.with(version: version) { both in
      let messages = (0..<150).map { location(second + $0) }
      try both.broker.publish(messages, to: "owntracks/jane/phone", quality: quality)
      try await both.eventually("all points") { try await both.count() == 150 }
      #expect(try await both.state()["version"] as? String == version)
      #expect(try await both.metric("messages_received_total") == 150)
    }
  }

  @Test(
    "an invalid message is stored as rejected with its device, and the others are processed",
    arguments: RegionServer.Depth.sockets)
  func rejections(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth) { both in
      try both.broker.publish(["{no", #"{"_type":"location","lat":95,"lon":1,"tst":1}"#, location()], to: "owntracks/jane/phone")
      try await both.eventually("the point") { try await both.count() == 1 }
      let rejected = try await both.rejected()
      #expect(Set(rejected.compactMap { $0["raw"] as? String }) == ["{no", #"{"_type":"location","lat":95,"lon":1,"tst":1}"#])
      #expect(try await both.metric("messages_rejected_total") == 1)
      #expect(both.notes.contain("godwit rejected list phone"))
    }
  }

  @Test(
    "a retained message that the broker sends again creates no second point and is not a contact",
    arguments: RegionServer.Depth.sockets)
  func replays(_ depth: RegionServer.Depth) async throws {
    let broker = try TestBroker()
    // Before the server subscribes: retained messages that the store lacks are still stored.
    try broker.publish(location(), to: "owntracks/jane/phone", retain: true)
    try broker.publish("{no", to: "owntracks/jane/tablet", retain: true)
    try await BrokerServer.with(depth, devices: ["phone", "tablet"], broker: broker, version: "3.1.1") { both in
      try await both.eventually("the point and the rejected record") {
        let isRejected = try await both.rejected().count == 1
        return try await both.count() == 1 && isRejected
      }
      let contact = try both.server.tracks().devices().map(\.lastContact)
      // With version 3.1.1 the broker sends retained messages at every subscription.
      try broker.stop()
      try broker.start()
      try await both.received(4)
      try broker.publish(location(second + 1), to: "owntracks/jane/tablet")
      try await both.eventually("the point that was published afterwards") { try await both.count("tablet") == 1 }
      #expect(try await both.count() == 1)
      #expect(try await both.rejected().count == 1)
      let devices = try both.server.tracks().devices()
      #expect(devices.first?.lastContact == contact.first)
      #expect(devices.last?.lastContact != contact.last)
    }
  }

  @Test("private zones apply over MQTT as well", arguments: RegionServer.Depth.sockets)
  func zones(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth) { both in
      let zone = #"{"name":"Home","center":{"latitude":46,"longitude":14.5},"radius":300,"inside":"drop"}"#
      let made = try await both.server.send("POST", "/api/v1/zones", body: zone)
      #expect(made.status == 201, "\(made.text)")
      try both.broker.publish([location(), location(second + 60, latitude: 46.1)], to: "owntracks/jane/phone")
      try await both.eventually("the point outside") { try await both.count() == 1 }
      #expect(try both.server.tracks().allPoints(PointQuery(limit: 10)).map { $0.fix.coordinate.latitude } == [46.1])
    }
  }

  // MARK: Keys

  @Test("encrypted messages are decrypted, and messages to the app are encrypted", arguments: RegionServer.Depth.sockets)
  func sealed(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth) { both in
      let key = OwnTracksKey(passPhrase: "mysecret")
      func sealed(_ text: String) -> String {
        #"{"_type":"encrypted","data":"\#(Data(key.seal(Array(text.utf8))).base64EncodedString())"}"#
      }
      try both.broker.publish(sealed(location()), to: "owntracks/jane/phone")
      try await both.eventually("the rejected record") { try await both.rejected().count == 1 }
      #expect(both.notes.contain("owntracks/jane/phone: The message is encrypted, and the server has no key"))
      _ = try await both.server.send("PUT", "/api/v1/devices/phone/owntracks-key", body: #"{"key":"mysecret"}"#)
      try both.broker.publish(sealed(location(second + 1)), to: "owntracks/jane/phone")
      try await both.eventually("the point") { try await both.count() == 1 }
      let app = try both.broker.subscribe(to: "owntracks/jane/phone/cmd", as: "app")
      try await both.eventually("the app to subscribe") { both.broker.log.contains("Sending SUBACK to app") }
      _ = try await both.server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"reportLocation"}"#)
      try await both.eventually("the command") { !app.received.isEmpty }
      let text = try #require(app.received.first?.split(separator: " ", maxSplits: 1).last)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
      let data = try #require(object["data"])
      let box = try #require(Data(base64Encoded: data))
      let inside = try #require(key.open(Array(box)))
      #expect(String(decoding: inside, as: UTF8.self).contains("reportLocation"))
    }
  }

  // MARK: Published messages

  @Test("a command is published to its app, and is queued while the app is not connected", arguments: RegionServer.Depth.sockets)
  func commands(_ depth: RegionServer.Depth) async throws {
    try await BrokerServer.with(depth, devices: ["phone", "watch"]) { both in
      let all = try both.broker.subscribe(to: "owntracks/+/+/info", as: "all")
      try both.broker.publish(location(), to: "owntracks/jane/phone")
      try both.broker.publish(location(), to: "owntracks/jane/watch")
      for device in ["phone", "watch"] {
        _ = try await both.server.send("PUT", "/api/v1/devices/\(device)/friends", body: #"{"shares":true}"#)
      }
      try await both.eventually("both points") {
        let phone = try await both.count()
        return try await both.count("watch") + phone == 2
      }
      func sent() async throws -> [Bool] {
        let response = try await both.server.send("GET", "/api/v1/devices/phone/commands").object
        return (response["commands"] as? [[String: Any]] ?? []).map { $0["sent"] is String }
      }
      for action in ["reportLocation", "status"] {
        let made = try await both.server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"\#(action)"}"#)
        #expect(made.status == 201)
      }
      // The broker reports that the first command has no subscribers: the second one is not published.
      try await both.eventually("the broker's response") {
        both.broker.log.contains("'owntracks/jane/phone/cmd'")
      }
      try await both.eventually("both to be queued again") { try await sent() == [false, false] }
      let app = try both.broker.subscribe(to: "owntracks/jane/+/cmd", as: "app")
      try await both.eventually("the app to subscribe") { both.broker.log.contains("Sending SUBACK to app") }
      try both.broker.publish(location(second + 60), to: "owntracks/jane/phone")
      try await both.eventually("the commands") { app.received.count == 2 }
      #expect(
        app.received == ["reportLocation", "status"].map { #"owntracks/jane/phone/cmd {"_type":"cmd","action":"\#($0)"}"# })
      #expect(try await sent() == [true, true])
      // The broker queues commands for an app with a persistent session.
      app.stop()
      try await both.eventually("the app to disconnect") {
        both.broker.log.contains("Client app disconnected") || both.broker.log.contains("Client app closed")
      }
      _ = try await both.server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"dump"}"#)
      try await both.eventually("the command to be sent") { try await sent() == [true, true, true] }
      let again = try both.broker.subscribe(to: "owntracks/jane/+/cmd", as: "app")
      try await both.eventually("the command") { again.received.count == 1 }
      #expect(again.received.first?.contains("dump") == true)
      #expect(all.received.isEmpty)
      let log = both.broker.log.split(separator: "\n")
      let ours = log.filter { $0.contains("Received PUBLISH from godwit-") }
      #expect(!ours.isEmpty && ours.allSatisfy { $0.contains("'owntracks/jane/phone/cmd'") })
    }
  }

  @Test("an app gets its regions on its own topic")
  func regions() async throws {
    try await BrokerServer.with { both in
      let app = try both.broker.subscribe(to: "owntracks/+/+/cmd", as: "app")
      try await both.eventually("the app to subscribe") { both.broker.log.contains("Sending SUBACK to app") }
      try await both.server.save(circle("home", tags: ["device:phone"]))
      try both.broker.publish(location(), to: "owntracks/jane/phone")
      try await both.eventually("the region") { app.received.contains { $0.contains("setWaypoints") } }
      #expect(app.received.allSatisfy { $0.hasPrefix("owntracks/jane/phone/cmd ") })
    }
  }

  @Test("a message that is too large for the broker is dropped, and later messages are published")
  func tooLarge() async throws {
    try await BrokerServer.with(broker: TestBroker(.anonymous, ["max_packet_size 400"])) { both in
      let app = try both.broker.subscribe(to: "owntracks/+/+/cmd", as: "app")
      try await both.eventually("the app to subscribe") { both.broker.log.contains("Sending SUBACK to app") }
      for number in 0..<9 { try await both.server.save(circle("a-region-with-a-long-name-\(number)", tags: ["device:phone"])) }
      try both.broker.publish(location(), to: "owntracks/jane/phone")
      try await both.eventually("the log line") { both.notes.contain("does not accept messages of this size") }
      let made = try await both.server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"status"}"#)
      #expect(made.status == 201)
      try both.broker.publish(location(second + 60), to: "owntracks/jane/phone")
      try await both.eventually("the command") { app.received.contains { $0.contains("status") } }
      #expect(try await both.metric("reconnects_total") == 0)
    }
  }

  // MARK: Connections

  @Test(
    "after an outage of the broker the connection returns, and messages from the outage are stored once",
    arguments: ["3.1.1", "5"])
  func restartedBroker(_ version: String) async throws {
    try await BrokerServer.with(version: version) { both in
      for round in 0..<3 {
        try both.broker.publish((0..<20).map { location(second + round * 100 + $0) }, to: "owntracks/jane/phone")
        try both.broker.stop()
        try both.broker.start()
        // The broker queues messages in the persistent session of the server.
        try both.broker.publish((20..<40).map { location(second + round * 100 + $0) }, to: "owntracks/jane/phone")
        try await both.eventually("all points") { try await both.count() == (round + 1) * 40 }
      }
      #expect(try await both.metric("reconnects_total") == 3)
      #expect(try await both.metric("connected") == 1)
      #expect(both.notes.all.filter { $0.contains("connected to mqtt://127.0.0.1") }.count == 4)
    }
  }

  @Test("a wrong password is reported without the password", arguments: ["3.1.1", "5"])
  func wrongPassword(_ version: String) async throws {
    let broker = try TestBroker(.login(user: "godwit", password: "right/@1"))
    let notes = Notes()
    var address = try BrokerAddress("mqtt://godwit:wrong-one@localhost:\(broker.port)?version=\(version)")
    try await RegionServer.with(.overASocket, mqtt: MQTTConfiguration(broker: address) { notes.add($0) }) { server in
      let both = BrokerServer(server: server, broker: broker, notes: notes)
      try await both.eventually("the log message") { notes.contain("the name or the password is wrong") }
      #expect(notes.contain("mqtt://godwit@localhost:\(broker.port) rejects the user \"godwit\""), "\(notes.all)")
      let state = try await both.state()
      #expect(["waiting", "connecting"].contains(state["state"] as? String) && state["problem"] is String)
      let output = notes.all.joined() + (try await server.send("GET", "/api/v1/mqtt").text)
      #expect(!output.contains("wrong-one"))
    }
    address.password = "right/@1"
    try await RegionServer.with(.overASocket, mqtt: MQTTConfiguration(broker: address) { notes.add($0) }) { server in
      let both = BrokerServer(server: server, broker: broker, notes: notes)
      try broker.publish(location(), to: "owntracks/jane/phone", retain: true)
      try await both.eventually("the point") { try await both.count() == 1 }
    }
  }

  @Test("the documented ACL of the broker is sufficient, and phones can use their own topics only")
  func rights() async throws {
    let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../../Documentation/Clients.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let lines = text.components(separatedBy: "    # /etc/mosquitto/acl").last?.components(separatedBy: "\n").dropFirst()
      .prefix { $0.isEmpty || $0.hasPrefix("    ") }.map { $0.trimmingCharacters(in: .whitespaces) }
    let rights = try #require(lines)
    #expect(rights.first == "user godwit" && rights.contains { $0.hasPrefix("pattern ") })
    let broker = try TestBroker(
      .login(user: "jane", password: "a", others: ["godwit": "b"]), rights: rights.joined(separator: "\n") + "\n")
    let notes = Notes()
    let address = try BrokerAddress("mqtt://godwit:b@127.0.0.1:\(broker.port)")
    try await RegionServer.with(.overASocket, mqtt: MQTTConfiguration(broker: address) { notes.add($0) }) { server in
      let both = BrokerServer(server: server, broker: broker, notes: notes)
      try await both.eventually("the server to subscribe") { broker.log.contains("Sending SUBACK to godwit-") }
      let app = try broker.subscribe(to: "owntracks/jane/phone/cmd", as: "app")
      try await both.eventually("the app to subscribe") { broker.log.contains("Sending SUBACK to app") }
      try broker.publish(location(), to: "owntracks/bob/phone")
      try broker.publish(location(second + 1), to: "owntracks/jane/phone")
      try await both.eventually("the point") { try await both.count() == 1 }
      #expect(try await both.metric("messages_received_total") == 1)
      _ = try await server.send("POST", "/api/v1/devices/phone/commands", body: #"{"action":"reportLocation"}"#)
      try await both.eventually("the command") { app.received.count == 1 }
    }
  }

  @Test("TLS: the broker's certificate is verified, and a client certificate is sent", arguments: [false, true])
  func tls(_ needsCertificate: Bool) async throws {
    let authority = try TestAuthority()
    let broker = try TestBroker(.secure(authority, needsCertificate: needsCertificate))
    var query = "?ca=\(authority.certificate)"
    if needsCertificate { query += "&cert=\(authority.path("client.crt"))&key=\(authority.path("client.key"))" }
    try broker.publish(location(), to: "owntracks/jane/phone", retain: true)
    let notes = Notes()
    let address = try BrokerAddress("mqtts://localhost:\(broker.port)\(query)")
    try await RegionServer.with(.overASocket, mqtt: MQTTConfiguration(broker: address) { notes.add($0) }) { server in
      let both = BrokerServer(server: server, broker: broker, notes: notes)
      try await both.eventually("the point") { try await both.count() == 1 }
    }
  }

  @Test("an invalid certificate of the broker is rejected with the reason")
  func wrongAuthority() async throws {
    let (authority, other) = (try TestAuthority(), try TestAuthority())
    let broker = try TestBroker(.secure(authority, needsCertificate: false))
    // Unknown authorities, another host name, and a missing CA file.
    for (address, reason) in [
      ("mqtts://localhost:\(broker.port)?ca=\(other.certificate)", "certificate verify failed"),
      ("mqtts://localhost:\(broker.port)", "certificate verify failed"),
      ("mqtts://127.0.0.1:\(broker.port)?ca=\(authority.certificate)", "TLS with the broker"),
      ("mqtts://localhost:\(broker.port)?ca=/nowhere.crt", "/nowhere.crt cannot be read"),
    ] {
      let notes = Notes()
      let configuration = MQTTConfiguration(broker: try BrokerAddress(address)) { notes.add($0) }
      try await RegionServer.with(.overASocket, mqtt: configuration) { server in
        let both = BrokerServer(server: server, broker: broker, notes: notes)
        try await both.eventually("\(address): \(reason)") { notes.contain(reason) }
        #expect(!broker.log.contains("New client connected"))
      }
    }
  }
}
