#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The addresses that a client may connect to.
package enum NetworkReach: Sendable {
  /// All addresses, including this machine and private networks.
  case everywhere
  /// Only public addresses of the internet. The address of each connection is checked after the name was resolved, so that a name
  /// cannot lead to another address afterwards.
  case publicAddresses
}

/// Determines which addresses are public (RFC 6890, and the registries of IANA that it established).
enum PublicAddress {
  /// The blocks of IPv4 that are not public: the first address, and the number of significant bits.
  private static let specialFour: [(UInt32, Int)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
    (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
    (0xCB00_7100, 24), (0xE000_0000, 4), (0xF000_0000, 4),
  ]
  /// The blocks of IPv6 within 2000::/3 that are not public: protocol assignments and documentation.
  private static let specialSix: [([UInt8], Int)] = [
    ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0x00], 20),
  ]

  /// Returns whether an IPv4 address is public. - Parameter address: the address in host byte order.
  static func isPublic(four address: UInt32) -> Bool {
    !specialFour.contains { block, bits in (address ^ block) >> UInt32(32 - bits) == 0 }
  }

  /// Returns whether an IPv6 address is public. An address that contains an IPv4 address (mapped, RFC 4291; NAT64, RFC 6052;
  /// 6to4, RFC 3056) is public if the IPv4 address is.
  /// - Parameter bytes: the 16 bytes of the address.
  static func isPublic(six bytes: [UInt8]) -> Bool {
    guard bytes.count == 16 else { return false }
    func four(at place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    func begins(_ block: [UInt8], _ bits: Int) -> Bool {
      (0..<bits).allSatisfy { (bytes[$0 / 8] ^ block[$0 / 8]) & (0x80 >> ($0 % 8)) == 0 }
    }
    if begins([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96) { return isPublic(four: four(at: 12)) }
    if begins([0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96) { return isPublic(four: four(at: 12)) }
    if begins([0x20, 0x02], 16) { return isPublic(four: four(at: 2)) }
    return begins([0x20], 3) && !specialSix.contains { begins($0, $1) }
  }

  /// Returns whether a socket address is public. Only IPv4 and IPv6 addresses can be. - Parameter address: a complete socket
  /// address.
  static func isPublic(_ address: UnsafeRawPointer) -> Bool {
    switch Int32(address.load(as: sockaddr.self).sa_family) {
    case AF_INET: isPublic(four: UInt32(bigEndian: address.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6: isPublic(six: withUnsafeBytes(of: address.loadUnaligned(as: sockaddr_in6.self).sin6_addr) { Array($0) })
    default: false
    }
  }
}
