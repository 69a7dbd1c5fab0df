#if os(Linux)
  internal import Foundation

  /// The network as the kernel tells it, for machines without NetworkManager: interfaces, routes, and iw for the name.
  struct NetworkInterfaces: Sendable {
    /// `/sys/class/net`
    let folder: String
    /// `/proc/net`
    let routes: String
    /// Where iw may be: it is not on every user's path.
    let iw: [String]

    private func exists(_ interface: String, _ attribute: String) -> Bool {
      SystemFile.exists(folder + "/" + interface + "/" + attribute)
    }

    private func isWireless(_ interface: String) -> Bool {
      exists(interface, "phy80211") || exists(interface, "wireless")
    }

    /// Names of interfaces that are wifi.
    var wireless: [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter(isWireless).sorted()
    }

    /// `nil` when the kernel shows no routes here.
    func network() -> NetworkReading? {
      let version4 = SystemFile.text(routes + "/route", most: 1 << 20)
      let version6 = SystemFile.text(routes + "/ipv6_route", most: 1 << 20)
      if version4 == nil, version6 == nil { return nil }
      let all = RoutingTable.version4(version4 ?? "") + RoutingTable.version6(version6 ?? "")
      // Without a way out a neighbour may still be the server; the bridges of containers are nobody's neighbours.
      let ways = all.filter { $0.isDefault || exists($0.interface, "device") }
      guard let best = ways.min(by: { ($0.isDefault ? 0 : 1, $0.metric) < ($1.isDefault ? 0 : 1, $1.metric) }) else {
        return NetworkReading(isReachable: false, isWifi: false, route: "none")
      }
      // An interface that is no hardware is a tunnel or a bridge, over something that the table does not say.
      let isWifi: Bool? = isWireless(best.interface) ? true : exists(best.interface, "device") ? false : nil
      return NetworkReading(isReachable: true, isWifi: isWifi, route: best.interface)
    }

    /// - Throws: ``Missing`` when there is a wifi and nobody to ask for its name.
    func wifi() async throws -> WifiReading {
      let interfaces = wireless
      guard !interfaces.isEmpty else { return .noWifi }
      guard let program = iw.first(where: { SystemFile.isProgram($0) }) else {
        throw Missing(description: "neither NetworkManager nor iw is here (Debian: apt install iw)")
      }
      // "unknown" is what drivers say that do not tell.
      for interface in interfaces where SystemFile.text(folder + "/" + interface + "/operstate", most: 64) != "down" {
        let output = try await Subprocess.run(program, ["dev", interface, "link"])
        guard let reading = IwLink.read(output) else {
          throw Missing(description: "\(program) dev \(interface) link printed what iw does not print")
        }
        if case .connected = reading { return reading }
      }
      return .disconnected
    }

    /// Why something cannot be known, and what to do.
    struct Missing: Error, Sendable, Hashable, CustomStringConvertible {
      let description: String
    }
  }
#endif
