import Foundation
import TestClient
import Testing

@testable import GodwitHTTP
@testable import GodwitServer
@testable import GodwitStore

@Suite("Pages")
struct PagesTests {
  @Test("the served bytes equal those of the files")
  func served() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-pages-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let configuration = Server.Configuration(listen: try #require(ListenAddress("127.0.0.1:0")), dataFolder: folder.path)
    let local = LocalServer(try Server(configuration: configuration))
    defer { local.close() }
    let pages = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/GodwitServer/Web/Pages")
    let names = try FileManager.default.contentsOfDirectory(atPath: pages.path).filter { !$0.hasSuffix(".html") }
    #expect(names.count > 20)
    for name in names {
      let response = local.respond(LocalRequest(method: "GET", path: "/\(name)"))
      #expect(response.status == 200, "\(name)")
      #expect(response.body == [UInt8](try Data(contentsOf: pages.appendingPathComponent(name))), "\(name)")
    }
  }

  @Test("a page preloads the modules of its script and their static imports")
  func preloads() throws {
    let files = ["/a.js", "/b.js", "/c.js", "/d.js"]
    let texts = [
      #"import * as b from "/b.js"; import("/d.js");"#, #"import { c } from "/c.js";"#, #"export { a } from "/a.js";"#, "",
    ].map { Array($0.utf8) }
    #expect(Pages.modules(of: ["/a.js"], in: Dictionary(uniqueKeysWithValues: zip(files, texts))) == ["/a.js", "/b.js", "/c.js"])
    for (path, bytes) in Pages.files where path.hasSuffix(".html") {
      for match in String(decoding: bytes, as: UTF8.self).matches(of: #/rel="modulepreload" href="([^"]+)"/#) {
        #expect(Pages.files[String(match.1)] != nil, "\(path) names \(match.1)")
      }
    }
    let bytes = try #require(Pages.files["/index.html"])
    let map = String(decoding: bytes, as: UTF8.self)
    #expect(map.contains(#"<link rel="modulepreload" href="/map-view.js">"#))
  }
}

@Suite("Pages with the navigation bar and user preferences")
struct PageShellTests {
  private static let html = ["Accept": "text/html,application/xhtml+xml"]

  @Test("an unknown address returns a page to browsers and a problem to other clients")
  func unknown() async throws {
    try await AccountServer.with { server in
      let page = server.send("GET", "/nothing", headers: Self.html)
      #expect(page.status == 404 && page.headers["content-type"] == "text/html; charset=utf-8")
      #expect(page.text.contains("There is no page at this address") && page.text.contains(#"id="shell""#))
      #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
      #expect(server.send("GET", "/nothing").object["status"] as? Int == 404)
      // Responses of routes and of other methods than GET are not replaced.
      #expect(server.send("POST", "/nothing", headers: Self.html).object["status"] as? Int == 404)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let known = server.send("GET", "/api/v1/devices/nothing/health", as: administrator, headers: Self.html)
      #expect(known.object["status"] as? Int == 404)
    }
  }

  @Test(
    "each page has the navigation bar once, with the current page marked, and without a placeholder",
    arguments: ["/", "/timeline", "/statistics", "/devices", "/regions", "/import", "/account", "/settings", "/welcome", "/api"])
  func bar(_ path: String) async throws {
    try await AccountServer.with { server in
      let text = server.send("GET", path).text
      #expect(text.split(separator: #"<header id="shell">"#).count == 2 && !text.contains("<!-- shell -->"))
      #expect(text.contains(#"href="\#(path)" aria-current="page""#))
      #expect(text.contains(#"href="/shell.css""#) && text.contains(#"src="/shell.js""#) && text.contains(#"id="content""#))
    }
  }

  @Test("a page contains whether the request has a session")
  func session() async throws {
    try await AccountServer.with { server in
      let anna = try await server.session(of: server.user("anna"))
      #expect(server.send("GET", "/devices").text.contains(#" data-session="none">"#))
      #expect(!server.send("GET", "/devices", as: anna).text.contains("data-session"))
      // Pages of share links need no session.
      #expect(!server.send("GET", "/s/nothing").text.contains("data-session"))
    }
  }

  @Test("the navigation bar with its styles and scripts is smaller than 100 kB")
  func size() async throws {
    try await AccountServer.with { server in
      let files = ["shell.html", "shell.css", "shell.js", "base.css", "api.js", "connection.js", "format.js", "theme.js"]
      let sizes = files.map { server.send("GET", "/\($0)").body.count }
      #expect(sizes.allSatisfy { $0 > 0 } && sizes.reduce(0, +) < 100_000, "\(sizes)")
    }
  }

  @Test("font sizes are relative to the browser's setting")
  func textSizes() throws {
    let styles = Pages.files.filter { $0.key.hasSuffix(".css") }
    #expect(styles.count > 8)
    for (name, bytes) in styles {
      // Texts in drawings scale with the drawing.
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("svg text") }
      for line in lines { #expect(line.firstMatch(of: #/font(-size)?: [0-9.]+px/#) == nil, "\(name): \(line)") }
    }
  }

  @Test("preferences belong to a user, and the administrator's are the defaults", arguments: StoreKind.tested)
  func preferences(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let (anna, bob) = (
        try await server.session(of: server.user("anna")), try await server.session(of: server.user("bob"))
      )
      let path = "/api/v1/preferences"
      #expect(server.send("GET", path, as: anna).object["units"] as? String == "metric")
      #expect(server.send("PUT", path, as: administrator, body: #"{"units":"imperial"}"#).status == 200)
      #expect(server.send("GET", path, as: anna).object["units"] as? String == "imperial")
      let chosen = #"{"units":"nautical","time_zone":"Europe/Ljubljana","first_day":"sunday","theme":"dark"}"#
      let set = server.send("PUT", path, as: anna, body: chosen)
      #expect(set.status == 200 && set.object["time_zone"] as? String == "Europe/Ljubljana", "\(set.text)")
      #expect(server.send("GET", path, as: bob).object["theme"] as? String == "automatic")
      // Each page has the preferences of its own user.
      let page = server.send("GET", "/statistics", as: anna).text
      #expect(
        page.contains(
          #"<html lang="en" data-units="nautical" data-time-zone="Europe/Ljubljana" data-first-day="sunday" data-theme="dark">"#
        ))
      #expect(server.send("GET", "/statistics").text.contains(#"<html lang="en" data-units="metric" data-session="none">"#))
      // The name of the zone in Chromium.
      #expect(server.send("PUT", path, as: bob, body: #"{"time_zone":"Asia/Katmandu"}"#).status == 200)
      // Omitted preferences are reset to their defaults.
      #expect(server.send("PUT", path, as: anna, body: "{}").object["units"] as? String == "metric")
      #expect(server.send("GET", path, as: anna).object["time_zone"] is NSNull)
    }
  }

  @Test(
    "an invalid preference is rejected with its name",
    arguments: [
      (#"{"units":"furlongs"}"#, "units"), (#"{"time_zone":"Mars/Olympus"}"#, "time_zone"),
      (#"{"time_zone":"\"><script>"}"#, "time_zone"), (#"{"language":"tlh"}"#, "language"), (#"{"first_day":3}"#, "first_day"),
      (#"{"theme":"neon"}"#, "theme"), (#"{"colour":"red"}"#, "colour"),
    ])
  func unknownPreference(_ body: String, _ member: String) async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      let response = server.send("PUT", "/api/v1/preferences", body: body)
      #expect([400, 422].contains(response.status) && response.text.contains(member), "\(response.text)")
    }
  }

  @Test("preferences are deleted with their user")
  func removed() async throws {
    try await AccountServer.with(asAdministrator: true) { server in
      let anna = try await server.user("anna")
      let caller = try await server.session(of: anna)
      func rows() throws -> Int64? { try server.server.store.read { try $0.integer("SELECT count(*) FROM preferences") } }
      #expect(server.send("PUT", "/api/v1/preferences", as: caller, body: #"{"theme":"dark"}"#).status == 200)
      #expect(try rows() == 1)
      #expect(server.send("DELETE", "/api/v1/users/anna?data=keep").status == 200)
      #expect(try rows() == 0)
    }
  }

  @Test("the demo file is served")
  func demo() async throws {
    try await AccountServer.with { server in
      let file = server.send("GET", "/demo.gpx")
      #expect(file.status == 200 && file.text.contains("<trkpt"))
    }
  }
}
