#if os(Linux)
  /// Whether a machine has a network, and which.
  struct NetworkReading: Sendable, Hashable {
    var isReachable: Bool
    /// `nil`: not known, behind a tunnel for example.
    var isWifi: Bool?
    /// What a retry may profit from when it changes: the connection, its way out, what is known of the internet.
    var route: String
  }

  /// The wifi that a machine is connected to.
  enum WifiReading: Sendable, Hashable {
    /// It has no wifi.
    case noWifi
    case disconnected
    case connected(AccessPoint)

    struct AccessPoint: Sendable, Hashable {
      /// The network's name; `nil` when it is hidden.
      var ssid: String?
      /// Hardware address of the access point, in small letters.
      var bssid: String?
    }

    var accessPoint: AccessPoint? { if case .connected(let point) = self { point } else { nil } }
  }

  /// Names of wifi networks are up to 32 bytes of anything.
  enum SSID {
    /// UTF-8 if it is that, else each byte is a character, so that different names stay different. `nil`: hidden.
    static func name(_ bytes: [UInt8]) -> String? {
      guard bytes.contains(where: { $0 != 0 }) else { return nil }
      return String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }

  /// Hardware addresses.
  enum HardwareAddress {
    /// In small letters; `nil` when it is none, or the one that says that there is none.
    static func normal(_ text: some StringProtocol) -> String? {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else { return nil }
      let address = text.lowercased()
      return address == "00:00:00:00:00:00" ? nil : address
    }
  }
#endif
