#if os(Linux)
  import Foundation
  import GodwitDBus
  import GodwitEngine
  import GodwitModel
  import Synchronization
  import TestBus
  import TestParts
  import Testing

  @testable import Godwit
  import GodwitHTTPClient

  @Suite("The monitor of a machine", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
  struct DeviceMonitorTests {
    private static let display = UPower.path
    private static let manager = NetworkService.path

    /// Returns the places of a machine with a battery and a wifi interface in the files of the kernel.
    private func machine(_ folder: TemporaryFolder, bus: DBusAddress, _ clock: ManualClock) throws -> DeviceMonitor.Places {
      try folder.write([
        "power/BAT0/type": "Battery", "power/BAT0/capacity": "40", "power/BAT0/status": "Discharging",
        "net/wlan0/phy80211/x": "", "net/wlan0/device/x": "", "net/wlan0/operstate": "up",
        "proc/route": RoutingTests.head + RoutingTests.wlan0, "etc/os-release": "PRETTY_NAME=Debian\n",
        "proc/device-tree/model": "Raspberry Pi 4",
      ])
      var places = DeviceMonitor.Places()
      let path = folder.url.path
      places.systemBus = bus
      places.powerSupplies = path + "/power"
      places.interfaces = path + "/net"
      places.routes = path + "/proc"
      places.iw = [
        try folder.program("iw", "printf 'Connected to 04:42:1a:0b:cc:de (on wlan0)\\n\\tSSID: Kernel\\n'")
      ]
      places.root = path
      places.sleep = clock.sleep
      return places
    }

    /// Runs a monitor, and calls `body` with the changes that it reports.
    private func watch(
      _ places: DeviceMonitor.Places, _ base: DeviceContext = DeviceContext(),
      _ body: (ReportedChanges, DeviceMonitor) async throws -> Void
    ) async throws {
      let monitor = DeviceMonitor(places: places)
      let reported = ReportedChanges()
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await monitor.run(base) { reported.add($0) } }
        try await body(reported, monitor)
        group.cancelAll()
      }
    }

    final class ReportedChanges: Sendable {
      private let changes: AsyncStream<DeviceMonitor.Change>
      private let continuation: AsyncStream<DeviceMonitor.Change>.Continuation
      init() { (changes, continuation) = AsyncStream.makeStream() }
      func add(_ change: DeviceMonitor.Change) {
        if case .part(let part) = change { allParts.withLock { $0.append(part) } }
        continuation.yield(change)
      }
      private let allParts = Mutex<[DeviceMonitor.Part]>([])
      /// All reported parts.
      var parts: [DeviceMonitor.Part] { allParts.withLock { $0 } }

      /// Returns the next context; other changes before it are skipped.
      func context(where isIt: (DeviceContext) -> Bool = { _ in true }) async -> DeviceContext? {
        for await case .context(let context) in changes where isIt(context) { return context }
        return nil
      }
      func network() async -> NetworkReading? {
        for await case .network(let network) in changes { return network }
        return nil
      }
      func part(_ kind: DeviceMonitor.Part.Kind) async -> DeviceMonitor.Part? {
        for await case .part(let part) in changes where part.kind == kind { return part }
        return nil
      }
    }

    private func wifi(_ mock: MockService, ssid: String = "Harbour") async throws -> (device: String, point: String) {
      let device = try #require(
        try await mock.callMock("/org/freedesktop", "AddWiFiDevice", [.string("w"), .string("wlan0"), .int32(100)]).first?.text)
      let point = try await self.point(mock, device, "AP1", ssid, "AA:BB:CC:DD:EE:01")
      try await mock.add(device, "org.freedesktop.NetworkManager.Device.Wireless", ["ActiveAccessPoint": .path(point)])
      try await mock.add(
        Self.manager, NetworkService.service,
        ["PrimaryConnection": .path("/c/1"), "PrimaryConnectionType": .string("802-11-wireless")])
      return (device, point)
    }

    private func point(
      _ mock: MockService, _ device: String, _ name: String, _ ssid: String, _ address: String
    ) async throws -> String {
      let arguments: [DBusValue] = [
        .string(device), .string(name), .string(ssid), .string(address), .uint32(2), .uint32(5180), .uint32(54000),
        .byte(80), .uint32(0x100),
      ]
      return try #require(try await mock.callMock("/org/freedesktop", "AddAccessPoint", arguments).first?.text)
    }

    private func display(_ mock: MockService, _ percentage: Double, _ state: UInt32) async throws {
      try await mock.callMock(
        "/org/freedesktop/UPower", "SetDeviceProperties",
        [
          .path(Self.display),
          .properties([
            "IsPresent": .boolean(true), "Type": .uint32(2), "Percentage": .double(percentage), "State": .uint32(state),
          ]),
        ])
    }

    @Test("the battery of UPower and the wifi of NetworkManager are reported, and their changes without polling")
    func bus() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let upower = try await bus.mock("upower")
      let network = try await bus.mock("networkmanager")
      try await display(upower, 81, 2)
      let (device, _) = try await wifi(network)
      try await watch(try machine(folder, bus: bus.address, ManualClock()), DeviceContext(deviceID: "van")) { reported, monitor in
        var expected = DeviceContext(batteryLevel: 0.81, batteryState: .unplugged, wifi: "Harbour", deviceID: "van")
        expected.wifiBSSID = "aa:bb:cc:dd:ee:01"
        expected.deviceModel = "Raspberry Pi 4"
        expected.systemVersion = "Debian"
        #expect(await reported.context() == expected)
        #expect(await reported.network() == NetworkReading(isReachable: true, isWifi: true, route: "/c/1 70 4"))
        let parts = await monitor.parts
        #expect(parts.map(\.kind) == [.battery, .network, .wifi])
        #expect(parts.allSatisfy { $0.condition == .works })
        #expect(parts[0].text == "81 %, unplugged (UPower)")

        try await display(upower, 82, 1)
        #expect(await reported.context { $0.batteryLevel == 0.82 && $0.batteryState == .charging } != nil)

        // Another access point of the same network has another address and the same route.
        let other = try await point(network, device, "AP2", "Harbour", "AA:BB:CC:DD:EE:02")
        let radio = "org.freedesktop.NetworkManager.Device.Wireless"
        try await network.change(device, radio, ["ActiveAccessPoint": .path(other)])
        #expect(await reported.context()?.wifiBSSID == "aa:bb:cc:dd:ee:02")

        // Out of range of the network.
        try await network.change(device, radio, ["ActiveAccessPoint": .path("/")])
        #expect(await reported.context { $0.wifi == nil } != nil)
        try await network.change(Self.manager, NetworkService.service, ["State": .uint32(20)])
        #expect(await reported.network()?.isReachable == false)
      }
    }

    @Test("without a bus, the kernel's files and iw are polled")
    func kernel() async throws {
      let (folder, clock) = (try TemporaryFolder(), ManualClock())
      let places = try machine(folder, bus: .address("unix:path=/nonexistent"), clock)
      try await watch(places) { reported, monitor in
        let context = try #require(await reported.context())
        #expect(context.batteryLevel == 0.4 && context.batteryState == .unplugged)
        #expect(context.wifi == "Kernel" && context.wifiBSSID == "04:42:1a:0b:cc:de")
        #expect(await reported.network() == NetworkReading(isReachable: true, isWifi: true, route: "wlan0"))
        #expect(await monitor.parts.allSatisfy { $0.condition == .works })
        try folder.write(["power/BAT0/capacity": "39", "proc/route": RoutingTests.head])
        try await clock.tick()
        #expect(await reported.context()?.batteryLevel == 0.39)
        #expect(await reported.network()?.isReachable == false)
      }
    }

    @Test("a stopped service is replaced by the kernel's files, and used again when it returns")
    func service() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let first = try await bus.mock("upower")
      try await display(first, 81, 2)
      try await watch(try machine(folder, bus: bus.address, ManualClock())) { reported, _ in
        #expect(await reported.context()?.batteryLevel == 0.81)
        first.stop()
        #expect(await reported.context()?.batteryLevel == 0.4)
        let second = try await bus.mock("upower")
        try await display(second, 83, 4)
        #expect(await reported.context { $0.batteryState == .full }?.batteryLevel == 0.83)
      }
    }

    @Test("a stopped bus is replaced by the kernel's files at once")
    func end() async throws {
      let (folder, bus, clock) = (try TemporaryFolder(), try PrivateBus(), ManualClock())
      let upower = try await bus.mock("upower")
      try await display(upower, 81, 2)
      try await watch(try machine(folder, bus: bus.address, clock)) { reported, _ in
        #expect(await reported.context()?.batteryLevel == 0.81)
        bus.stop()
        #expect(await reported.context { $0.batteryLevel == 0.4 } != nil)
        // The files are polled.
        try folder.write(["power/BAT0/capacity": "12"])
        try await clock.tick()
        #expect(await reported.context()?.batteryLevel == 0.12)
      }
      withExtendedLifetime(upower) {}
    }

    @Test("a machine without these services reports it once, with a remedy if there is one")
    func nothing() async throws {
      let (folder, clock) = (try TemporaryFolder(), ManualClock())
      var places = try machine(folder, bus: .address("unix:path=/nonexistent"), clock)
      try FileManager.default.removeItem(atPath: folder.url.path + "/power/BAT0")
      places.iw = ["/nonexistent/iw"]
      var parts: [DeviceMonitor.Part] = []
      try await watch(places) { reported, _ in
        let context = try #require(await reported.context())
        #expect(context.batteryLevel == nil && context.batteryState == .unknown && context.wifi == nil)
        #expect(await reported.network()?.isReachable == true)
        for number in 1...3 {
          try folder.write(["proc/route": RoutingTests.head + (number.isMultiple(of: 2) ? RoutingTests.wlan0 : "")])
          try await clock.tick()
          #expect(await reported.network()?.isReachable == number.isMultiple(of: 2))
        }
        parts = reported.parts
      }
      #expect(parts.map(\.kind) == [.battery, .network, .wifi])
      #expect(parts.map(\.condition) == [.absent, .works, .missing])
      #expect(parts[0].text.hasPrefix("This machine has no battery."))
      #expect(parts[2].text.contains("apt install iw"))
    }

    @Test("a machine without any source still works")
    func noSource() async throws {
      var places = DeviceMonitor.Places()
      places.systemBus = .address("rubbish")
      (places.powerSupplies, places.interfaces, places.routes, places.iw) = ("/nonexistent", "/nonexistent", "/nonexistent", [])
      let parts = await DeviceMonitor(places: places).check()
      #expect(parts.map(\.condition) == [.missing, .missing, .absent])
      #expect(parts[0].text.contains("apt install upower"))
    }

    @Test("an interval that is infinite, not a number or too short is limited")
    func intervals() async throws {
      let folder = try TemporaryFolder()
      var places = try machine(folder, bus: .address("rubbish"), ManualClock())
      let limits: [(Double, Int)] = [
        (.infinity, 1_000_000_000), (.nan, 1_000_000_000), (-.infinity, 1), (0, 1), (20, 20),
      ]
      for (interval, seconds) in limits {
        places.interval = interval
        let parts = await DeviceMonitor(places: places).check()
        #expect(parts.allSatisfy { $0.text.contains("checked every \(seconds) s") }, "\(parts)")
      }
    }

    @Test("interfaces that NetworkManager does not manage are read from the kernel")
    func unmanaged() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let network = try await bus.mock("networkmanager")
      try await network.callMock("/org/freedesktop", "AddWiFiDevice", [.string("w"), .string("wlan0"), .int32(10)])
      try await network.change(Self.manager, NetworkService.service, ["State": .uint32(20), "Connectivity": .uint32(1)])
      try await watch(try machine(folder, bus: bus.address, ManualClock())) { reported, _ in
        #expect(await reported.context()?.wifi == "Kernel")
        #expect(await reported.network() == NetworkReading(isReachable: true, isWifi: true, route: "wlan0"))
      }
    }

    @Test("the machine's own access point is not a wifi connection")
    func hotspot() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let network = try await bus.mock("networkmanager")
      let (device, _) = try await wifi(network, ssid: "Mine")
      try await network.change(device, "org.freedesktop.NetworkManager.Device.Wireless", ["Mode": .uint32(3)])
      try await watch(try machine(folder, bus: bus.address, ManualClock())) { reported, monitor in
        #expect(await reported.context()?.wifi == nil)
        #expect(await monitor.parts.last?.text == "Not connected (NetworkManager)")
      }
    }

    @Test("a service that hangs delays only its own values")
    func hanging() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let upower = try await bus.mock("upower")
      upower.freeze()
      let clock = ManualClock()
      var places = try machine(folder, bus: bus.address, clock)
      places.timeout = .milliseconds(100)
      try await watch(places) { reported, _ in
        #expect(await reported.context()?.batteryLevel == 0.4)
      }
      upower.thaw()
    }

    @Test("control characters in a network's name do not reach the terminal")
    func escapes() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let network = try await bus.mock("networkmanager")
      _ = try await wifi(network, ssid: "\u{1B}[2Jx\u{202E}y")
      try await watch(try machine(folder, bus: bus.address, ManualClock())) { reported, monitor in
        // The record has the unchanged name of the network.
        #expect(await reported.context()?.wifi == "\u{1B}[2Jx\u{202E}y")
        #expect(await monitor.parts.last?.text.contains("\"\u{FFFD}[2Jx\u{FFFD}y\"") == true)
      }
    }

    @Test("the records of a tracker have the battery and the wifi")
    func tracker() async throws {
      let (folder, bus) = (try TemporaryFolder(), try PrivateBus())
      let upower = try await bus.mock("upower")
      try await display(upower, 81, 2)
      let sensor = ScriptedSensor()
      let url = try #require(URL(string: "http://127.0.0.1:9/"))
      let offline = HTTPClient { _ in throw HTTPError("There is no network.") }
      let clock = ManualClock()
      var settings = Settings()
      settings.fields = .all
      let tracker = try Tracker(
        configuration: Tracker.Configuration(
          journalPath: folder.journal, endpoints: [Endpoint(id: EndpointID("home"), url: url)], settings: settings,
          environment: TrackerEnvironment(
            now: { start }, sleep: clock.sleep, random: { 0.5 }, client: offline)), sensor: sensor)
      let monitor = DeviceMonitor(places: try machine(folder, bus: bus.address, ManualClock()))
      let contexts = try await withThrowingTaskGroup(of: Void.self) { group -> [DeviceContext] in
        group.addTask { try await tracker.run() }
        group.addTask { await monitor.run(updating: tracker) }
        tracker.startTracking()
        var contexts: [DeviceContext] = []
        var seconds = 0.0
        while contexts.last?.batteryLevel == nil, seconds < 100_000 {
          seconds += 1
          guard case .fix(let fix) = record(seconds).kind else { return [] }
          sensor.notify(.fixes([fix]))
          await tracker.caughtUp()
          contexts = try tracker.journal.next(endpoint: "home", limit: 1).map(\.record.context)
          // Only the newest record is needed.
          try tracker.journal.purge()
        }
        group.cancelAll()
        while await group.nextResult() != nil {}
        return contexts
      }
      let last = try #require(contexts.last)
      #expect(last.batteryLevel == 0.81 && last.batteryState == .unplugged)
      #expect(last.wifi == "Kernel")
    }
  }
#endif
