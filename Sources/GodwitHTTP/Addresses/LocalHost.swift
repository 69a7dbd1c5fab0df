internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Checks whether a Host header names this machine.
package enum LocalHost {
  /// Whether a Host header names this machine: a literal loopback address or `localhost`, with the server's port.
  ///
  /// Other names are rejected: a name such as `127.example.org` can resolve to this machine (DNS rebinding).
  ///
  /// - Parameters:
  ///   - header: the header's value; browsers always send it.
  ///   - port: the listening port; `nil` if the server does not listen.
  package static func isNamed(by header: String?, port: UInt16?) -> Bool {
    guard let header else { return true }
    let name: Substring
    let rest: Substring
    if header.hasPrefix("[") {
      guard let end = header.firstIndex(of: "]") else { return false }
      (name, rest) = (header[header.index(after: header.startIndex)..<end], header[header.index(after: end)...])
      guard isLoopback(six: String(name)) else { return false }
    } else {
      name = header.prefix { $0 != ":" }
      rest = header[name.endIndex...]
      guard name.lowercased() == "localhost" || isLoopback(four: String(name)) else { return false }
    }
    guard let port else { return true }
    return rest == ":\(port)" || (rest.isEmpty && (port == 80 || port == 443))
  }

  private static func isLoopback(four text: String) -> Bool {
    var address = in_addr()
    return inet_pton(AF_INET, text, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
  }

  private static func isLoopback(six text: String) -> Bool {
    var address = in6_addr()
    guard inet_pton(AF_INET6, text, &address) == 1 else { return false }
    return withUnsafeBytes(of: address) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
