internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The addresses at which other machines of the same network can reach this machine.
package enum LocalNetwork {
  /// Numeric IPv4 addresses of private networks and of VPNs. The address of the default route is first. Public addresses
  /// and addresses of containers on this machine are not included.
  package static var addresses: [String] {
    let found = interfaces.filter { isPrivate($0.address) && !isInternal($0.name) }.map(\.address)
    guard let main = ofDefaultRoute, found.contains(main) else { return found }
    return [main] + found.filter { $0 != main }
  }

  /// Whether an address belongs to a private network (RFC 1918) or to the shared address space of carriers and VPNs (RFC
  /// 6598).
  /// - Parameter address: a numeric IPv4 address.
  package static func isPrivate(_ address: String) -> Bool {
    var four = in_addr()
    guard inet_pton(AF_INET, address, &four) == 1 else { return false }
    let number = UInt32(bigEndian: four.s_addr)
    return number >> 24 == 10 || number >> 20 == 0xAC1 || number >> 16 == 0xC0A8 || number >> 22 == 0x191
  }

  /// Whether an interface connects containers or virtual machines of this machine.
  static func isInternal(_ name: String) -> Bool {
    ["docker", "veth", "br-", "virbr", "vnet", "podman", "cni", "lxc"].contains { name.hasPrefix($0) }
  }

  /// IPv4 addresses of the interfaces that are up, except the loopback.
  private static var interfaces: [(name: String, address: String)] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [(name: String, address: String)] = []
    var next = first
    while let interface = next?.pointee {
      next = interface.ifa_next
      let flags = Int32(truncatingIfNeeded: interface.ifa_flags)
      guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
        let address = interface.ifa_addr, Int32(address.pointee.sa_family) == AF_INET
      else { continue }
      let text = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { Self.text($0.pointee) }
      if let text { found.append((String(cString: interface.ifa_name), text)) }
    }
    return found
  }

  /// The address of the default route. No packet is sent: connecting a datagram socket only selects the route, here to an
  /// address that is reserved for documentation (RFC 5737).
  private static var ofDefaultRoute: String? {
    #if canImport(Glibc)
      let kind = Int32(SOCK_DGRAM.rawValue)
    #else
      let kind = SOCK_DGRAM
    #endif
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0, let there = ListenAddress("198.51.100.1:9") else { return nil }
    defer { close(descriptor) }
    let storage = there.storage
    var own = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isFound = withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    guard isFound else { return nil }
    let hasName = withUnsafeMutablePointer(to: &own) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
    }
    return hasName ? text(own) : nil
  }

  private static func text(_ address: sockaddr_in) -> String? {
    var number = address.sin_addr
    var text = [CChar](repeating: 0, count: Int(INET_ADDRSTRLEN))
    guard inet_ntop(AF_INET, &number, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
