#if os(Linux)
  internal import Foundation

  /// The network as the kernel reports it, for machines without NetworkManager. The name of the wifi comes from `iw`.
  struct NetworkInterfaces: Sendable {
    /// `/sys/class/net`
    let folder: String
    /// `/proc/net`
    let routes: String
    /// Possible paths of `iw`, which is not in every user's PATH.
    let iw: [String]

    private func exists(_ interface: String, _ attribute: String) -> Bool {
      SystemFile.exists(folder + "/" + interface + "/" + attribute)
    }

    private func isWireless(_ interface: String) -> Bool {
      exists(interface, "phy80211") || exists(interface, "wireless")
    }

    /// Names of the wifi interfaces.
    var wireless: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter(isWireless).sorted()
    }

    /// Returns the state of the network; `nil` if the routing tables cannot be read.
    func network() -> NetworkReading? {
      let version4 = SystemFile.text(routes + "/route", maximum: 1 << 20)
      let version6 = SystemFile.text(routes + "/ipv6_route", maximum: 1 << 20)
      if version4 == nil, version6 == nil { return nil }
      let all = RoutingTable.version4(version4 ?? "") + RoutingTable.version6(version6 ?? "")
      // Without a default route the server may still be in the local network, but not behind a container bridge.
      let defaultRoutes = all.filter { $0.isDefault || exists($0.interface, "device") }
      guard let best = defaultRoutes.min(by: { ($0.isDefault ? 0 : 1, $0.metric) < ($1.isDefault ? 0 : 1, $1.metric) }) else {
        return NetworkReading(isReachable: false, isWifi: false, route: "none")
      }
      // An interface without hardware is a tunnel or a bridge; the routing table does not contain the underlying link.
      let isWifi: Bool? = isWireless(best.interface) ? true : exists(best.interface, "device") ? false : nil
      return NetworkReading(isReachable: true, isWifi: isWifi, route: best.interface)
    }

    /// Returns the wifi that the machine is connected to.
    /// - Throws: ``Missing`` if there is a wifi interface and no program that reports the name of the wifi.
    func wifi() async throws -> WifiReading {
      let interfaces = wireless
      guard !interfaces.isEmpty else { return .noWifi }
      guard let program = iw.first(where: { SystemFile.isProgram($0) }) else {
        throw Missing(description: "neither NetworkManager nor iw is installed (Debian: apt install iw)")
      }
      // Some drivers report "unknown".
      for interface in interfaces where SystemFile.text(folder + "/" + interface + "/operstate", maximum: 64) != "down" {
        let output = try await Subprocess.run(program, ["dev", interface, "link"])
        guard let reading = IwLink.read(output) else {
          throw Missing(description: "\(program) dev \(interface) link has an unexpected output")
        }
        if case .connected = reading { return reading }
      }
      return .disconnected
    }

    /// The reason why a value is unknown, and how to fix it.
    struct Missing: Error, Sendable, Hashable, CustomStringConvertible {
      let description: String
    }
  }
#endif
