internal import CMicrohttpd
internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

extension Exchange {
  /// The address that the request came from, without its port: of the client, where a proxy on this machine says whose it is
  /// (`X-Forwarded-For`). Other proxies are taken for clients: anybody may write that header.
  var clientAddress: String {
    if isFromLoopback, let forwarded = forwardedFor { return forwarded }
    return peerAddress
  }

  /// A program of this machine asks, and not through a proxy.
  var isFromThisMachine: Bool { isFromLoopback && header("X-Forwarded-For") == nil }

  /// The client speaks TLS: with a proxy on this machine, which says so.
  var isSecure: Bool { isFromLoopback && header("X-Forwarded-Proto")?.lowercased() == "https" }

  /// The last address of the header: the one that our own proxy has seen.
  private var forwardedFor: String? {
    guard let last = header("X-Forwarded-For")?.split(separator: ",").last?.trimmingCharacters(in: .whitespaces) else {
      return nil
    }
    let bare = last.hasPrefix("[") ? String(last.dropFirst().prefix { $0 != "]" }) : last
    return Self.isAddress(bare) ? bare : nil
  }

  private static func isAddress(_ text: String) -> Bool {
    var four = in_addr()
    var six = in6_addr()
    return inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
  }
}
