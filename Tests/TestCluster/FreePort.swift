public import Foundation
import Synchronization

extension TestCluster {
  /// Returns a free port outside of the ports that systems assign to outgoing connections (32768 and above on Linux, 49152 and above
  /// elsewhere). A program can therefore be restarted with the same port.
  /// - Throws: ``Failure`` if all ports are in use.
  public static func freePort() throws -> UInt16 {
    for _ in ports {
      // Other test processes start with other ports.
      let number = given.add(1, ordering: .relaxed).newValue &+ Int(getpid()) &* 101
      let port = ports.lowerBound + UInt16(number % ports.count)
      if isFree(port) { return port }
    }
    throw Failure(description: "no free port on 127.0.0.1 among \(ports)")
  }

  private static let ports: Range<UInt16> = 20_000..<32_000
  private static let given = Atomic<Int>(0)

  private static func isFree(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return withLoopback(port) { bind(descriptor, $0, $1) } == 0
  }

  /// Calls `body` with the address of a port of this machine and with its size.
  public static func withLoopback<Result>(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
