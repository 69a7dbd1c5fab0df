#if os(Linux)
  internal import GodwitDBus
  internal import GodwitModel

  /// The battery as UPower reports it. UPower's display device combines all batteries.
  ///
  /// Source: https://upower.freedesktop.org/docs/Device.html
  enum UPower {
    static let service = "org.freedesktop.UPower"
    static let path = "/org/freedesktop/UPower/devices/DisplayDevice"
    static let interface = "org.freedesktop.UPower.Device"
    static let changes = [
      DBusRule.changes(of: interface, service: service, path: path), DBusRule.presence(of: service),
    ]

    static func read(_ bus: DBusConnection, timeout: Duration) async throws -> BatteryReading {
      reading(try await bus.properties(of: interface, service: service, path: path, timeout: timeout))
    }

    static func reading(_ properties: [String: DBusValue]) -> BatteryReading {
      // Types 2 and 3 are batteries and UPSes; the display device of a machine with neither is of type 0.
      guard properties["IsPresent"]?.boolean == true, [2, 3].contains(properties["Type"]?.whole) else { return .noBattery }
      let percentage = properties["Percentage"]?.double.flatMap { (0...100).contains($0) ? $0 : nil }
      let state: BatteryState =
        switch properties["State"]?.whole {
        // 5: pending charge, for example on mains power at a charge limit.
        case 1, 5: .charging
        // 3: empty. 6: pending discharge.
        case 2, 3, 6: .unplugged
        case 4: .full
        default: .unknown
        }
      return .battery(level: percentage.map { $0 / 100 }, state: state)
    }
  }
#endif
