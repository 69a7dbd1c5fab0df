internal import Foundation

/// Under which address another device of the same network finds this machine.
enum NetworkAddress {
  /// The first IPv4 address of an interface that is up and is not the loopback.
  static var ofThisMachine: String? {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return nil }
    defer { freeifaddrs(first) }
    var next = first
    while let interface = next?.pointee {
      next = interface.ifa_next
      let flags = Int32(truncatingIfNeeded: interface.ifa_flags)
      guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
        let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET
      else { continue }
      var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
      let isWritten = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
        var number = four.pointee.sin_addr
        return inet_ntop(AF_INET, &number, &text, socklen_t(text.count)) != nil
      }
      if isWritten { return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }
    return nil
  }
}
