import Foundation
import GodwitAccounts
import TestClient
import Testing

@testable import GodwitHTTP
@testable import GodwitServer

@Suite("Reverse proxies")
struct ProxyTests {
  @Test(
    "a range contains the addresses with its prefix",
    arguments: [
      ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.7", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.8", false), ("192.0.2.0/25", "192.0.2.127", true), ("192.0.2.0/25", "192.0.2.128", false),
      ("fd00::/8", "fdab::1", true), ("fd00::/8", "fe80::1", false), ("::1", "::1", true), ("0.0.0.0/0", "203.0.113.9", true),
      ("0.0.0.0/0", "::1", false), ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("10.0.0.0/8", "unknown", false),
    ])
  func range(_ range: String, _ address: String, _ isIn: Bool) throws {
    #expect(try #require(AddressRange(range)).contains(address) == isIn)
  }

  @Test(
    "an invalid range is rejected",
    arguments: ["", "/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/8/8", "example.org", "10.0.0"])
  func noRange(_ text: String) { #expect(AddressRange(text) == nil) }

  /// A request, and the values that a server accepts if it trusts 127.0.0.1 and 10.0.0.0/8.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var peer = "127.0.0.1"
    var headers: [String: String]
    var client: String?
    var scheme: String?
    var host: String?
  }

  static let cases: [Case] = [
    Case(testDescription: "no headers", headers: [:]),
    Case(
      testDescription: "a trusted proxy",
      headers: ["X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "go.example.org"],
      client: "198.51.100.1", scheme: "https", host: "go.example.org"),
    Case(
      testDescription: "an untrusted peer", peer: "192.0.2.9",
      headers: ["X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https", "Forwarded": "for=198.51.100.1"]),
    Case(
      testDescription: "addresses from the client precede that of the proxy",
      headers: ["X-Forwarded-For": "10.1.1.1, 1.2.3.4, 198.51.100.1"], client: "198.51.100.1"),
    Case(
      testDescription: "two trusted proxies", headers: ["X-Forwarded-For": "1.2.3.4, 198.51.100.1, 10.0.0.7"],
      client: "198.51.100.1"),
    Case(
      testDescription: "the scheme of the outer proxy",
      headers: ["X-Forwarded-For": "198.51.100.1, 10.0.0.7", "X-Forwarded-Proto": "https, http"], client: "198.51.100.1",
      scheme: "https"),
    Case(testDescription: "proxies only", headers: ["X-Forwarded-For": "10.0.0.8, 10.0.0.7"], client: "10.0.0.8"),
    Case(testDescription: "no address", headers: ["X-Forwarded-For": "unknown"]),
    Case(testDescription: "with ports", headers: ["X-Forwarded-For": "198.51.100.1:4711"], client: "198.51.100.1"),
    Case(testDescription: "IPv6", headers: ["X-Forwarded-For": "[2001:db8::1]:4711"], client: "2001:db8::1"),
    Case(testDescription: "IPv6 without brackets", headers: ["X-Forwarded-For": "2001:db8::1"], client: "2001:db8::1"),
    Case(
      testDescription: "Forwarded",
      headers: [
        "Forwarded": #"for=1.2.3.4;proto=http, for="[2001:db8::1]:47";proto=HTTPS;host="go.example.org:8443";by=10.0.0.1"#
      ],
      client: "2001:db8::1", scheme: "https", host: "go.example.org:8443"),
    Case(
      testDescription: "Forwarded and X-Forwarded-For contradict each other",
      headers: ["Forwarded": "for=1.2.3.4;proto=https", "X-Forwarded-For": "198.51.100.1"]),
    Case(testDescription: "the scheme alone", headers: ["X-Forwarded-Proto": "https"], scheme: "https"),
  ]

  @Test("headers are trusted only from trusted proxies", arguments: cases)
  func forwarded(_ test: Case) {
    let proxies = TrustedProxies(["127.0.0.1", "10.0.0.0/8"].compactMap { AddressRange($0) })
    let found = Forwarding(peer: test.peer, proxies: proxies) { test.headers[$0] }
    #expect(found?.client == test.client)
    #expect(found?.scheme == test.scheme)
    #expect(found?.host == test.host)
  }

  @Test("behind a TLS proxy cookies have the Secure attribute, and the audit log has the client's address")
  func cookies() async throws {
    try await AccountServer.with { server in
      try await server.user("anna", .admin)
      let outside = ["X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https"]
      #expect(server.signIn("anna", headers: outside).headers["set-cookie"]?.contains("; Secure") == true)
      #expect(server.signIn("anna").headers["set-cookie"]?.contains("Secure") == false)
      #expect(try server.log().map(\.address).contains("198.51.100.1"))
      let token = try server.administratorToken
      #expect(server.send("GET", "/?token=\(token)", headers: outside).headers["set-cookie"]?.contains("; Secure") == true)
    }
    // Headers of an untrusted peer have no effect.
    try await AccountServer.with {
      $0.trustedProxies = TrustedProxies([])
    } _: { server in
      try await server.user("anna", .admin)
      let forged = ["X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https"]
      #expect(server.signIn("anna", headers: forged).headers["set-cookie"]?.contains("Secure") == false)
      #expect(!(try server.log().map(\.address).contains("198.51.100.1")))
    }
  }

  // A proxy that adds no headers must not make the server accessible without credentials.
  @Test("a loopback server requires credentials from clients of a local proxy, with or without forwarding headers")
  func localOnly() async throws {
    try await AccountServer.with(listen: "127.0.0.1:0") { server in
      let host = ["Host": "127.0.0.1:8080"]
      #expect(server.send("GET", "/api/v1/devices", headers: host).status == 401)
      for header in ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded"] {
        let through = host.merging([header: header == "Forwarded" ? "for=198.51.100.1" : "198.51.100.1"]) { $1 }
        #expect(server.send("GET", "/api/v1/devices", headers: through).status == 401, "\(header)")
      }
    }
  }
}
