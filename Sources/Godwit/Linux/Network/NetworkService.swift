#if os(Linux)
  internal import GodwitDBus

  /// The network as NetworkManager reports it.
  ///
  /// Source: https://networkmanager.dev/docs/api/latest/spec.html
  enum NetworkService {
    static let service = "org.freedesktop.NetworkManager"
    static let path = "/org/freedesktop/NetworkManager"
    private static let device = service + ".Device"
    private static let wireless = device + ".Wireless"
    static let changes = [
      DBusRule.changes(of: service, service: service, path: path), DBusRule.changes(of: wireless, service: service),
      DBusRule.presence(of: service),
    ]

    /// Whether a signal can change a value that ``read(_:timeout:)`` uses. A wifi device also signals changes of its speed and its scans.
    static func isRelevant(_ signal: DBusSignal) -> Bool {
      guard signal.arguments.first?.text == wireless, signal.arguments.count == 3 else { return true }
      let names = Set((signal.arguments[1].properties ?? [:]).keys)
        .union(signal.arguments[2].elements?.compactMap(\.text) ?? [])
      return !names.isDisjoint(with: ["ActiveAccessPoint", "Mode"])
    }

    struct Response: Sendable, Hashable {
      var network: NetworkReading
      var wifi = WifiReading.noWifi
      /// The names of the interfaces that NetworkManager manages; it reports no state of other interfaces.
      var managed: Set<String> = []
      /// Whether there is a wifi interface that NetworkManager does not manage.
      var leavesWifi = false
    }

    static func read(_ bus: DBusConnection, timeout: Duration) async throws -> Response {
      // The request does not start the service: a machine without it uses another one.
      let properties = try await bus.properties(
        of: service, service: service, path: path, startsService: false, timeout: timeout)
      var response = Response(network: network(properties))
      for path in (properties["AllDevices"] ?? properties["Devices"])?.elements?.compactMap(\.text) ?? [] {
        // A device that is removed during the reading has no properties.
        guard let general = try await present(bus, device, path, timeout) else { continue }
        // 10: unmanaged. 2: wifi.
        let (isManaged, isWifi) = (general["State"]?.whole != 10, general["DeviceType"]?.whole == 2)
        if isManaged, let name = general["Interface"]?.text { response.managed.insert(name) }
        guard isWifi else { continue }
        guard isManaged else {
          response.leavesWifi = true
          continue
        }
        if response.wifi == .noWifi { response.wifi = .disconnected }
        if response.wifi == .disconnected, let point = try await accessPoint(bus, path, timeout) {
          response.wifi = .connected(point)
        }
      }
      return response
    }

    static func network(_ properties: [String: DBusValue]) -> NetworkReading {
      let state = properties["State"]?.whole ?? 0
      let connectivity = properties["Connectivity"]?.whole ?? 0
      let type = properties["PrimaryConnectionType"]?.text ?? ""
      let primary = properties["PrimaryConnection"]?.text ?? "/"
      // 50, 60, 70: connected to the link, to the site, to the internet. A server may be reachable in each of them, but
      // not behind a captive portal (2).
      let isReachable = (50...70).contains(state) && connectivity != 2
      let isWifi: Bool? =
        switch type {
        case "802-11-wireless": true
        case "": isReachable ? nil : false
        // The properties do not contain the underlying link.
        case "vpn", "wireguard", "tun", "ip-tunnel", "bridge", "bond", "team", "vlan", "macvlan", "vxlan", "dummy": nil
        default: false
        }
      return NetworkReading(isReachable: isReachable, isWifi: isWifi, route: "\(primary) \(state) \(connectivity)")
    }

    /// Returns the access point of a wifi device; `nil` if the device is not connected.
    private static func accessPoint(
      _ bus: DBusConnection, _ path: String, _ timeout: Duration
    ) async throws -> WifiReading.AccessPoint? {
      guard let radio = try await present(bus, wireless, path, timeout),
        // 3: the device is an access point itself, and the name is that of this machine.
        radio["Mode"]?.whole != 3, let access = radio["ActiveAccessPoint"]?.text, access != "/",
        let point = try await present(bus, service + ".AccessPoint", access, timeout)
      else { return nil }
      return WifiReading.AccessPoint(
        ssid: point["Ssid"]?.bytes.flatMap(SSID.name),
        bssid: point["HwAddress"]?.text.flatMap { HardwareAddress.normal($0) })
    }

    /// Returns the properties of an object; `nil` if the object no longer exists.
    private static func present(
      _ bus: DBusConnection, _ interface: String, _ path: String, _ timeout: Duration
    ) async throws -> [String: DBusValue]? {
      do {
        return try await bus.properties(
          of: interface, service: service, path: path, startsService: false, timeout: timeout)
      } catch let error as DBusError {
        if case .rejected = error.code { return nil }
        throw error
      }
    }
  }
#endif
