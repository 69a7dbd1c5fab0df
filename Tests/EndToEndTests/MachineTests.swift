#if os(Linux)
  import Foundation
  import TestParts
  import Testing

  /// Tests what `godwit` reads about its machine, with mock services on a private D-Bus.
  @Suite(
    "The machine's battery, wifi and notifications", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"),
    .timeLimit(.minutes(20)))
  struct MachineTests {
    private final class Bus {
      let address: String
      private let folder: TemporaryFolder
      private let daemon: Background
      private var services: [Background] = []

      init() async throws {
        folder = try TemporaryFolder()
        try """
        <busconfig>
          <listen>unix:path=\(folder.path("bus"))</listen>
          <policy context="default">
            <allow send_destination="*"/> <allow receive_sender="*"/> <allow own="*"/>
          </policy>
        </busconfig>
        """.write(toFile: folder.path("bus.conf"), atomically: true, encoding: .utf8)
        let program = try #require(Executable.find("dbus-daemon"), "`make test-system` installs it")
        let daemon = try Background(
          program, ["--config-file=" + folder.path("bus.conf"), "--nofork", "--print-address=1"], in: folder)
        self.daemon = daemon
        address = try await daemon.wait("the bus", seconds: 20) {
          daemon.text.hasSuffix("\n") ? daemon.text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
        }
      }

      var environment: [String: String] {
        ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address]
      }

      func start(_ template: String, name: String) async throws {
        let python = URL(fileURLWithPath: "/usr/bin/python3")
        let service = try Background(
          python, ["-m", "dbusmock", "--template", template], in: folder, environment: environment)
        services.append(service)
        try await service.wait("\(name) on the bus", seconds: 20) {
          try call("org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner", ["string:" + name])
            .contains("true") ? true : nil
        }
      }

      /// Calls a method, and returns the reply as dbus-send prints it.
      @discardableResult
      func call(_ name: String, _ path: String, _ method: String, _ arguments: [String]) throws -> String {
        let result = try Executable.run(
          try #require(Executable.find("dbus-send")),
          ["--bus=" + address, "--print-reply", "--dest=" + name, path, method] + arguments)
        return result.text
      }

      func battery(_ percentage: Int, state: Int) throws {
        let response = try call(
          "org.freedesktop.UPower", "/org/freedesktop/UPower", "org.freedesktop.DBus.Mock.SetupDisplayDevice",
          ["uint32:2", "uint32:\(state)", "double:\(percentage)", "double:40", "double:50", "double:5", "int64:0"]
            + ["int64:0", "boolean:true", "string:battery", "uint32:1"])
        try #require(response.contains("method return"))
      }
    }

    private func doctor(_ environment: [String: String]) throws -> [String: [String: Any]] {
      let folder = try TemporaryFolder()
      let result = try Executable.run(["doctor", "--data", folder.path("data"), "--json"], environment: environment)
      #expect(result.status == 0, "\(result.notes)")
      let list = try #require(JSONSerialization.jsonObject(with: result.output) as? [[String: Any]])
      return Dictionary(list.compactMap { item in (item["subject"] as? String).map { ($0, item) } }) { $1 }
    }

    @Test("the doctor reports the battery and the notifications of the machine")
    func doctorFinds() async throws {
      let bus = try await Bus()
      try await bus.start("upower", name: "org.freedesktop.UPower")
      try await bus.start("notification_daemon", name: "org.freedesktop.Notifications")
      try bus.battery(81, state: 2)
      let results = try doctor(bus.environment)
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
      let (bus, server) = (try await Bus(), try await RunningServer())
      try await bus.start("upower", name: "org.freedesktop.UPower")
      try bus.battery(81, state: 2)
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
          try #require(Date() < end, "no point has the battery at \(level): \(tracker.said)")
          // Each export starts a process, so the interval is one second.
          try await Task.sleep(for: .seconds(1))
        }
      }
      try await waitForBattery("0.81")
      try bus.battery(64, state: 1)
      try await waitForBattery("0.64")
      tracker.interrupt()
      #expect(try await tracker.waitForEnd() == 0, "\(tracker.said)")
    }

    @Test("a replayed file ignores this machine's battery")
    func replaying() async throws {
      let (bus, server) = (try await Bus(), try await RunningServer())
      try await bus.start("upower", name: "org.freedesktop.UPower")
      try bus.battery(81, state: 2)
      let result = try Executable.run(
        [
          "track", "--source", Walk.file.path, "--speed", "max", "--until-sent", "--endpoint", server.endpoint,
          "--token", server.token, "--journal", server.folder.path("journal"),
        ], environment: bus.environment)
      #expect(result.status == 0, "\(result.notes)")
      #expect(!result.notes.contains("Battery"))
      let text = try exported(server)
      #expect(text.utf8.count { $0 == UInt8(ascii: "\n") } > 100)
      #expect(!text.contains(",0.81,"))
    }

    private func exported(_ server: RunningServer) throws -> String {
      let result = try Executable.run(["export", "--device", "walker", "--format", "csv", "--data", server.data])
      #expect(result.status == 0, "\(result.notes)")
      return result.text
    }
  }
#endif
