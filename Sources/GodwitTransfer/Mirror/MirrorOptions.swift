internal import Foundation
internal import GodwitHTTP

/// The configuration of the mirror, a server that receives a copy of all records.
public struct MirrorOptions: Sendable, CustomStringConvertible {
  /// The URL without a trailing slash, such as `https://other.example.org`.
  public let url: String
  /// A token of the mirror with the scope `admin`.
  package let token: String
  /// Whether existing devices of the mirror with the same names become copies of this server's devices.
  public var adoptsDevices = false

  /// - Returns: `nil` if the URL is invalid, or has a query or a password.
  public init?(url: String, token: String) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme, ["http", "https"].contains(scheme),
      parts.host?.isEmpty == false, parts.query == nil, parts.fragment == nil, parts.user == nil
    else { return nil }
    self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
    self.token = token
  }

  /// Returns a warning if records and the token can be read in transit; `nil`: TLS or a private network protects them.
  /// - Parameter url: a URL as in ``url``.
  package static func warning(about url: String) -> String? {
    guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host, !isPrivate(host) else {
      return nil
    }
    return "The mirror's address is \(url): without TLS the records and the token can be read in transit. Use https."
  }

  /// Whether a host is this machine or is in a private network. Names are not resolved.
  private static func isPrivate(_ host: String) -> Bool {
    // An IPv6 address is in brackets, and may have a zone.
    let address = host.trimmingCharacters(in: ["[", "]"]).prefix { $0 != "%" }
    if privateRanges.contains(where: { $0.contains(String(address)) }) { return true }
    let name = host.lowercased()
    guard AddressRange(String(address)) == nil else { return false }
    return !name.contains(".") || privateNames.contains(where: name.hasSuffix)
  }

  /// Loopback (RFC 1122, 4291), private (RFC 1918, 4193), link-local (RFC 3927, 4291) and shared addresses (RFC 6598), which private
  /// networks over the internet use.
  private static let privateRanges = [
    "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "100.64.0.0/10", "::1", "fc00::/7",
    "fe80::/10",
  ].compactMap { AddressRange($0) }
  /// Suffixes of names that are not in the public DNS (RFC 6761, 6762, 8375; ICANN for internal).
  private static let privateNames = [".localhost", ".local", ".home.arpa", ".internal", ".lan"]

  /// The URL, without the token.
  public var description: String { url }
}
