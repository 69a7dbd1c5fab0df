import Foundation
import TestCluster
import TestParts
import Testing

@testable import GodwitAccounts

#if canImport(Glibc)
  import Glibc
#endif

/// `godwit serve` behind a real nginx that speaks TLS.
@Suite(
  "Behind nginx", .serialized, .timeLimit(.minutes(20)),
  .enabled(if: TestPart.nginx.isRun, "\(TestPart.nginx.reason)"))
struct ReverseProxyTests {
  /// The example of the repository, without its `proxy_pass`.
  private static let directives: String = {
    let file = Walk.root.appendingPathComponent("Packaging/proxy/nginx.conf")
    let lines =
      ((try? String(contentsOf: file, encoding: .utf8)) ?? "").components(separatedBy: "location / {").dropFirst().first?
      .components(separatedBy: "}").first?.split(separator: "\n") ?? []
    return lines.filter { !$0.contains("proxy_pass ") && !$0.contains("#") }.joined(separator: "\n")
  }()

  @Test("the example passes the headers that the server needs")
  func example() { #expect(Self.directives.contains("X-Forwarded-Host") && Self.directives.contains("proxy_buffering off")) }

  /// - Parameters:
  ///   - isPlain: with nothing but `proxy_pass`, and without TLS.
  ///   - more: directives of the location.
  private static func nginx(
    for server: ServerWithOptions, in folder: TemporaryFolder, isPlain: Bool = false, more: String = ""
  ) async throws -> (Background, UInt16) {
    let port = try TestCluster.freePort()
    let made = try Executable.run(
      try #require(Executable.find("openssl")),
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
        "subjectAltName=DNS:localhost", "-keyout", folder.path("nginx.key"), "-out", folder.path("nginx.crt"),
      ])
    #expect(made.status == 0, "\(made.errorOutput)")
    let configuration = folder.path("nginx.conf")
    try """
    \(getuid() == 0 ? "user root;" : "")
    daemon off;
    pid \(folder.path("nginx.pid"));
    error_log \(folder.path("error.log"));
    events {}
    http {
      access_log off;
      client_body_temp_path \(folder.path("body"));
      proxy_temp_path \(folder.path("proxy"));
      fastcgi_temp_path \(folder.path("fastcgi"));
      uwsgi_temp_path \(folder.path("uwsgi"));
      scgi_temp_path \(folder.path("scgi"));
      server {
        listen 127.0.0.1:\(port) \(isPlain ? "" : "ssl");
        \(isPlain ? "" : "ssl_certificate \(folder.path("nginx.crt")); ssl_certificate_key \(folder.path("nginx.key"));")
        location / {
          proxy_pass http://127.0.0.1:\(server.port);
          \(isPlain ? "" : directives)
          \(more)
        }
      }
    }
    """.write(toFile: configuration, atomically: true, encoding: .utf8)
    let nginx = try Background(
      try #require(Executable.find("nginx")), ["-e", folder.path("error.log"), "-c", configuration], in: folder)
    try await nginx.wait("nginx to listen") { FileManager.default.fileExists(atPath: folder.path("nginx.pid")) ? true : nil }
    return (nginx, port)
  }

  private static func signIn(_ base: String, _ certificate: String, _ headers: [String] = []) throws -> String {
    try ServerWithOptions.curl(
      // From an address other than that of nginx.
      ["-i", "-4", "--interface", "127.0.0.5", "--cacert", certificate, "-d", #"{"name":"anna","password":"correct horse"}"#]
        + headers.flatMap { ["-H", $0] }
        + ["\(base)/api/v1/session"]
    ).text
  }

  /// Returns the addresses of sign-ins in the audit log, the newest first.
  private static func addresses(_ base: String, _ certificate: String, _ token: String) throws -> [String] {
    let response = try ServerWithOptions.curl([
      "--cacert", certificate, "-H", "Authorization: Bearer \(token)", "\(base)/api/v1/audit?action=sign-in",
    ])
    let object = try #require(JSONSerialization.jsonObject(with: response.output) as? [String: Any], "\(response.text)")
    return (object["entries"] as? [[String: Any]] ?? []).compactMap { $0["address"] as? String }
  }

  @Test(
    "the address of the client is the one that nginx reports, whatever the client sends; without trust it is that of nginx",
    arguments: [(["--trust-proxy", "127.0.0.1"], "127.0.0.5", "Secure"), (["--trust-proxy", "none"], "127.0.0.1", "")])
  func client(_ options: [String], _ address: String, _ attribute: String) async throws {
    let folder = try TemporaryFolder()
    let server = try await ServerWithOptions(options + ["--log", "json", "--log-level", "info"], in: folder)
    let (nginx, port) = try await Self.nginx(for: server, in: folder)
    let certificate = folder.path("nginx.crt")
    let base = "https://localhost:\(port)"
    let token = try server.administratorToken
    let added = try ServerWithOptions.curl([
      "--cacert", certificate, "-H", "Authorization: Bearer \(token)", "-d",
      #"{"name":"anna","password":"correct horse","role":"admin"}"#, "\(base)/api/v1/users",
    ])
    #expect(added.text.contains(#""name":"anna""#), "\(added.text)")
    // The client sends headers with a false address.
    let response = try Self.signIn(base, certificate, ["X-Forwarded-For: 203.0.113.9", "Forwarded: for=203.0.113.9"])
    #expect(response.contains("200 OK"), "\(response)")
    #expect(response.contains("; Secure") == !attribute.isEmpty)
    let seen = try Self.addresses(base, certificate, token)
    #expect(seen == [address], "\(seen)")
    // A page of the server may send changes, although its origin is the address of nginx.
    let cookie = try #require(response.firstMatch(of: #/godwit_session=([^;]+)/#)?.1)
    let page = try ServerWithOptions.curl([
      "--cacert", certificate, "-b", "godwit_session=\(cookie)", "-H", "Origin: \(base)", "-H", "Content-Type: application/json",
      "-d", #"{"name":"bike"}"#, "\(base)/api/v1/devices",
    ])
    #expect(page.text.contains(#""device":"bike""#), "\(page.text)")
    // The log has the address of the client, and no secret.
    let log = server.background.errorOutput.split(separator: "\n").filter { $0.hasPrefix("{") }
    #expect(!log.contains { $0.contains(token) || $0.contains("gw_") || $0.contains("correct horse") })
    #expect(log.contains { $0.contains(#""route":"/api/v1/session""#) && $0.contains(#""address":"\#(address)""#) })
    nginx.interrupt()
    _ = try await nginx.waitForEnd()
    try await server.stop()
  }

  @Test("the user is the one that nginx reports, whatever the client sends; without nginx the header has no effect")
  func identity() async throws {
    let folder = try TemporaryFolder()
    let server = try await ServerWithOptions(
      ["--trust-proxy", "127.0.0.1", "--identity-header", "Remote-User", "--identity-create"], in: folder)
    let (nginx, port) = try await Self.nginx(for: server, in: folder, more: "proxy_set_header Remote-User anna;")
    func user(_ address: String) throws -> String {
      try ServerWithOptions.curl([
        "-4", "--interface", "127.0.0.5", "--cacert", folder.path("nginx.crt"), "-H", "Remote-User: root",
        "\(address)/api/v1/session",
      ]).text
    }
    let through = try user("https://localhost:\(port)")
    #expect(through.contains(#""name":"anna","role":"member""#), "\(through)")
    let past = try user("http://127.0.0.1:\(server.port)")
    #expect(past.contains("Sign-in needed") && !past.contains("anna"), "\(past)")
    nginx.interrupt()
    _ = try await nginx.waitForEnd()
    try await server.stop()
  }

  // If such a proxy counted as this machine, its first client would become the administrator.
  @Test("behind a plain proxy_pass no data is read and no administrator is created without a secret")
  func plainProxy() async throws {
    let folder = try TemporaryFolder()
    let server = try await ServerWithOptions(in: folder, listen: "127.0.0.1:0")
    let (nginx, port) = try await Self.nginx(for: server, in: folder, isPlain: true)
    try Self.expectClosed("http://127.0.0.1:\(port)", server)
    nginx.interrupt()
    _ = try await nginx.waitForEnd()
    try await server.stop()
  }

  @Test(
    "through socat, which adds no header, no data is read and no administrator is created without a secret",
    .enabled(if: TestPart.socat.isRun, "\(TestPart.socat.reason)"))
  func socat() async throws {
    let folder = try TemporaryFolder()
    let server = try await ServerWithOptions(in: folder, listen: "127.0.0.1:0")
    let port = try TestCluster.freePort()
    let socat = try Background(
      try #require(Executable.find("socat")),
      ["TCP-LISTEN:\(port),bind=127.0.0.1,fork,reuseaddr", "TCP:127.0.0.1:\(server.port)"], in: folder)
    try await socat.wait("socat to listen") {
      try ServerWithOptions.curl(["http://127.0.0.1:\(port)/healthz"]).status == 0 ? true : nil
    }
    try Self.expectClosed("http://127.0.0.1:\(port)", server)
    socat.kill()
    _ = try await socat.waitForEnd()
    try await server.stop()
  }

  /// Expects that requests without a token are rejected for every host name, and that requests with one are accepted.
  private static func expectClosed(_ base: String, _ server: ServerWithOptions) throws {
    func status(_ arguments: [String]) throws -> String {
      try ServerWithOptions.curl(["-o", "/dev/null", "-w", "%{http_code}"] + arguments).text
    }
    let token = try server.administratorToken
    for name in ["track.example.org", "127.evil.example", "127.0.0.1:\(server.port)", "localhost"] {
      let host = ["-H", "Host: \(name)", "-H", "Origin: http://\(name)"]
      for path in ["devices", "points", "users", "settings", "webhooks"] {
        #expect(try status(host + ["\(base)/api/v1/\(path)"]) == "401", "\(name) \(path)")
      }
      let user = #"{"name":"mallory","password":"correct horse"}"#
      #expect(try status(host + ["-d", user, "\(base)/api/v1/users"]) == "401", "\(name)")
      #expect(try status(host + ["-H", "Authorization: Bearer \(token)", "\(base)/api/v1/devices"]) == "200")
    }
    for path in ["healthz", "sign-in"] { #expect(try status(["\(base)/\(path)"]) == "200") }
  }
}
