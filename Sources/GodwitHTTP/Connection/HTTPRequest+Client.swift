internal import Foundation

extension HTTPRequest {
  /// The address that the request came from, without its port: of the client, where a proxy that is believed says whose it is.
  /// Other proxies are taken for clients: any client may write such a header.
  package var clientAddress: String { forwarding?.client ?? peerAddress }

  /// The numeric address of the other side, which may be a proxy's.
  var peerAddress: String { peer?.description ?? "127.0.0.1" }

  /// The other side is a proxy whose headers are trusted.
  package var isFromTrustedProxy: Bool { server.configuration.trustedProxies.contains(peerAddress) }

  /// The other side is on this machine.
  package var isFromLoopback: Bool { peer?.isLoopback ?? false }

  /// A program of this machine asks, by this machine's name, and as far as the request says not through a proxy. Proxies
  /// may say nothing: this opens nothing, and only exempts from limits.
  package var isFromThisMachine: Bool {
    isFromLoopback && !isForwarded && LocalHost.isNamed(by: header("Host"), port: server.port)
  }

  /// Its headers say that it came through a proxy.
  package var isForwarded: Bool { ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded"].contains { header($0) != nil } }

  /// The client speaks TLS: with this server, or with a proxy that is believed.
  package var isSecure: Bool { server.configuration.isSecure || forwarding?.scheme == "https" }

  /// What the client calls this server, with its port.
  package var host: String? { forwarding?.host ?? header("Host") }

  /// The credentials that the request carries; `nil`: none, or none that can be read.
  package var authorization: Authorization? { header("Authorization").flatMap { Authorization($0) } }

  /// `_8080` where the request's Host has a port.
  package var hostPortSuffix: String {
    let host = header("Host") ?? ""
    guard host.last != "]", let colon = host.lastIndex(of: ":"), let port = UInt16(host[host.index(after: colon)...]) else {
      return ""
    }
    return "_\(port)"
  }
}

extension HTTPRequest {
  /// The value of `Set-Cookie` for the session of an owner. Browsers give a host's cookies to all its ports, so the port is in the
  /// name.
  package func ownerCookie(_ name: String, _ secret: String, days: Double) -> String {
    secretCookie(name + hostPortSuffix, secret, days: days, sameSite: .strict, isSecure: isSecure)
  }
}
