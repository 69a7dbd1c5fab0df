#if os(Linux)
  internal import Foundation
  package import GodwitDBus
  public import GodwitModel

  /// Reports the state of the machine to a tracker: its battery, network, wifi name, model and system.
  ///
  ///     let monitor = DeviceMonitor()
  ///     await monitor.run(updating: tracker) { part in print(part.text) }
  ///
  /// UPower and NetworkManager report changes where they run. Otherwise the kernel's files and `iw` are read every 30
  /// seconds. A missing part is reported as a ``DeviceMonitor/Part``; it never ends the monitor.
  public actor DeviceMonitor {
    /// The sources of the state; other values are for tests and unusual systems.
    public struct Places: Sendable {
      package var systemBus = DBusAddress.system
      /// The folder of the kernel's files about batteries and chargers.
      public var powerSupplies = "/sys/class/power_supply"
      /// The folder of the kernel's files about network interfaces.
      public var interfaces = "/sys/class/net"
      /// The folder of the kernel's routing tables.
      public var routes = "/proc/net"
      /// Paths of `iw`, in order of preference.
      public var iw = ["/usr/sbin/iw", "/sbin/iw", "/usr/bin/iw"]
      /// The root folder of the files that name the machine's model and system.
      public var root = ""
      /// Seconds between two readings of sources without change signals, at least 1. Infinity and NaN count as 31 years.
      public var interval = 30.0
      /// The timeout of a D-Bus call, after which the service counts as missing.
      public var timeout = Duration.seconds(5)
      /// Suspends for a number of seconds. It throws when the task is cancelled.
      public var sleep: @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }

      public init() {}

      /// The interval within its limits: `Int` and `Duration` cannot represent infinity and NaN.
      fileprivate var limitedInterval: Double { max(1, TrackerEnvironment.bounded(interval)) }
    }

    private let places: Places
    private var found: [DeviceMonitor.Part.Kind: DeviceMonitor.Part] = [:]

    public init(places: Places = Places()) { self.places = places }

    /// The result of the last reading, in the order of ``DeviceMonitor/Part/Kind``; empty before the first.
    public var parts: [DeviceMonitor.Part] { DeviceMonitor.Part.Kind.allCases.compactMap { found[$0] } }

    /// Reads the state once.
    public func check() async -> [DeviceMonitor.Part] {
      let bus = await connect()
      remember(await check(bus.connection, bus.problem).parts)
      return parts
    }

    /// Updates a tracker until the task is cancelled.
    /// - Parameters:
    ///   - tracker: receives every change.
    ///   - context: further values of the device for the records; the monitor adds its own values.
    ///   - tell: receives each part after the first reading, and at every change of its condition.
    public func run(
      updating tracker: Tracker, context: DeviceContext = DeviceContext(),
      telling tell: @escaping @Sendable (DeviceMonitor.Part) -> Void = { _ in }
    ) async {
      await run(context) { event in
        switch event {
        case .context(let context): tracker.update(context)
        case .network(let network): tracker.networkChanged(isReachable: network.isReachable, isWifi: network.isWifi)
        case .part(let part): tell(part)
        }
      }
    }

    // MARK: Watching

    /// A change of the state.
    enum Change: Sendable, Hashable {
      case context(DeviceContext)
      case network(NetworkReading)
      case part(DeviceMonitor.Part)
    }

    func run(_ base: DeviceContext = DeviceContext(), _ tell: @Sendable (Change) -> Void) async {
      let machine = MachineDescription(root: places.root)
      var known = base
      known.deviceModel = known.deviceModel ?? machine.model
      known.systemVersion = known.systemVersion ?? machine.system
      var last: (context: DeviceContext?, network: NetworkReading?)
      while !Task.isCancelled {
        let bus = await connect()
        let signals = try? await bus.connection?.signals(UPower.changes + NetworkService.changes)
        await watch(signals) { [self] in
          let look = await check(bus.connection, bus.problem)
          if Task.isCancelled { return false }
          for part in remember(look.parts) { tell(.part(part)) }
          var context = known
          switch look.battery {
          case .battery(let level, let state): (context.batteryLevel, context.batteryState) = (level, state)
          // A machine without a battery has no charge state.
          case .noBattery: context.batteryState = .unknown
          case nil: break
          }
          (context.wifi, context.wifiBSSID) = (look.wifi?.accessPoint?.ssid, look.wifi?.accessPoint?.bssid)
          if context != last.context { tell(.context(context)) }
          if let network = look.network, network != last.network {
            tell(.network(network))
            last.network = network
          }
          last.context = context
          // Without a bus, or with a broken connection, the next iteration reconnects.
          return bus.connection?.broken == nil && signals != nil
        }
      }
    }

    /// Calls `look` at once, after each relevant signal and after each interval. When it returns false, this method waits for
    /// the next signal or interval and returns, so that a failing bus is not polled in a loop.
    private func watch(_ signals: AsyncStream<DBusSignal>?, _ look: () async -> Bool) async {
      let (wakes, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let (interval, sleep) = (places.limitedInterval, places.sleep)
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          while (try? await sleep(interval)) != nil { wake.yield() }
          wake.finish()
        }
        if let signals {
          group.addTask {
            for await signal in signals where NetworkService.isRelevant(signal) { wake.yield() }
            // The stream of signals ends when the connection breaks.
            wake.yield()
          }
        }
        wake.yield()
        var shouldContinue = true
        for await _ in wakes {
          if !shouldContinue { break }
          shouldContinue = await look()
        }
        group.cancelAll()
      }
    }

    private func connect() async -> (connection: DBusConnection?, problem: String) {
      do {
        return (try await DBusConnection(places.systemBus), "")
      } catch {
        return (nil, "\(error)")
      }
    }

    /// Returns the parts that are new or whose condition changed.
    @discardableResult
    private func remember(_ parts: [DeviceMonitor.Part]) -> [DeviceMonitor.Part] {
      let new = parts.filter { found[$0.kind]?.condition != $0.condition }
      for part in parts { found[part.kind] = part }
      return new
    }

    // MARK: Reading

    private struct Readings: Sendable {
      var battery: BatteryReading?
      var network: NetworkReading?
      var wifi: WifiReading?
      var parts: [DeviceMonitor.Part]
    }

    private func check(_ bus: DBusConnection?, _ problem: String) async -> Readings {
      let places = places
      async let battery = Self.battery(bus, problem, places)
      async let network = Self.network(bus, places)
      let ((batteryReading, batteryPart), (networkReading, wifiReading, networkParts)) = await (battery, network)
      return Readings(
        battery: batteryReading, network: networkReading, wifi: wifiReading, parts: [batteryPart] + networkParts)
    }

    private static func every(_ places: Places) -> String { "checked every \(Int(places.limitedInterval)) s" }

    private static func battery(
      _ bus: DBusConnection?, _ problem: String, _ places: Places
    ) async -> (BatteryReading?, DeviceMonitor.Part) {
      var problem = problem
      if let bus {
        do {
          return found(try await UPower.read(bus, timeout: places.timeout), by: "UPower")
        } catch {
          problem = "\(error)"
        }
      }
      if let reading = PowerSupplies(folder: places.powerSupplies).read() {
        return found(reading, by: "\(places.powerSupplies), \(every(places))")
      }
      return (
        nil,
        DeviceMonitor.Part(
          .battery, .missing,
          "Unknown: the kernel has no \(places.powerSupplies), and UPower is not available (\(problem)) Records have no"
            + " battery. Install UPower if the machine has a battery (Debian: apt install upower).")
      )
    }

    private static func found(_ reading: BatteryReading, by source: String) -> (BatteryReading?, DeviceMonitor.Part) {
      switch reading {
      case .noBattery: (reading, DeviceMonitor.Part(.battery, .absent, "This machine has no battery. (\(source))"))
      case .battery: (reading, DeviceMonitor.Part(.battery, .works, "\(reading.text) (\(source))"))
      }
    }

    private static func network(
      _ bus: DBusConnection?, _ places: Places
    ) async -> (NetworkReading?, WifiReading?, [DeviceMonitor.Part]) {
      let kernel = NetworkInterfaces(folder: places.interfaces, routes: places.routes, iw: places.iw)
      guard let bus, let response = try? await NetworkService.read(bus, timeout: places.timeout) else {
        let network = kernel.network()
        let (wifi, part) = await Self.wifi(kernel, places)
        return (network, wifi, [Self.part(network, by: "routing table, \(every(places))"), part])
      }
      // NetworkManager does not report interfaces that it does not manage.
      var network = response.network
      var source = "NetworkManager"
      if !network.isReachable, let other = kernel.network(), other.isReachable, !response.managed.contains(other.route) {
        network = other
        source = "routing table, \(every(places))"
      }
      if response.leavesWifi, response.wifi.accessPoint == nil {
        let (wifi, part) = await Self.wifi(kernel, places)
        return (network, wifi, [Self.part(network, by: source), part])
      }
      return (network, response.wifi, [Self.part(network, by: source), Self.part(response.wifi, by: "NetworkManager")])
    }

    private static func wifi(_ kernel: NetworkInterfaces, _ places: Places) async -> (WifiReading?, DeviceMonitor.Part) {
      do {
        let wifi = try await kernel.wifi()
        return (wifi, part(wifi, by: "iw, \(every(places))"))
      } catch {
        return (nil, DeviceMonitor.Part(.wifi, .missing, "Its name is unknown: \(error). Wifi zones have no effect."))
      }
    }

    private static func part(_ network: NetworkReading?, by source: String) -> DeviceMonitor.Part {
      guard let network else {
        return DeviceMonitor.Part(
          .network, .missing,
          "Unknown: neither NetworkManager nor the kernel's routing table is readable. Reachability is detected"
            + " by sending.")
      }
      let kind = network.isWifi.map { $0 ? ", over wifi" : ", not over wifi" } ?? ""
      return DeviceMonitor.Part(.network, .works, (network.isReachable ? "Reachable\(kind)" : "Not reachable") + " (\(source))")
    }

    private static func part(_ wifi: WifiReading, by source: String) -> DeviceMonitor.Part {
      switch wifi {
      case .noWifi: DeviceMonitor.Part(.wifi, .absent, "This machine has none.")
      case .disconnected: DeviceMonitor.Part(.wifi, .works, "Not connected (\(source))")
      case .connected(let point):
        DeviceMonitor.Part(
          .wifi, .works,
          "Connected to \(point.ssid.map { "\"\(printable($0))\"" } ?? "a network that hides its name")"
            + (point.bssid.map { ", access point \($0)" } ?? "") + " (\(source))")
      }
    }
  }
#endif
