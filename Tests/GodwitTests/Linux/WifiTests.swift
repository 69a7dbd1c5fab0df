#if os(Linux)
  import Foundation
  import Testing

  @testable import Godwit

  @Suite("The connected wifi network", .timeLimit(.minutes(20)))
  struct WifiTests {
    private static func connected(_ ssid: String?, _ bssid: String? = "04:42:1a:0b:cc:de") -> WifiReading {
      .connected(WifiReading.AccessPoint(ssid: ssid, bssid: bssid))
    }

    static let outputs: [(String, WifiReading?)] = [
      (
        """
        Connected to 04:42:1a:0b:cc:de (on wlan0)
        \tSSID: Harbour 5 GHz
        \tfreq: 5180
        \tRX: 74921113 bytes (57012 packets)
        \tTX: 5120114 bytes (31011 packets)
        \tsignal: -51 dBm
        \trx bitrate: 433.3 MBit/s VHT-MCS 9 80MHz short GI VHT-NSS 1
        \ttx bitrate: 390.0 MBit/s VHT-MCS 8 80MHz short GI VHT-NSS 1

        \tbss flags:\tshort-slot-time
        \tdtim period:\t1
        \tbeacon int:\t100

        """, connected("Harbour 5 GHz")
      ),
      ("Not connected.\n", .disconnected),
      ("Joined IBSS 02:CA:FE:00:00:01 (on wlan0)\n\tSSID: mesh\n", connected("mesh", "02:ca:fe:00:00:01")),
      // iw writes bytes that are not printable ASCII as \xNN.
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: Caf\\xc3\\xa9 \\xf0\\x9f\\x9a\\xb2\n", connected("Café \u{1F6B2}")),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: \\x20two blanks\\x20\n", connected(" two blanks ")),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: C:\\x5cboat\n", connected("C:\\boat")),
      // Latin-1, which is not valid UTF-8.
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: Caf\\xe9\n", connected("Café")),
      // Hidden networks.
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: \\x00\\x00\\x00\\x00\n", connected(nil)),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: \n\tfreq: 2412\n", connected(nil)),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tfreq: 2412\n", connected(nil)),
      // Names that look like output of iw.
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: Not connected.\n", connected("Not connected.")),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: SSID: x\n", connected("SSID: x")),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: a\\x0a\\x09SSID: b\n", connected("a\n\tSSID: b")),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: \\x\\xg1\\x4\n", connected("\\x\\xg1\\x4")),
      ("Connected to 04:42:1a:0b:cc:de (on wlan0)\n\tSSID: end\\\n", connected("end\\")),
      // Truncated or other output.
      ("Connected to 04:42:1a", nil), ("Connected to nobody (on wlan0)\n\tSSID: x\n", nil),
      ("Connected to 00:00:00:00:00:00 (on wlan0)\n\tSSID: x\n", nil),
      ("\tSSID: x\n", nil), ("", nil), ("\n\n", nil),
      ("Usage:\tiw [options] command\n", nil), ("command failed: No such device (-19)\n", nil),
      (String(repeating: "\u{0}", count: 5000), nil),
    ]

    @Test("output of iw is parsed", arguments: outputs)
    func iw(_ output: String, _ reading: WifiReading?) { #expect(IwLink.read(output) == reading) }

    @Test(
      "hardware addresses have one form, and invalid ones are absent",
      arguments: [
        ("AA:BB:CC:DD:EE:0F", "aa:bb:cc:dd:ee:0f"), ("aa:bb:cc:dd:ee:0f", "aa:bb:cc:dd:ee:0f"),
        ("00:00:00:00:00:00", nil), ("aa:bb:cc:dd:ee", nil), ("aa:bb:cc:dd:ee:ff:00", nil), ("aa:bb:cc:dd:ee:g0", nil),
        ("aa-bb-cc-dd-ee-ff", nil), ("a:b:c:d:e:f", nil), ("::::::", nil), ("", nil), ("٠a:bb:cc:dd:ee:ff", nil),
      ] as [(String, String?)])
    func addresses(_ text: String, _ normal: String?) { #expect(HardwareAddress.normal(text) == normal) }

    @Test("a name of any bytes becomes a text, and different names become different texts")
    func names() {
      #expect(SSID.name(Array("home".utf8)) == "home")
      #expect(SSID.name([]) == nil && SSID.name([0, 0]) == nil)
      let all = (UInt8(1)...255).compactMap { SSID.name([0x41, $0]) }
      #expect(Set(all).count == 255)
    }

    // MARK: Machines without NetworkManager

    private func with(
      _ files: [String: String], iw script: String? = nil, _ body: (NetworkInterfaces) async throws -> Void
    ) async throws {
      let folder = try TemporaryFolder()
      try folder.write(["net/lo/operstate": "unknown\n"].merging(files) { $1 })
      let iw = try script.map { [try folder.program("iw", $0)] } ?? []
      let path = folder.url.path
      try await body(
        NetworkInterfaces(folder: path + "/net", routes: path + "/proc", iw: ["/nonexistent/iw"] + iw))
      withExtendedLifetime(folder) {}
    }

    @Test("a machine without wifi runs no program")
    func noWifi() async throws {
      try await with(["net/eth0/operstate": "up"]) { network in
        let wifi = try await network.wifi()
        #expect(wifi == .noWifi)
      }
    }

    @Test("iw is run for each active wifi interface, and a missing iw is reported")
    func interfaces() async throws {
      let files = ["net/wlan0/phy80211/name": "phy0", "net/wlan1/phy80211/name": "phy1", "net/wlan1/operstate": "up"]
      let script = """
        case "$*" in
          'dev wlan0 link') echo 'Not connected.' ;;
          'dev wlan1 link') printf 'Connected to 04:42:1a:0b:cc:de (on wlan1)\\n\\tSSID: Van\\n' ;;
          *) exit 1 ;;
        esac
        """
      try await with(files, iw: script) { network in
        let wifi = try await network.wifi()
        #expect(wifi == Self.connected("Van"))
      }
      try await with(files) { network in
        do {
          _ = try await network.wifi()
          Issue.record("no error was thrown")
        } catch {
          #expect("\(error)".contains("apt install iw"))
        }
      }
    }

    @Test("an inactive wifi interface is not queried")
    func down() async throws {
      try await with(["net/wlan0/wireless/x": "", "net/wlan0/operstate": "down\n"], iw: "exit 3") { network in
        let wifi = try await network.wifi()
        #expect(wifi == .disconnected)
      }
    }

    @Test(
      "a failing iw is an error with its message",
      arguments: [
        ("exit 3", "failed with status 3"), ("kill -9 $$", "was terminated by a signal"),
        ("yes", "has too much output"), ("echo nonsense", "has an unexpected output"),
      ])
    func failures(_ script: String, _ reason: String) async throws {
      try await with(["net/wlan0/phy80211/name": "phy0"], iw: script) { network in
        do {
          _ = try await network.wifi()
          Issue.record("no error was thrown")
        } catch {
          #expect("\(error)".contains(reason))
        }
      }
    }

    @Test(
      "a program that hangs is killed, also after it closed its output",
      .timeLimit(.minutes(20)), arguments: ["exec cat /dev/zero > \"$0.out\"", "exec > /dev/null; while :; do :; done"])
    func hanging(_ script: String) async throws {
      let folder = try TemporaryFolder()
      let program = try folder.program("hang", script)
      await #expect(throws: Subprocess.Failure.self) {
        try await Subprocess.run(program, [], timeout: .milliseconds(100))
      }
    }

    @Test("a cancelled query kills its program", .timeLimit(.minutes(20)))
    func cancelled() async throws {
      let folder = try TemporaryFolder()
      let program = try folder.program("hang", "while :; do :; done")
      let run = Task { try await Subprocess.run(program, [], timeout: .seconds(3600)) }
      run.cancel()
      await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test("a missing or invalid program is an error", arguments: ["/nonexistent", "/etc/hostname", "/"])
    func unstartable(_ path: String) async {
      await #expect(throws: Subprocess.Failure.self) { try await Subprocess.run(path, []) }
    }
  }
#endif
