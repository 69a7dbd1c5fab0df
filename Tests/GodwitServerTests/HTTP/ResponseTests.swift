import Foundation
import GodwitAccounts
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitHTTP
@testable import GodwitServer

@Suite("Response headers")
struct ResponseTests {
  private static let start = Date(timeIntervalSince1970: 1_795_000_000)

  // MARK: Entity tags

  @Test(
    "a GET response has an entity tag, and If-None-Match with this tag returns no body",
    arguments: [
      "/api/v1/points", "/api/v1/tracks", "/api/v1/devices", "/api/v1/regions", "/api/v1/openapi.json", "/api", "/", "/base.css",
      "/api/v1/groups",
      "/api/v1/zones", "/api/v1/users",
    ])
  func tags(_ path: String) async throws {
    try await AccountServer.with { server in
      let anna = try await server.session(of: try await server.user("anna", .admin))
      let phone = try await server.device("phone", of: nil)
      try server.upload(phone.caller, [(46, 14), (46.1, 14.1)], from: Self.start)
      let first = server.send("GET", path, as: anna)
      let tag = try #require(first.headers["etag"], "\(path)")
      #expect(first.status == 200 && tag.hasPrefix("\"") && tag.hasSuffix("\""))
      for word in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        for method in ["GET", "HEAD"] {
          let again = server.send(method, path, as: anna, headers: ["If-None-Match": word])
          #expect(again.status == 304 && again.text.isEmpty && again.headers["etag"] == tag, "\(method) \(word)")
          #expect(again.headers["cache-control"] == first.headers["cache-control"])
        }
      }
      #expect(server.send("GET", path, as: anna, headers: ["If-None-Match": "\"other\""]).status == 200)
    }
  }

  @Test("a new point changes the entity tag; a restarted server with the same points has the same tag")
  func changing() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let phone = try await server.device("phone", of: nil)
      try server.upload(phone.caller, [(46, 14)], from: Self.start)
      let tag = server.send("GET", "/api/v1/points", as: administrator).headers["etag"]
      try server.restart()
      #expect(server.send("GET", "/api/v1/points", as: administrator).headers["etag"] == tag)
      try server.upload(phone.caller, [(46.02, 14)], from: Self.start.addingTimeInterval(60))
      let now = server.send("GET", "/api/v1/points", as: administrator, headers: ["If-None-Match": tag ?? ""])
      #expect(now.status == 200 && now.headers["etag"] != tag)
    }
  }

  @Test(
    "a change with If-Match needs the current entity tag",
    arguments: [
      ("/api/v1/devices/phone/regions", #"{"tags":["shops"]}"#, #"{"tags":["night"]}"#),
      ("/api/v1/devices/phone/retention", #"{"keep_days":30}"#, #"{"keep_days":60}"#),
      ("/api/v1/devices/phone/settings", #"{"send_interval":"10s"}"#, #"{"main":{"min_distance":"50m"}}"#),
      ("/api/v1/profile", #"{"name":"Anna"}"#, #"{"name":"Ann"}"#),
    ])
  func matching(_ path: String, _ first: String, _ second: String) async throws {
    try await AccountServer.with { server in
      let user = try await server.user("anna", .admin)
      let anna = try await server.session(of: user)
      _ = try await server.device("phone", of: user)
      let old = try #require(server.send("GET", path, as: anna).headers["etag"])
      let put = server.send("PUT", path, as: anna, body: first, headers: ["If-Match": old])
      #expect(put.status == 200, "\(put.text)")
      let new = try #require(put.headers["etag"])
      #expect(server.send("GET", path, as: anna).headers["etag"] == new)
      for wrong in [old, "W/\(new)", "\"other\""] {
        let late = server.send("PUT", path, as: anna, body: second, headers: ["If-Match": wrong])
        #expect(late.status == 412 && late.object["type"] as? String == "/api#changed-meanwhile", "\(wrong)")
      }
      #expect(server.send("GET", path, as: anna).headers["etag"] == new)
      #expect(server.send("PUT", path, as: anna, body: second, headers: ["If-Match": "\"other\", \(new)"]).status == 200)
      #expect(server.send("PUT", path, as: anna, body: first, headers: ["If-Match": "*"]).status == 200)
    }
  }

  // MARK: Compression

  @Test(
    "a long response is compressed for clients that accept gzip, with its own tag",
    arguments: [("gzip", true), ("br, gzip;q=0.5", true), ("GZIP", true), ("gzip;q=0", false), ("br", false), ("", false)])
  func compression(_ accepted: String, _ isCompressed: Bool) async throws {
    try await AccountServer.with { server in
      let plain = server.send("GET", "/api/v1/openapi.json")
      let response = server.send("GET", "/api/v1/openapi.json", headers: ["Accept-Encoding": accepted])
      #expect(response.headers["vary"] == "Accept-Encoding")
      #expect((response.headers["content-encoding"] == "gzip") == isCompressed)
      #expect((response.body.count < plain.body.count / 4) == isCompressed)
      let tag = try #require(response.headers["etag"])
      #expect((tag == plain.headers["etag"]) == !isCompressed)
      if isCompressed {
        #expect(try RequestBody.decoded(response.body, encoding: "gzip", limit: 1 << 24) == plain.body)
      }
      // Both tags are valid for If-None-Match.
      let headers = ["Accept-Encoding": accepted, "If-None-Match": tag]
      #expect(server.send("GET", "/api/v1/openapi.json", headers: headers).status == 304)
      #expect(server.send("GET", "/api/v1/openapi.json", headers: ["If-None-Match": tag]).status == 304)
    }
  }

  @Test("the entity tag of a compressed response is valid for If-Match")
  func compressedRevision() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let tags = (0..<60).map { "\"a rather long tag, number \($0)\"" }.joined(separator: ",")
      let region = #"{"name":"A","center":{"latitude":46,"longitude":14},"radius":100,"tags":[\#(tags)]}"#
      let made = server.send("PUT", "/api/v1/regions/a", as: administrator, body: region)
      let compressed = server.send("GET", "/api/v1/regions/a", as: administrator, headers: ["Accept-Encoding": "gzip"])
      let tag = try #require(compressed.headers["etag"])
      #expect(made.status == 201, "\(made.text)")
      #expect(compressed.headers["content-encoding"] == "gzip" && tag == "\"1-gz\"")
      #expect(
        server.send("PUT", "/api/v1/regions/a", as: administrator, body: region, headers: ["If-Match": tag]).status == 200)
    }
  }

  // MARK: Request ids and problems

  @Test(
    "a request has the id of its header if that is valid",
    arguments: [
      ("3f2a-77.B_", true), (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false), ("", false),
      ("a b", false), ("a\"b", false), ("é", false), ("gw_secret", false), ("a,b", false),
    ])
  func requestIDs(_ sent: String, _ isTaken: Bool) async throws {
    try await AccountServer.with { server in
      let response = server.send("GET", "/healthz", headers: ["X-Request-Id": sent])
      let name = try #require(response.headers["x-request-id"])
      #expect((name == sent) == isTaken)
      #expect(server.send("GET", "/healthz").headers["x-request-id"] != name || isTaken)
      let problem = server.send("GET", "/api/nothing", headers: ["X-Request-Id": sent])
      #expect(problem.object["request_id"] as? String == problem.headers["x-request-id"])
    }
  }

  @Test("problems have a type that the documentation explains")
  func problems() async throws {
    try await AccountServer.with { server in
      let page = server.send("GET", "/api").text
      for (method, path, kind) in [
        ("GET", "/api/nothing", "not-found"), ("GET", "/api/v1/devices", "unauthorized"),
        ("PATCH", "/api/v1/devices", "method-not-allowed"),
        ("POST", "/api/v1/session", "bad-request"),
      ] {
        let response = server.send(method, path)
        #expect(response.headers["content-type"] == "application/problem+json")
        #expect(response.object["type"] as? String == "/api#\(kind)")
        #expect(response.object["status"] as? Int == response.status)
        #expect(response.headers["cache-control"] == "no-store")
        #expect(page.contains("id=\"\(kind)\""))
      }
    }
  }

  @Test("no personal data is stored by shared caches, and every response has the security headers")
  func privacy() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      var succeeded = 0
      for route in Routes.table where route.methods.contains("GET") && route.access != .open && route.path != "/api/v1/events" {
        let response = server.send("GET", route.path, as: administrator)
        if response.status == 200 { succeeded += 1 }
        let caching = response.headers["cache-control"] ?? ""
        #expect(caching == "no-store" || caching.hasPrefix("private"), "\(route.path): \(caching)")
        #expect(response.headers["x-content-type-options"] == "nosniff", "\(route.path)")
        #expect(response.headers["referrer-policy"] == "same-origin", "\(route.path)")
      }
      // Routes with a parameter respond with an error here.
      #expect(succeeded > 10, "\(succeeded)")
    }
  }

  // MARK: Methods

  @Test("every address allows its methods and rejects the others", arguments: Set(Routes.table.map(\.path)).sorted())
  func methods(_ path: String) async throws {
    try await AccountServer.with { server in
      let allowed = Set(Routes.table.filter { $0.path == path }.flatMap(\.methods))
      let preflight = server.send("OPTIONS", path)
      #expect(preflight.status == 204 && preflight.text.isEmpty)
      let words = (preflight.headers["allow"] ?? "").components(separatedBy: ", ")
      #expect(words.count == Set(words).count)
      #expect(Set(words).isSuperset(of: allowed.union(["OPTIONS"]).union(allowed.contains("GET") ? ["HEAD"] : [])), "\(words)")
      for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"] where !words.contains(method) {
        let response = server.send(method, path)
        #expect(response.status == 405 && response.headers["allow"] == preflight.headers["allow"], "\(method)")
      }
    }
  }

  @Test("files of the pages allow GET and HEAD, and unknown files return 404")
  func files() async throws {
    try await AccountServer.with { server in
      #expect(server.send("POST", "/base.css").headers["allow"] == "GET, HEAD, OPTIONS")
      #expect(server.send("OPTIONS", "/base.css").status == 204)
      #expect(server.send("OPTIONS", "/nothing").status == 404)
    }
  }

  // MARK: Other origins

  @Test("pages of other origins can read only if allowed, and only with a token, never with a cookie")
  func origins() async throws {
    let there = "https://maps.example.org"
    try await AccountServer.with { server in
      let response = server.send("GET", "/healthz", headers: ["Origin": there])
      #expect(response.headers.keys.filter { $0.hasPrefix("access-control") } == [])
      #expect(server.send("OPTIONS", "/healthz", headers: ["Origin": there]).headers["access-control-allow-methods"] == nil)
    }
    for (allowed, value) in [([there, "https://other.example"], there), (["*"], "*")] {
      try await AccountServer.with {
        $0.allowedOrigins = allowed
      } _: { server in
        let administrator = AccountServer.Caller.bearing(try server.administratorToken)
        let preflight = server.send(
          "OPTIONS", "/api/v1/regions/a",
          headers: ["Origin": there, "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"])
        #expect(preflight.status == 204 && preflight.headers["access-control-allow-origin"] == value)
        #expect(preflight.headers["access-control-allow-methods"]?.contains("PUT") == true)
        #expect(preflight.headers["access-control-allow-headers"]?.contains("Authorization") == true)
        let response = server.send("GET", "/api/v1/devices", as: administrator, headers: ["Origin": there])
        #expect(response.status == 200 && response.headers["access-control-allow-origin"] == value)
        #expect(response.headers["access-control-expose-headers"]?.contains("ETag") == true)
        // Error responses are readable as well.
        #expect(server.send("GET", "/api/v1/devices", headers: ["Origin": there]).headers["access-control-allow-origin"] == value)
        for response in [preflight, response] { #expect(response.headers["access-control-allow-credentials"] == nil) }
        if value != "*" {
          let unmanaged = server.send("GET", "/healthz", headers: ["Origin": "https://evil.example"])
          #expect(unmanaged.headers["access-control-allow-origin"] == nil)
        }
        // A cross-site request with a session cookie is rejected, even from an allowed origin.
        let anna = try await server.session(of: try await server.user("anna", .admin))
        let change = server.send(
          "DELETE", "/api/v1/regions?all=true", as: anna, headers: ["Origin": there, "Sec-Fetch-Site": "cross-site"])
        #expect(change.status == 403)
      }
    }
  }

  @Test(
    "an origin consists of a scheme, a host and an optional port",
    arguments: [
      ("https://example.org", true), ("http://localhost:3000", true), ("*", true), ("example.org", false), ("https://", false),
      ("https://example.org/", false), ("https://example.org/a", false), ("ftp://example.org", false),
      ("https://a@example.org", false),
    ])
  func origin(_ text: String, _ isOne: Bool) { #expect(Server.isOrigin(text) == isOne) }
}
