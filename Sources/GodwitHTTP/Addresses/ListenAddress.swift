internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The listening address: a numeric address and a port, as in `127.0.0.1:8080`, `[::1]:8080` or `0.0.0.0:80`.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  /// The numeric address, without brackets.
  public let host: String
  /// The port; 0 lets the system choose.
  public let port: UInt16
  /// Whether it is reachable only from this machine.
  public let isLoopback: Bool
  package let isIPv6: Bool
  /// Whether it is the wildcard address.
  public var isAny: Bool { host == "0.0.0.0" || host == "::" }

  /// Parses `ADDRESS:PORT`. `localhost` stands for 127.0.0.1.
  public init?(_ text: String) {
    guard let parts = HostAndPort(text) else { return nil }
    let isHere = !parts.isBracketed && (parts.host.isEmpty || parts.host == "localhost")
    let host = isHere ? "127.0.0.1" : parts.host
    var four = in_addr()
    var six = in6_addr()
    if inet_pton(AF_INET, host, &four) == 1 {
      isIPv6 = false
      isLoopback = UInt32(bigEndian: four.s_addr) >> 24 == 127
    } else if inet_pton(AF_INET6, host, &six) == 1 {
      isIPv6 = true
      isLoopback = withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    } else {
      return nil
    }
    self.host = host
    port = parts.port
  }

  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The address as a socket address.
  var storage: sockaddr_storage {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { bytes in
      if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        inet_pton(AF_INET6, host, &address.sin6_addr)
        withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
      } else {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        withUnsafeBytes(of: address) { bytes.copyMemory(from: $0) }
      }
    }
    return storage
  }
}
