#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The numeric address of a peer, without its port.
struct PeerAddress: CustomStringConvertible {
  private enum Number {
    case four(in_addr)
    case six(in6_addr)
    case unknown
  }
  private let number: Number

  /// 127.0.0.1.
  static let thisMachine = PeerAddress(.four(in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)))

  private init(_ number: Number) { self.number = number }

  /// - Parameter address: the socket address, complete for its family.
  init(_ address: UnsafePointer<sockaddr>) {
    number =
      switch Int32(address.pointee.sa_family) {
      case AF_INET: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { .four($0.pointee.sin_addr) }
      case AF_INET6: address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { .six($0.pointee.sin6_addr) }
      default: .unknown
      }
  }

  /// Whether it is an address of this machine.
  var isLoopback: Bool {
    switch number {
    case .four(let address): return UInt32(bigEndian: address.s_addr) >> 24 == 127
    case .six(let address):
      return withUnsafeBytes(of: address) { bytes in
        let mapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        return mapped ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
      }
    case .unknown: return false
    }
  }

  var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    switch number {
    case .four(var address): _ = inet_ntop(AF_INET, &address, &text, socklen_t(text.count))
    case .six(var address): _ = inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
    case .unknown: return "unknown"
    }
    let written = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // An IPv4 address has the same text on an IPv6 socket.
    return written.hasPrefix("::ffff:") && written.contains(".") ? String(written.dropFirst(7)) : written
  }
}
