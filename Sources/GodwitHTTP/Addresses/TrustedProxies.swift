internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An address or a range in CIDR notation: `192.168.1.7`, `10.0.0.0/8`, `fd00::/8`.
public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
  /// 16 bytes; an IPv4 address is mapped to IPv6.
  private let bytes: [UInt8]
  /// The length of the prefix in bits.
  private let length: Int
  public let description: String

  /// - Parameter text: a numeric address, optionally with a slash and the length of the prefix.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count <= 2, let first = parts.first, let bytes = Self.bytes(of: first) else { return nil }
    let isFour = !first.contains(":")
    let maximum = isFour ? 32 : 128
    var length = maximum
    if parts.count == 2 {
      guard let number = Int(parts[1]), (0...maximum).contains(number) else { return nil }
      length = number
    }
    self.bytes = bytes
    self.length = isFour ? length + 96 : length
    description = text
  }

  /// Whether it contains a numeric address.
  public func contains(_ address: String) -> Bool {
    guard let other = Self.bytes(of: address) else { return false }
    let whole = length / 8
    guard bytes[..<whole] == other[..<whole] else { return false }
    let rest = length % 8
    if rest == 0 { return true }
    let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
    return bytes[whole] & mask == other[whole] & mask
  }

  /// An address as 16 bytes; `nil`: invalid.
  static func bytes(of text: String) -> [UInt8]? {
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      return [UInt8](repeating: 0, count: 10) + [255, 255] + withUnsafeBytes(of: four) { Array($0) }
    }
    if inet_pton(AF_INET6, text, &six) == 1 { return withUnsafeBytes(of: six) { Array($0) } }
    return nil
  }
}

/// The proxies whose headers about the client are trusted.
public struct TrustedProxies: Sendable, Hashable {
  public var ranges: [AddressRange]

  public init(_ ranges: [AddressRange]) { self.ranges = ranges }

  /// The proxies on this machine.
  public static let thisMachine = TrustedProxies(["127.0.0.0/8", "::1"].compactMap { AddressRange($0) })

  /// Whether an address belongs to a trusted proxy.
  public func contains(_ address: String) -> Bool { ranges.contains { $0.contains(address) } }
}

/// The client of a request as proxies report it: `X-Forwarded-For`, `-Proto` and `-Host`, or `Forwarded` (RFC 7239).
///
/// Any client can send these headers, and most proxies only append to them. Therefore they are read from the end, and only
/// the entries that trusted proxies added are used.
struct Forwarding: Sendable, Hashable {
  /// The numeric address of the client.
  var client: String?
  /// "https" or "http".
  var scheme: String?
  /// The host of the request with its port.
  var host: String?

  /// The headers that proxies add.
  static let headerNames = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded"]

  /// - Parameters:
  ///   - peer: the sender of the request.
  ///   - proxies: the trusted proxies.
  ///   - values: returns all values of a header; several lines are joined by commas.
  /// - Returns: `nil` if no trusted proxy reports a client.
  init?(peer: String, proxies: TrustedProxies, values: (String) -> String?) {
    guard proxies.contains(peer) else { return nil }
    let old = Self.hops(values("X-Forwarded-For"), values("X-Forwarded-Proto"), values("X-Forwarded-Host"))
    let new = values("Forwarded").map(Self.hops(forwarded:)) ?? []
    guard !old.isEmpty || !new.isEmpty else { return nil }
    let (first, second) = (Self.outermost(of: old, proxies), Self.outermost(of: new, proxies))
    // A proxy that writes one of the two headers may forward the other unchanged from the client.
    if let first, let second, first.client != second.client { return nil }
    guard let found = first ?? second else { return nil }
    self = found
  }

  private init(client: String?, scheme: String?, host: String?) {
    self.client = client
    self.scheme = scheme?.lowercased()
    self.host = host
  }

  /// The hop that the outermost trusted proxy reports: the last whose client is not a trusted proxy.
  private static func outermost(of hops: [Forwarding], _ proxies: TrustedProxies) -> Forwarding? {
    hops.last { hop in hop.client.map { !proxies.contains($0) } ?? true } ?? hops.first
  }

  private static func hops(_ clients: String?, _ schemes: String?, _ hosts: String?) -> [Forwarding] {
    func words(_ text: String?) -> [String] {
      (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }
    let (clients, schemes, hosts) = (words(clients), words(schemes), words(hosts))
    func word(_ list: [String], _ index: Int) -> String? { list.count == clients.count ? list[index] : list.last }
    if clients.isEmpty {
      return schemes.isEmpty && hosts.isEmpty ? [] : [Forwarding(client: nil, scheme: schemes.last, host: hosts.last)]
    }
    return clients.indices.map { index in
      Forwarding(client: address(clients[index]), scheme: word(schemes, index), host: word(hosts, index))
    }
  }

  private static func hops(forwarded text: String) -> [Forwarding] {
    text.split(separator: ",").map { element in
      var pairs: [String: String] = [:]
      for pair in element.split(separator: ";") {
        let sides = pair.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard sides.count == 2 else { continue }
        pairs[sides[0].lowercased()] = sides[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
      }
      return Forwarding(client: pairs["for"].flatMap(address), scheme: pairs["proto"], host: pairs["host"])
    }
  }

  /// An address without brackets and port; `nil` if invalid, such as `unknown`.
  private static func address(_ text: String) -> String? {
    if text.hasPrefix("[") { return known(String(text.dropFirst().prefix { $0 != "]" })) }
    return known(text) ?? known(String(text.prefix { $0 != ":" }))
  }

  private static func known(_ text: String) -> String? {
    guard AddressRange.bytes(of: text) != nil else { return nil }
    return text.lowercased().hasPrefix("::ffff:") && text.contains(".") ? String(text.dropFirst(7)) : text
  }
}
