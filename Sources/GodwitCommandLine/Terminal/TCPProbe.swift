internal import Foundation
internal import GodwitHTTP

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Checks whether a port accepts connections.
package enum TCPProbe {
  /// A host and a port.
  package struct Endpoint: Sendable, Equatable {
    package var host: String
    package var port: UInt16

    /// Parses `HOST:PORT`, with a name, an IPv4 address or an IPv6 address in brackets. `nil` for any other text.
    package init?(_ text: String) {
      guard let parts = HostAndPort(text), parts.port > 0, !parts.host.isEmpty,
        parts.isBracketed || !parts.host.contains(where: { ":[]".contains($0) }),
        !parts.host.contains(where: \.isWhitespace)
      else { return nil }
      (host, port) = (parts.host, parts.port)
    }
  }

  /// Returns whether a connection to one of the addresses of a host succeeds.
  /// - Parameters:
  ///   - host: A name or a numeric address, without brackets.
  ///   - port: The port.
  ///   - limit: Maximum time for each address.
  package static func canConnect(host: String, port: UInt16, within limit: Duration = .seconds(2)) -> Bool {
    var hints = addrinfo()
    #if os(Linux)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    hints.ai_flags = AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return false }
    defer { freeaddrinfo(list) }
    var next = list
    while let address = next {
      if canConnect(to: address.pointee, within: limit) { return true }
      next = address.pointee.ai_next
    }
    return false
  }

  private static func canConnect(to address: addrinfo, within limit: Duration) -> Bool {
    let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { return false }
    if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
    guard errno == EINPROGRESS else { return false }
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&request, 1, Int32(clamping: Int(limit / .milliseconds(1)))) == 1 else { return false }
    var fault: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &fault, &size) == 0 && fault == 0
  }
}
