#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The network that limits count as one client: an IPv4 address, or the first 64 bits of an IPv6 address.
///
/// A provider gives each customer at least a /64 (RFC 6177), so that a single machine can use 2^64 addresses.
package struct ClientNetwork: Hashable, Sendable, CustomStringConvertible {
  private enum Number: Hashable {
    case four(UInt32)
    case six(UInt64)
    case unknown
  }
  private let number: Number

  /// - Parameter address: a numeric address without a port. All invalid texts count as the same network.
  package init(_ address: String) {
    let bytes = AddressRange.bytes(of: address.prefix { $0 != "%" }.description)
    number = bytes.map { bytes in bytes.withUnsafeBytes { Self.number(of: $0) } } ?? .unknown
  }

  /// - Parameter address: the peer's socket address, complete for its family.
  init(_ address: UnsafePointer<sockaddr>) {
    number =
      switch Int32(address.pointee.sa_family) {
      case AF_INET:
        address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          .four(UInt32(bigEndian: $0.pointee.sin_addr.s_addr))
        }
      case AF_INET6:
        address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          withUnsafeBytes(of: $0.pointee.sin6_addr) { Self.number(of: $0) }
        }
      default: .unknown
      }
  }

  /// - Parameter bytes: 16 bytes of an IPv6 address, which may be a mapped IPv4 address.
  private static func number(of bytes: UnsafeRawBufferPointer) -> Number {
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
    if isMapped { return .four(bytes[12...].reduce(0) { $0 << 8 | UInt32($1) }) }
    return .six(bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// `192.0.2.7/32`, `2001:db8:0:1::/64`, or `unknown`.
  package var description: String {
    switch number {
    case .four(let number): [24, 16, 8, 0].map { String(number >> $0 & 255) }.joined(separator: ".") + "/32"
    case .six(let number):
      [48, 32, 16, 0].map { String(number >> $0 & 0xFFFF, radix: 16) }.joined(separator: ":") + "::/64"
    case .unknown: "unknown"
    }
  }
}
