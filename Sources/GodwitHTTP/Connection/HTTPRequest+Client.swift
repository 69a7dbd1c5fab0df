internal import Foundation

extension HTTPRequest {
  /// The address of the client, without its port: as a trusted proxy reports it, otherwise the peer's. Headers of other
  /// proxies are ignored, because any client can send them.
  package var clientAddress: String { forwarding?.client ?? peerAddress }

  /// The numeric address of the peer, which may be a proxy.
  var peerAddress: String { peer?.description ?? "127.0.0.1" }

  /// Whether the peer is a trusted proxy.
  package var isFromTrustedProxy: Bool { server.configuration.trustedProxies.contains(peerAddress) }

  /// Whether the peer is on this machine.
  package var isFromLoopback: Bool { peer?.isLoopback ?? false }

  /// Whether the request comes from this machine, with this machine's name as host and without headers of a proxy. A proxy
  /// may add no headers, so that this only exempts from limits and grants no access.
  package var isFromThisMachine: Bool {
    isFromLoopback && !isForwarded && LocalHost.isNamed(by: header("Host"), port: server.port)
  }

  /// Whether the request has headers of a proxy.
  package var isForwarded: Bool { ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded"].contains { header($0) != nil } }

  /// Whether the client uses TLS, with this server or a trusted proxy.
  package var isSecure: Bool { server.configuration.isSecure || forwarding?.scheme == "https" }

  /// The host of the request with its port.
  package var host: String? { forwarding?.host ?? header("Host") }

  /// The credentials of the request; `nil`: absent or malformed.
  package var authorization: Authorization? { header("Authorization").flatMap { Authorization($0) } }

  /// `_8080` if the request's Host has a port.
  package var hostPortSuffix: String {
    header("Host").flatMap { HostAndPort($0) }.map { "_\($0.port)" } ?? ""
  }
}

extension HTTPRequest {
  /// The value of `Set-Cookie` for an administrator's session. Browsers send a host's cookies to all its ports, so the
  /// port is in the name.
  package func administratorCookie(_ name: String, _ secret: String, days: Double) -> String {
    secretCookie(name + hostPortSuffix, secret, days: days, sameSite: .strict, isSecure: isSecure)
  }
}
