import TestClient
import Testing

@testable import GodwitHTTP
@testable import GodwitServer

@Suite("HTTP Strict Transport Security")
struct TransportSecurityTests {
  @Test(
    "the header is sent over TLS with a host name, unless it is disabled",
    arguments: [
      ("https", "godwit.example", true, "max-age=31536000"), ("https", "godwit.example", false, nil),
      ("http", "godwit.example", true, nil), ("https", "localhost:8080", true, nil), ("https", "127.0.0.1:8080", true, nil),
    ] as [(String, String, Bool, String?)])
  func header(_ scheme: String, _ host: String, _ keepsToTLS: Bool, _ value: String?) async throws {
    let configure = { (configuration: inout Server.Configuration) in configuration.keepsToTLS = keepsToTLS }
    try await AccountServer.with(configure: configure) { server in
      let headers = ["X-Forwarded-Proto": scheme, "X-Forwarded-For": "192.0.2.7", "Host": host]
      for path in ["/sign-in", "/healthz", "/nothing"] {
        #expect(server.send("GET", path, headers: headers).headers["strict-transport-security"] == value, "\(path)")
      }
    }
  }

  @Test("the header is not sent to a client that forges X-Forwarded-Proto")
  func untrusted() async throws {
    let configure = { (configuration: inout Server.Configuration) in configuration.trustedProxies = TrustedProxies([]) }
    try await AccountServer.with(configure: configure) { server in
      let headers = ["X-Forwarded-Proto": "https", "X-Forwarded-For": "192.0.2.7", "Host": "godwit.example"]
      #expect(server.send("GET", "/sign-in", headers: headers).headers["strict-transport-security"] == nil)
    }
  }
}
