internal import Foundation

/// The address of an MQTT broker, with credentials: `mqtt://user:password@host:1883`, or `mqtts://` for TLS.
///
/// The description omits the password.
public struct BrokerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The version of the protocol.
  public enum Version: String, Sendable, CaseIterable {
    /// MQTT 3.1.1.
    case three = "3.1.1"
    /// MQTT 5.
    case five = "5"
  }

  /// A host name, or a numeric address without brackets.
  public let host: String
  /// The port. The default is 1883, and 8883 with TLS.
  public let port: UInt16
  /// Whether the connection is encrypted and the certificate of the broker is checked.
  public let isSecure: Bool
  /// The user name; `nil`: none.
  public let user: String?
  /// The password; `nil`: none.
  public var password: String?
  /// File with the certificate authorities of the broker; `nil`: those of the system.
  public let authorities: String?
  /// File with the client certificate; `nil`: none.
  public let certificate: String?
  /// File with the key of ``certificate``.
  public let key: String?
  /// The version of the protocol; `nil`: 5, or 3.1.1 if the broker does not support 5.
  public let version: Version?

  /// The form that the help shows.
  package static let shown = "mqtt[s]://[USER[:PASSWORD]@]HOST[:PORT][?ca=FILE&cert=FILE&key=FILE&version=3.1.1]"
  private static let names: Set<String> = ["ca", "cert", "key", "version"]

  /// - Parameter url: a URL with `mqtt://` or `mqtts://`. The characters `:/?#@%` of user and password must be percent-encoded.
  /// - Throws: ``BrokerAddressError``, which does not repeat a password.
  public init(_ url: String) throws(BrokerAddressError) {
    guard let end = url.range(of: "://"), ["mqtt", "mqtts"].contains(url[..<end.lowerBound].lowercased()) else {
      throw BrokerAddressError("it does not begin with mqtt:// or mqtts://; expected \(Self.shown)")
    }
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else {
      throw BrokerAddressError(
        "it has no host, or a character that must be percent-encoded (@ as %40); expected \(Self.shown)")
    }
    guard parts.path.isEmpty || parts.path == "/" else {
      throw BrokerAddressError("\(parts.path) is not expected: a broker has no path; use --mqtt-topic for topics")
    }
    isSecure = parts.scheme?.lowercased() == "mqtts"
    // The brackets of an IPv6 address are part of the URL, not of the address.
    self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    guard let port = UInt16(exactly: parts.port ?? (isSecure ? 8883 : 1883)), port > 0 else {
      throw BrokerAddressError("\(parts.port ?? 0) is not a port; expected 1 to 65535")
    }
    self.port = port
    user = parts.user.flatMap { $0.isEmpty ? nil : $0 }
    password = parts.password
    guard password == nil || user != nil else { throw BrokerAddressError("it has a password but no user") }
    var values: [String: String] = [:]
    for item in parts.queryItems ?? [] {
      guard Self.names.contains(item.name), let value = item.value, !value.isEmpty else {
        throw BrokerAddressError("\(item.name) is unknown or empty; expected \(Self.names.sorted().joined(separator: ", "))")
      }
      values[item.name] = value
    }
    (authorities, certificate, key) = (values["ca"], values["cert"], values["key"])
    guard (certificate == nil) == (key == nil) else {
      throw BrokerAddressError("cert and key belong together, and one of them is missing")
    }
    guard isSecure || authorities == nil && certificate == nil else {
      throw BrokerAddressError("ca, cert and key are for TLS; begin with mqtts://")
    }
    guard certificate == nil || authorities != nil else {
      throw BrokerAddressError("cert and key need ca as well, the file with the CA certificate of the broker")
    }
    guard let name = values["version"] else {
      version = nil
      return
    }
    guard let version = Version(rawValue: name) else {
      throw BrokerAddressError(
        "version=\(name) is unknown; expected \(Version.allCases.map(\.rawValue).joined(separator: " or "))")
    }
    self.version = version
  }

  /// The address without the password.
  public var description: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "mqtt\(isSecure ? "s" : "")://\(user.map { $0 + "@" } ?? "")\(name):\(port)"
  }

  /// Returns an invalid address for an error message, without the password that it may contain.
  package static func shown(_ text: String) -> String {
    guard text.contains("@"), let end = text.range(of: "://") else { return text.contains("@") ? "…" : text }
    return text[..<end.upperBound] + "…"
  }
}

/// An invalid broker address.
public struct BrokerAddressError: Error, Sendable, CustomStringConvertible {
  /// The fault, and the expected form.
  public let description: String
  package init(_ description: String) { self.description = description }
}
