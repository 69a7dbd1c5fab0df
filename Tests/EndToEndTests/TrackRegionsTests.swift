import Foundation
import GodwitModel
import TestClient
import TestParts
import Testing

#if os(Linux)
  import GodwitDBus
  import TestBus

  @Suite("Regions of the tracker on Linux, with the real executable", .serialized)
  struct TrackRegionsTests {
    /// Returns the region events of the server, the oldest first: type, region, time and source.
    private func events(_ server: RunningServer) async throws -> [[String]] {
      let response = try await ask(
        "GET", "http://127.0.0.1:\(server.port)/api/v1/region-events", token: server.administratorToken)
      #expect(response.status == 200)
      let nodes = try #require(response.object["events"] as? [[String: Any]])
      return nodes.map { node in
        let region = (node["region"] as? [String: Any])?["id"]
        return [node["type"], region, node["time"], node["source"]].map { $0 as? String ?? "" }
      }.reversed()
    }

    private func add(_ server: RunningServer, _ arguments: String...) throws {
      let added = try Executable.run(["regions", "add"] + arguments + ["--data", server.data])
      #expect(added.status == 0, "\(added.errorOutput)")
    }

    private func track(_ server: RunningServer, _ more: [String]) -> [String] {
      [
        "track", "--endpoint", server.endpoint, "--token", server.token, "--journal", server.folder.path("journal"),
      ] + more
    }

    @Test(
      "a replayed walk enters a geofence, stays and leaves: each event is reported once, at its time in the file, despite a kill",
      .timeLimit(.minutes(20)), .enabled(if: TestPart.openssl.isRun, "\(TestPart.openssl.reason)"))
    func replayed() async throws {
      let server = try await RunningServer()
      let walk = try Walk.points().sorted { $0.time < $1.time }
      let middle = walk[walk.count / 2]
      let center = try #require(Coordinate(latitude: middle.latitude, longitude: middle.longitude))
      let crossings = Walk.crossings(of: walk, center)
      let entered = try #require(crossings.first?.split(separator: " ").last.flatMap { RFC3339.date(String($0)) })
      let circle = "\(middle.latitude),\(middle.longitude),100"
      try add(server, "bend", "--circle", circle, "--name", "Bend", "--dwell", "60", "--tag", "walks")
      try add(server, "other", "--circle", circle, "--tag", "shops")
      let box = try WebhookSink { _ in 200 }
      let made = try await ask(
        "POST", "http://127.0.0.1:\(server.port)/api/v1/webhooks", #"{"url":"http://127.0.0.1:\#(box.port)/hook"}"#,
        token: server.administratorToken)
      let secret = try #require(made.object["secret"] as? String)

      // The first run is killed inside the geofence. Its file ends there, so the result does not depend on the speed of the machine.
      let beginning = server.folder.path("beginning.gpx")
      try Walk.write(walk.filter { $0.time <= entered.addingTimeInterval(30) }, to: beginning)
      let walking = ["--source", Walk.file.path, "--region-tag", "walks"]
      let first = try Background(
        Executable.godwit, track(server, ["--source", beginning, "--speed", "max", "--region-tag", "walks"]), in: server.folder)
      try await first.wait("the entry") { first.errorOutput.contains("entered Bend") ? true : nil }
      first.kill()
      _ = try await first.waitForEnd()
      #expect(!first.errorOutput.contains("left Bend"))
      let second = try Executable.run(track(server, walking + ["--speed", "max", "--until-sent"]))
      #expect(second.status == 0, "\(second.errorOutput)")
      #expect(second.errorOutput.contains("left Bend") && !second.errorOutput.contains("other"), "\(second.errorOutput)")
      // A third run reports no event again.
      let third = try Executable.run(track(server, walking + ["--speed", "max", "--until-sent"]))
      #expect(third.status == 0 && !third.errorOutput.contains("Bend"), "\(third.errorOutput)")

      var expected = crossings.map { $0.split(separator: " ").map(String.init) }
      expected.insert(["geofence.dwelled", RFC3339.string(entered.addingTimeInterval(60))], at: 1)
      #expect(try await events(server) == expected.map { [$0[0], "bend", $0[1], "device"] })
      try await server.background.wait("the deliveries") { box.accepted.count >= expected.count ? true : nil }
      #expect(try await server.stop() == 0)
      let deliveries = box.deliveries
      #expect(deliveries.map { [$0.object["type"], $0.object["time"]].map { $0 as? String } } == expected)
      #expect(Set(deliveries.map(\.event)).count == expected.count)
      for delivery in deliveries { #expect(try delivery.isSigned(with: secret, in: server.folder)) }
      await box.stop()
    }

    @Test("regions are synced before a file is read, also if tracking was on before", .timeLimit(.minutes(20)))
    func copiedFirst() async throws {
      let server = try await RunningServer()
      let walk = try Walk.points().sorted { $0.time < $1.time }
      let middle = walk[walk.count / 2]
      try add(server, "bend", "--circle", "\(middle.latitude),\(middle.longitude),100", "--tag", "walks")
      let beginning = server.folder.path("beginning.gpx")
      try Walk.write(walk.prefix(10), to: beginning)
      // After this run the journal has tracking turned on, and no regions.
      #expect(try Executable.run(track(server, ["--source", beginning, "--speed", "max", "--until-sent"])).status == 0)
      let second = try Executable.run(
        track(server, ["--source", Walk.file.path, "--speed", "max", "--region-tag", "walks", "--until-sent"]))
      #expect(second.errorOutput.contains("entered bend") && second.errorOutput.contains("left bend"), "\(second.errorOutput)")
      #expect(try await server.stop() == 0)
    }

    @Test("a tracker's configuration file has the effect of the options", .timeLimit(.minutes(20)))
    func file() async throws {
      let server = try await RunningServer()
      let walk = try Walk.points()
      let circle = "\(walk[0].latitude),\(walk[0].longitude),500"
      try add(server, "start", "--circle", circle, "--tag", "walks")
      try add(server, "shop", "--circle", circle, "--tag", "walks", "--tag", "shops")
      func run(_ regions: String, _ more: String...) throws -> Executable.Result {
        let file = server.folder.path("tracker.json")
        let endpoint = #"{"url": "\#(server.endpoint)", "token": "\#(server.token)", "format": "overland-app"}"#
        try #"{"endpoints": [\#(endpoint)], "regions": \#(regions)}"#.write(toFile: file, atomically: true, encoding: .utf8)
        return try Executable.run(
          [
            "track", "--source", Walk.file.path, "--speed", "max", "--until-sent", "--tracker-file", file,
            "--journal", server.folder.path(UUID().uuidString),
          ] + more)
      }
      for regions in [#"{"tags": ["walks"], "without": ["shops"]}"#, #"{"server": "\#(server.endpoint)", "without": ["shops"]}"#]
      {
        let found = try run(regions)
        #expect(
          found.status == 0 && found.errorOutput.contains("entered start") && !found.errorOutput.contains("shop"),
          "\(found.errorOutput)")
      }
      #expect(try run("true").errorOutput.contains("entered shop"))
      #expect(try !run("false").errorOutput.contains("entered"))
      #expect(try run("false", "--regions", "--without-region-tag", "shops").errorOutput.contains("entered start"))
      let rejected = try run(#"{"tag": "walks"}"#)
      #expect(rejected.status != 0)
      #expect(rejected.errorOutput.contains(#"regions: "tag" is unknown; expected server, token"#), "\(rejected.errorOutput)")
      let unreachable = try run(#"{"server": "http://127.0.0.1:9", "token": "SECRET"}"#)
      #expect(
        unreachable.errorOutput.contains("no region is monitored") && !unreachable.errorOutput.contains("SECRET"),
        "\(unreachable.errorOutput)")
      #expect(try await server.stop() == 0)
    }

    /// UUID E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major 1, minor 258, −59 dBm at 1 m.
    private static let advertisement: [UInt8] =
      [0x02, 0x15, 0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0]
      + [0, 1, 1, 2, 0xC5]

    private func advertise(_ mock: MockService) async throws {
      let maker = DBusValue.dictionary(
        of: "qv", [DBusValue.Entry(key: .uint16(0x004C), value: .variant(.bytes(Self.advertisement)))])
      try await mock.signal(
        "/org/bluez/hci0/dev_11_22_33_44_55_66", "org.freedesktop.DBus.Properties", "PropertiesChanged",
        [.string("org.bluez.Device1"), .properties(["ManufacturerData": maker, "RSSI": .int16(-60)]), .strings([])])
    }

    /// Returns the line of the doctor about beacons.
    private func beaconStatus(_ bus: PrivateBus, _ data: String) throws -> String {
      let found = try Executable.run(["doctor", "--data", data], environment: bus.environment)
      return found.text.split(separator: "\n").first { $0.contains("Beacons: ") }.map(String.init) ?? ""
    }

    @Test(
      "beacon regions are detected through BlueZ, and missing requirements are reported",
      .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
    func beacons() async throws {
      let (bus, server) = (try PrivateBus(), try await RunningServer())
      try add(server, "door", "--beacon", "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0,1,258", "--name", "Door")
      let arguments = track(server, ["--source", "none:", "--regions"])
      #expect(try beaconStatus(bus, server.data).contains("apt install bluez"))
      let first = try Background(Executable.godwit, arguments, in: server.folder, environment: bus.environment)
      try await first.wait("the advice") {
        first.errorOutput.contains("which cannot be detected: BlueZ is not running") ? true : nil
      }
      first.interrupt()
      #expect(try await first.waitForEnd() == 0, "\(first.errorOutput)")

      let mock = try await bus.mock("bluez5")
      try await mock.callMock("/org/bluez", "AddAdapter", [.string("hci0"), .string("boat")], of: "org.bluez.Mock")
      try await mock.callMock(
        "/org/bluez", "AddDevice", [.string("hci0"), .string("11:22:33:44:55:66"), .string("beacon")], of: "org.bluez.Mock")
      #expect(try beaconStatus(bus, server.data).contains("ok"))
      let tracker = try Background(Executable.godwit, arguments, in: server.folder, environment: bus.environment)
      func wait(_ what: String, _ condition: () async throws -> Bool) async throws {
        let end = Date().addingTimeInterval(60)
        while try await !condition() {
          try #require(Date() < end, "timed out waiting for \(what): \(tracker.errorOutput)")
          try await Task.sleep(for: .milliseconds(100))
        }
      }
      try await wait("the search") { try await !mock.calls("/org/bluez/hci0", "StartDiscovery").isEmpty }
      try await wait("the entry") {
        try await advertise(mock)
        return tracker.errorOutput.contains("entered Door")
      }
      #expect(!tracker.errorOutput.contains("cannot be detected"))
      try await wait("the exit") { tracker.errorOutput.contains("left Door") }
      try await wait("the events") { try await events(server).count >= 2 }
      tracker.interrupt()
      #expect(try await tracker.waitForEnd() == 0, "\(tracker.errorOutput)")
      #expect(
        try await events(server).map { [$0[0], $0[1], $0[3]] } == [
          ["beacon.entered", "door", "device"], ["beacon.exited", "door", "device"],
        ])
      #expect(try await server.stop() == 0)
    }
  }
#endif
