#if os(Linux)
  /// Whether a machine has a network, and the kind of the network.
  struct NetworkReading: Sendable, Hashable {
    var isReachable: Bool
    /// Whether the network is a wifi; `nil`: unknown, for example behind a tunnel.
    var isWifi: Bool?
    /// A value whose change justifies a retry of failed uploads: the connection, its default route, the state of internet access.
    var route: String
  }

  /// The wifi that a machine is connected to.
  enum WifiReading: Sendable, Hashable {
    /// The machine has no wifi.
    case noWifi
    case disconnected
    case connected(AccessPoint)

    struct AccessPoint: Sendable, Hashable {
      /// The network's name; `nil` when it is hidden.
      var ssid: String?
      /// The hardware address of the access point, in lowercase; `nil`: unknown.
      var bssid: String?
    }

    var accessPoint: AccessPoint? { if case .connected(let point) = self { point } else { nil } }
  }

  /// Names of wifi networks: up to 32 arbitrary bytes.
  enum SSID {
    /// Decodes a name as UTF-8. In a name that is not UTF-8 each byte becomes a character, so that different names stay
    /// different. `nil`: the name is hidden.
    static func name(_ bytes: [UInt8]) -> String? {
      guard bytes.contains(where: { $0 != 0 }) else { return nil }
      return String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }

  /// Hardware addresses.
  enum HardwareAddress {
    /// Returns the address in lowercase; `nil` for an invalid address and for placeholders.
    static func normal(_ text: some StringProtocol) -> String? {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
      let address = text.lowercased()
      return address == "00:00:00:00:00:00" ? nil : address
    }
  }
#endif
