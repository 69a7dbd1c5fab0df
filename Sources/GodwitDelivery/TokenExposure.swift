package import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Checks whether a token can be intercepted.
package enum TokenExposure {
  /// Returns a warning sentence for an address that begins with `http:` and is not on this machine; `nil` for any other.
  package static func problem(of url: URL?, name: String) -> String? {
    guard let url, url.scheme?.lowercased() == "http", !isLoopback(url.host ?? "") else { return nil }
    return "\(name): The token and every position can be read in transit, because the address begins with http://. Use https://."
  }

  /// Returns whether a host is a loopback address. Only literal addresses and "localhost" count: another name can resolve to any
  /// address.
  private static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    if host == "localhost" { return true }
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    var six = in6_addr()
    guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
    return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
  }
}
