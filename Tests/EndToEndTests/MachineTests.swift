#if os(Linux)
  import Foundation
  import GodwitDBus
  import TestBus
  import TestParts
  import Testing

  /// Tests what `godwit` reads about its machine, with mock services on a private D-Bus.
  @Suite(
    "The machine's battery, wifi and notifications", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"),
    .timeLimit(.minutes(20)))
  struct MachineTests {
    /// Sets the battery that a mock of UPower reports.
    /// - Parameter state: 1: charging, 2: discharging.
    private func setBattery(_ percentage: Double, state: UInt32, of power: MockService) async throws {
      try await power.callMock(
        "/org/freedesktop/UPower", "SetupDisplayDevice",
        [
          .uint32(2), .uint32(state), .double(percentage), .double(40), .double(50), .double(5), .int64(0), .int64(0),
          .boolean(true), .string("battery"), .uint32(1),
        ])
    }

    private func doctor(_ environment: [String: String]) throws -> [String: [String: Any]] {
      let folder = try TemporaryFolder()
      let result = try Executable.run(["doctor", "--data", folder.path("data"), "--json"], environment: environment)
      #expect(result.status == 0, "\(result.errorOutput)")
      let list = try #require(JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
      return Dictionary(list.compactMap { item in (item["subject"] as? String).map { ($0, item) } }) { $1 }
    }

    @Test("the doctor reports the battery and the notifications of the machine")
    func doctorFinds() async throws {
      let bus = try PrivateBus()
      let services = (power: try await bus.mock("upower"), notifications: try await bus.mock("notification_daemon"))
      try await setBattery(81, state: 2, of: services.power)
      let results = try doctor(bus.environment)
      withExtendedLifetime((bus, services)) {}
      #expect(results["Battery"]?["text"] as? String == "81 %, unplugged (UPower)")
      #expect(results["Notifications"]?["ok"] as? Bool == true)
      #expect((results["Notifications"]?["text"] as? String)?.hasPrefix("mock-notify shows them") == true)
      for subject in ["Battery", "Network", "Wifi", "Notifications"] {
        #expect(results[subject]?["optional"] as? Bool == true)
      }
    }

    @Test("without any bus the doctor reports a remedy, and no check fails")
    func doctorMisses() throws {
      let unreachable = "unix:path=/nonexistent/bus"
      let results = try doctor(["DBUS_SYSTEM_BUS_ADDRESS": unreachable, "DBUS_SESSION_BUS_ADDRESS": unreachable])
      #expect(results["Notifications"]?["ok"] as? Bool == false)
      #expect((results["Notifications"]?["text"] as? String)?.contains("DBUS_SESSION_BUS_ADDRESS") == true)
      #expect(results["Battery"] != nil && results["Network"] != nil && results["Wifi"] != nil)
    }

    @Test("with --machine on, the points of a tracker have the battery level and follow its changes")
    func tracking() async throws {
      let (bus, server) = (try PrivateBus(), try await RunningServer())
      let power = try await bus.mock("upower")
      try await setBattery(81, state: 2, of: power)
      let settings = server.folder.path("settings.json")
      try #"{"send_interval": "1s"}"#.write(toFile: settings, atomically: true, encoding: .utf8)
      let tracker = try Background(
        Executable.godwit,
        [
          "track", "--source", Walk.file.path, "--speed", "100", "--machine", "on", "--settings", settings,
          "--endpoint", server.endpoint, "--token", server.token, "--journal", server.folder.path("journal"),
        ], in: server.folder, environment: bus.environment)
      func waitForBattery(_ level: String) async throws {
        let end = Date().addingTimeInterval(60)
        while try !exported(server).contains(",\(level),") {
          try #require(Date() < end, "no point has the battery at \(level): \(tracker.errorOutput)")
          // Each export starts a process, so the interval is one second.
          try await Task.sleep(for: .seconds(1))
        }
      }
      try await waitForBattery("0.81")
      try await setBattery(64, state: 1, of: power)
      try await waitForBattery("0.64")
      tracker.interrupt()
      #expect(try await tracker.waitForEnd() == 0, "\(tracker.errorOutput)")
      withExtendedLifetime((bus, power)) {}
    }

    @Test("a replayed file ignores this machine's battery")
    func replaying() async throws {
      let (bus, server) = (try PrivateBus(), try await RunningServer())
      let power = try await bus.mock("upower")
      try await setBattery(81, state: 2, of: power)
      let result = try Executable.run(
        [
          "track", "--source", Walk.file.path, "--speed", "max", "--until-sent", "--endpoint", server.endpoint,
          "--token", server.token, "--journal", server.folder.path("journal"),
        ], environment: bus.environment)
      withExtendedLifetime((bus, power)) {}
      #expect(result.status == 0, "\(result.errorOutput)")
      #expect(!result.errorOutput.contains("Battery"))
      let text = try exported(server)
      #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } > 100)
      #expect(!text.contains(",0.81,"))
    }

    private func exported(_ server: RunningServer) throws -> String {
      let result = try Executable.run(["export", "--device", "walker", "--format", "csv", "--data", server.data])
      #expect(result.status == 0, "\(result.errorOutput)")
      return result.text
    }
  }
#endif
