#if os(Linux)
  import Foundation
  import GodwitDBus
  import Testing

  @testable import Godwit

  @Suite("Network availability from the kernel's routes")
  struct RoutingTests {
    static let head =
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT                    \n"
    private static func line(_ interface: String, _ fields: String) -> String {
      interface + "\t" + fields.replacing(" ", with: "\t") + "\n"
    }
    static let eth0 = line("eth0", "00000000 010200C0 0003 0 0 100 00000000 0 0 0")
    static let wlan0 = line("wlan0", "00000000 0101A8C0 0003 0 0 600 00000000 0 0 0")
    static let tunnel = line("tun0", "00000000 00000000 0001 0 0 50 00000000 0 0 0")
    static let lan = line("eth0", "0000A8C0 00000000 0001 0 0 100 00FFFFFF 0 0 0")
    static let containers = line("docker0", "000011AC 00000000 0001 0 0 0 0000FFFF 0 0 0")
    static let linkLocal = line("eth0", "0000FEA9 00000000 0001 0 0 1000 0000FFFF 0 0 0")
    static let rejected = line("eth0", "00000000 00000000 0201 0 0 0 00000000 0 0 0")
    static let down = line("eth0", "00000000 010200C0 0002 0 0 0 00000000 0 0 0")

    static let zeros = String(repeating: "0", count: 32)
    static let router = "fe80" + String(repeating: "0", count: 27) + "1"
    static let version6 = "\(zeros) 00 \(zeros) 00 \(router) 00000400 00000001 00000000 00000003    wlan0\n"
    static let unreachable6 = "\(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo\n"
    static let neighbour6 = "fe80" + zeros.dropFirst(4) + " 40 \(zeros) 00 \(zeros) 00000100 00000001 0 00000001 eth0\n"

    private static func reachable(_ interface: String, _ isWifi: Bool?) -> NetworkReading {
      NetworkReading(isReachable: true, isWifi: isWifi, route: interface)
    }
    private static let unreachable = NetworkReading(isReachable: false, isWifi: false, route: "none")

    @Test(
      "the best route decides",
      arguments: [
        (head + eth0 + lan, "", reachable("eth0", false)),
        (head + wlan0, "", reachable("wlan0", true)),
        (head + wlan0 + eth0, "", reachable("eth0", false)),
        (head + wlan0 + tunnel, "", reachable("tun0", nil)),
        (head, version6 + unreachable6, reachable("wlan0", true)),
        // The network of a boat without a default route, with a server on it.
        (head + lan, unreachable6, reachable("eth0", false)),
        (head + containers, "", unreachable), (head + linkLocal, neighbour6, unreachable),
        (head + rejected, unreachable6, unreachable),
        (head + down, "", unreachable), (head, "", unreachable),
        ("\u{0}\u{1}", "x", unreachable), (head + "eth0\n\neth0\t0\n", "0 0 0", unreachable),
        (head + line("eth0", "ZZZZZZZZ 0 0003 0 0 0 00000000 0 0 0"), "", unreachable),
        (head + line("eth0", "000000000 0 10000000000000003 0 0 -1 00000000 0 0 0"), "", unreachable),
      ])
    func routes(_ version4: String, _ version6: String, _ expected: NetworkReading) throws {
      let folder = try TemporaryFolder()
      try folder.write([
        "proc/route": version4, "proc/ipv6_route": version6, "net/eth0/device/x": "", "net/wlan0/device/x": "",
        "net/wlan0/phy80211/x": "", "net/tun0/x": "", "net/docker0/x": "",
      ])
      let network = NetworkInterfaces(folder: folder.url.path + "/net", routes: folder.url.path + "/proc", iw: [])
      #expect(network.network() == expected)
    }

    @Test("a kernel without IPv6 still has routes, and one without route files is not offline")
    func missing() throws {
      let folder = try TemporaryFolder()
      try folder.write(["proc/route": Self.head + Self.eth0, "net/eth0/device/x": ""])
      let network = NetworkInterfaces(folder: folder.url.path + "/net", routes: folder.url.path + "/proc", iw: [])
      #expect(network.network() == Self.reachable("eth0", false))
      #expect(NetworkInterfaces(folder: "/nonexistent", routes: "/nonexistent", iw: []).network() == nil)
    }

    @Test(
      "NetworkManager's states",
      arguments: [
        (70, 4, "802-11-wireless", true, true), (70, 4, "802-3-ethernet", true, false), (70, 4, "gsm", true, false),
        (70, 0, "802-11-wireless", true, true), (60, 3, "802-3-ethernet", true, false), (50, 1, "", true, nil),
        // A captive portal.
        (60, 2, "802-11-wireless", false, true),
        (70, 4, "wireguard", true, nil), (70, 4, "vpn", true, nil), (70, 4, "bridge", true, nil),
        (40, 1, "", false, false), (20, 1, "", false, false), (10, 0, "", false, false), (0, 0, "", false, false),
        (1000, 4, "802-3-ethernet", false, false),
      ] as [(UInt32, UInt32, String, Bool, Bool?)])
    func states(_ state: UInt32, _ connectivity: UInt32, _ type: String, _ isReachable: Bool, _ isWifi: Bool?) {
      let reading = NetworkService.network([
        "State": .variant(.uint32(state)), "Connectivity": .variant(.uint32(connectivity)),
        "PrimaryConnectionType": .variant(.string(type)), "PrimaryConnection": .variant(.path("/1")),
      ])
      #expect(reading.isReachable == isReachable)
      #expect(reading.isWifi == isWifi)
    }

    @Test("an empty reply means that there is no network")
    func nothing() { #expect(!NetworkService.network([:]).isReachable) }

    @Test(
      "the machine's model and system",
      arguments: [
        (["proc/device-tree/model": "Raspberry Pi 4 Model B Rev 1.4\u{0}"], "Raspberry Pi 4 Model B Rev 1.4", nil),
        (["sys/class/dmi/id/product_name": "20F6CTO1WW\n"], "20F6CTO1WW", nil),
        (["sys/class/dmi/id/product_name": "To Be Filled By O.E.M.\n"], nil, nil),
        (["etc/os-release": "NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n"], nil, "Debian GNU/Linux 12 (bookworm)"),
        (["etc/os-release": "PRETTY_NAME=Alpine\n"], nil, "Alpine"),
        (["etc/os-release": "PRETTY_NAME='Arch \\Linux'\n"], nil, "Arch \\Linux"),
        (["usr/lib/os-release": "PRETTY_NAME=\"a \\\"b\\\" \\\\ c\"\n"], nil, "a \"b\" \\ c"),
        (["etc/os-release": "PRETTY_NAME=\"\n"], nil, "\""), (["etc/os-release": "PRETTY_NAME=\"\"\n"], nil, nil),
        ([:], nil, nil),
      ] as [([String: String], String?, String?)])
    func description(_ files: [String: String], _ model: String?, _ system: String?) throws {
      let folder = try TemporaryFolder()
      try folder.write(files)
      let machine = MachineDescription(root: folder.url.path)
      #expect(machine.model == model)
      #expect(machine.system == system)
    }
  }
#endif
