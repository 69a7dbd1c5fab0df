import Foundation
import Godwit
import TestClient
import Testing

@Suite("The control panel", .serialized)
struct PanelTests {
  struct Request: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var method = "GET"
    var path: String
    var body: String?
    var headers: [String: String] = [:]
    var status = 200
    /// A text that the body of the response contains.
    var text = ""
    var isAnonymous = false
  }

  static let requests: [Request] = [
    Request(testDescription: "the page", path: "/", text: "<title>Tracker · Godwit</title>"),
    Request(testDescription: "a script of the page", path: "/tracker.js", text: "export class TrackerScreen"),
    Request(testDescription: "the style sheet of all pages", path: "/base.css", text: "--track"),
    Request(testDescription: "the status", path: "/api/v1/status", text: #""is_tracking":true"#),
    Request(testDescription: "the coverage log", path: "/api/v1/coverage", text: #""name":"no_signal""#),
    Request(testDescription: "the settings", path: "/api/v1/settings", text: #""name":"main.min_distance""#),
    Request(testDescription: "a file that does not exist", path: "/other.js", status: 404, text: "Nothing is at /other.js"),
    Request(testDescription: "a path outside the folder of the page", path: "/..%2Findex.html", status: 404),
    Request(
      testDescription: "a wrong method", method: "DELETE", path: "/api/v1/settings", status: 405, text: "accepts GET, PUT"),

    Request(testDescription: "sending", method: "POST", path: "/api/v1/send", body: "{}"),
    Request(
      testDescription: "tracking off", method: "POST", path: "/api/v1/tracking", body: #"{"on":false}"#,
      text: #""is_tracking":false"#),
    Request(
      testDescription: "tracking without a value", method: "POST", path: "/api/v1/tracking", body: "{}", status: 400,
      text: "true or false"),
    Request(
      testDescription: "tracking with an invalid value", method: "POST", path: "/api/v1/tracking", body: #"{"on":1}"#,
      status: 400,
      text: "must be true or false"),
    Request(
      testDescription: "an unknown member", method: "POST", path: "/api/v1/tracking", body: #"{"on":true,"now":1}"#,
      status: 400, text: #"Unknown member \"now\""#),
    Request(
      testDescription: "a trip with a mode", method: "POST", path: "/api/v1/trip/start", body: #"{"mode":"boat"}"#,
      text: #""mode":"boat""#),
    Request(
      testDescription: "a trip with an unknown mode", method: "POST", path: "/api/v1/trip/start", body: #"{"mode":"rocket"}"#,
      status: 422, text: #"cannot be \"rocket\"; expected one of walk, run"#),
    Request(
      testDescription: "stopping without a trip", method: "POST", path: "/api/v1/trip/stop", body: "{}", status: 409,
      text: "no trip to stop"),
    Request(
      testDescription: "a setting in its group", method: "PUT", path: "/api/v1/settings",
      body: #"{"main":{"min_distance":"10m"}}"#, text: #""new":"10 m""#),
    Request(
      testDescription: "a setting by its full name", method: "PUT", path: "/api/v1/settings",
      body: #"{"trip.batch_size":500}"#, text: #""old":"200 records""#),
    Request(
      testDescription: "the preview of a change", method: "POST", path: "/api/v1/settings/check",
      body: #"{"main.min_time":"5m"}"#, text: #""new":"5 min""#),
    Request(
      testDescription: "an invalid value", method: "PUT", path: "/api/v1/settings", body: #"{"trip_mode":"rocket"}"#,
      status: 422, text: #"\"trip_mode\" cannot be \"rocket\""#),
    Request(
      testDescription: "one invalid item of a list", method: "PUT", path: "/api/v1/settings",
      body: #"{"wifi_zones":["a@46,14","b@91,14"]}"#, status: 422, text: #"cannot be [\"b@91,14\"]"#),
    Request(
      testDescription: "an unknown setting", method: "PUT", path: "/api/v1/settings", body: #"{"volume":11}"#,
      status: 422, text: #"no setting \"volume\""#),
    Request(testDescription: "a list as body", method: "PUT", path: "/api/v1/settings", body: "[1]", status: 400),
    Request(testDescription: "a body that is no JSON", method: "PUT", path: "/api/v1/settings", body: "{", status: 400),
    Request(
      testDescription: "a body that is too large", method: "PUT", path: "/api/v1/settings",
      body: String(repeating: " ", count: 300 << 10), status: 413),
    Request(
      testDescription: "a form of another site", method: "POST", path: "/api/v1/send", body: "",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], status: 415, text: "Content-Type"),
    Request(
      testDescription: "JSON as text, which another site may send", method: "PUT", path: "/api/v1/settings", body: "{}",
      headers: ["Content-Type": "text/plain"], status: 415),
    Request(
      testDescription: "a foreign origin", method: "POST", path: "/api/v1/send", body: "{}",
      headers: ["Origin": "http://evil.example"], status: 403, text: "own page"),
    Request(
      testDescription: "the origin null", method: "POST", path: "/api/v1/send", body: "{}", headers: ["Origin": "null"],
      status: 403),
    Request(
      testDescription: "another port of this machine as origin", method: "POST", path: "/api/v1/send", body: "{}",
      headers: ["Origin": "http://127.0.0.1:1"], status: 403),
    Request(
      testDescription: "a browser that reports a cross-site request", method: "POST", path: "/api/v1/send", body: "{}",
      headers: ["Sec-Fetch-Site": "cross-site"], status: 403),
    Request(
      testDescription: "no token", path: "/api/v1/status", status: 401, text: "godwit login --panel", isAnonymous: true),
    // A host name that begins with 127. and a request through a proxy are not local.
    Request(
      testDescription: "a host name that begins like the address of this machine", path: "/api/v1/status",
      headers: ["Host": "127.evil.example"], status: 401, isAnonymous: true),
    Request(
      testDescription: "a change with such a host name", method: "POST", path: "/api/v1/tracking", body: #"{"on":false}"#,
      headers: ["Host": "127.evil.example", "Origin": "http://127.evil.example"], status: 401, isAnonymous: true),
    Request(
      testDescription: "through a proxy", path: "/api/v1/status", headers: ["X-Forwarded-For": "198.51.100.1"], status: 401,
      isAnonymous: true),
  ]

  @Test(
    "valid requests are accepted, and invalid ones are rejected with the reason", .timeLimit(.minutes(20)), arguments: requests)
  func routes(_ request: Request) async throws {
    let panel = try await RunningPanel()
    let response = try await panel.send(
      request.method, request.path, request.body, headers: request.headers, isAnonymous: request.isAnonymous)
    #expect(response.status == request.status, "\(response.text)")
    #expect(request.text.isEmpty || response.text.contains(request.text), "\(response.text)")
    // A body that is too large is rejected before the panel handles the request.
    if request.status != 413 { #expect(response.headers["x-content-type-options"] == "nosniff") }
    #expect(response.headers["access-control-allow-origin"] == nil)
    try await panel.stop()
  }

  @Test("the page may run only its own scripts, and its origin may change the tracker", .timeLimit(.minutes(20)))
  func policy() async throws {
    let panel = try await RunningPanel()
    let page = try await panel.send("GET", "/")
    let policy = try #require(page.headers["content-security-policy"])
    #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
    #expect(page.text.firstMatch(of: #/\son[a-z]+=|style=|<script>|https?:\/\/(?!www\.w3\.org)/#) == nil)
    let origin = ["Origin": "http://127.0.0.1:\(panel.port)", "Sec-Fetch-Site": "same-origin"]
    #expect(try await panel.send("POST", "/api/v1/send", "{}", headers: origin).status == 200)
    let local = ["Origin": "http://localhost:\(panel.port)", "Host": "localhost:\(panel.port)"]
    #expect(try await panel.send("POST", "/api/v1/send", "{}", headers: local).status == 200)
    try await panel.stop()
  }

  @Test("one invalid value rejects the whole change", .timeLimit(.minutes(20)))
  func allOrNone() async throws {
    let panel = try await RunningPanel()
    let response = try await panel.send(
      "PUT", "/api/v1/settings", #"{"device_id":"van","main":{"batch_size":7,"min_time":"never"}}"#)
    #expect(response.status == 422)
    let problems = try #require(response.object["problems"] as? [[String: Any]])
    #expect(problems.compactMap { $0["name"] as? String } == ["main.batch_size", "main.min_time"])
    #expect(try await panel.setting("device_id") == "")
    try await panel.stop()
  }

  @Test("a change applies, is logged, and survives a restart", .timeLimit(.minutes(20)))
  func remembered() async throws {
    let panel = try await RunningPanel()
    let response = try await panel.send("PUT", "/api/v1/settings", #"{"send_interval":"30m","main":{"min_distance":"500m"}}"#)
    #expect(response.status == 200)
    try await panel.stop()
    let events = try Journal(path: panel.journal).settingsEvents()
    #expect(Set(events.map(\.name)) == ["send_interval", "main.min_distance"])
    #expect(events.allSatisfy { $0.source == "user" })
    try await panel.start()
    #expect(try await panel.setting("main.min_distance") == "500m")
    #expect(try await panel.get("/api/v1/status")["send_interval"] as? String == "30m")
    try await panel.stop()
  }

  // MARK: Tokens

  private static let token = "correct-horse-battery"

  @Test("with a token configured nothing is shown without it; a browser gets a session cookie", .timeLimit(.minutes(20)))
  func token() async throws {
    let panel = try await RunningPanel(environment: ["GODWIT_PANEL_TOKEN": Self.token])
    #expect(
      !panel.background.errorOutput.contains(Self.token)
        && panel.background.errorOutput.contains("godwit login --panel --journal"))
    #expect(try await panel.send("GET", "/").status == 200)
    for path in ["/api/v1/status", "/api/v1/coverage", "/api/v1/settings", "/api/v1/events"] {
      let response = try await panel.send("GET", path)
      #expect(response.status == 401 && !response.text.contains("latitude"), "\(path)")
    }
    #expect(try await panel.send("POST", "/api/v1/send", "{}").status == 401)
    #expect(try await panel.send("GET", "/api/v1/status?token=\(Self.token)").status == 401)
    #expect(try await panel.send("GET", "/api/v1/status", headers: ["Authorization": "Bearer wrong-horse-battery"]).status == 401)
    #expect(try await panel.send("GET", "/api/v1/status", headers: ["Authorization": "Bearer \(Self.token)"]).status == 200)

    #expect(try await panel.send("POST", "/api/v1/session", #"{"token":"wrong"}"#).status == 401)
    #expect(try await panel.send("POST", "/api/v1/session", #"{}"#).status == 400)
    let session = try await panel.send("POST", "/api/v1/session", #"{"token":"\#(Self.token)"}"#)
    #expect(session.status == 200)
    let cookie = try #require(session.headers["set-cookie"])
    #expect(cookie.contains("; HttpOnly; SameSite=Strict; Path=/"))
    let pair = String(cookie.prefix { $0 != ";" })
    #expect(try await panel.send("GET", "/api/v1/status", headers: ["Cookie": pair]).status == 200)
    let unmanaged = ["Cookie": pair, "Origin": "http://evil.example"]
    #expect(try await panel.send("POST", "/api/v1/send", "{}", headers: unmanaged).status == 403)
    try await panel.stop()
  }

  // A printed token would be in logs.
  @Test("a token is created and stored for programs, and printed only on a terminal", .timeLimit(.minutes(20)))
  func madeToken() async throws {
    let panel = try await RunningPanel(listen: "0.0.0.0:0")
    let made = try #require(panel.token)
    let file = panel.journal + ".panel-token"
    #expect(
      made.hasPrefix("gw_") && !panel.background.errorOutput.contains("gw_") && !panel.background.errorOutput.contains("/login#"))
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(try await panel.send("GET", "/api/v1/status", isAnonymous: true).status == 401)
    #expect(try await panel.send("GET", "/api/v1/status", headers: ["Authorization": "Bearer \(made)"]).status == 200)
    let login = try Executable.run(["login", "--panel", "--journal", panel.journal])
    let code = try #require(login.text.firstMatch(of: #/login#(\S+)/#)?.1)
    let session = try await panel.send("POST", "/api/v1/login", #"{"code":"\#(code)"}"#, isAnonymous: true)
    let cookie = try #require(session.headers["set-cookie"])
    #expect(!cookie.contains(made))
    let pair = ["Cookie": String(cookie.prefix { $0 != ";" })]
    #expect(try await panel.send("GET", "/api/v1/status", headers: pair).status == 200)
    #expect(try await panel.send("POST", "/api/v1/login", #"{"code":"\#(code)"}"#, isAnonymous: true).status == 401)
    try await panel.stop()
  }

  @Test(
    "an invalid panel configuration is an error with the reason",
    arguments: [
      (["--panel", "127.0.0.1"], "is not a valid address", 2),
      (["--panel", "127.0.0.1:0", "--panel-token", "short"], "at least 16", 2),
      (["--panel", "192.0.2.1:8081"], "does not have this address", 1),
    ] as [([String], String, Int32)])
  func rejected(_ options: [String], _ text: String, _ status: Int32) throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(
      ["track", "--source", Walk.file.path, "--endpoint", "http://127.0.0.1:9/", "--journal", folder.path("journal")]
        + options)
    #expect(result.status == status && result.errorOutput.contains(text), "\(result.errorOutput)")
  }
}
