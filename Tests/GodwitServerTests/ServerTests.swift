import CZlib
import Foundation
import GodwitModel
import GodwitServer
import GodwitServices
import Synchronization
import TestClient
import Testing

@testable import GodwitSecrets
@testable import GodwitStore

/// A running server in this process, with one device.
private final class RunningServer: Sendable {
  let folder: URL
  let token: String
  let port: UInt16
  private let task: Task<Void, any Error>

  /// - Parameters:
  ///   - maximumBody: the maximum size of a body, in bytes.
  ///   - clock: the clock of the server; `nil` for the system clock.
  init(maximumBody: Int = 64 << 20, clock: VirtualClock? = nil) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-server-\(UUID().uuidString)")
    let store = try SQLiteTrackStore(folder: folder.path)
    let token = AccessToken()
    _ = try store.addDevice(named: "walker", tokenHash: token.hash, at: Date())
    store.close()
    self.token = token.secret
    let address = try #require(ListenAddress("127.0.0.1:0"))
    var configuration = Server.Configuration(listen: address, dataFolder: folder.path)
    configuration.maximumBody = maximumBody
    let server = try Server(configuration: configuration, clock: clock?.clock ?? .system)
    let (ports, found) = AsyncStream<UInt16>.makeStream()
    // The stream also ends if the server fails, so that the test does not wait.
    task = Task {
      defer { found.finish() }
      try await server.run { found.yield($0) }
    }
    port = try #require(await ports.first { _ in true })
  }

  /// Stops the server and waits for its end. Every test must call this, because libmicrohttpd's threads end with the server.
  func stop() async {
    task.cancel()
    _ = await task.result
    try? FileManager.default.removeItem(at: folder)
  }

  func send(
    _ method: String, _ path: String, body: [UInt8]? = nil, token: String? = nil, headers: [String: String] = [:]
  ) async throws -> Response {
    let headers = token == nil ? AdministratorHeader.added(to: headers, method, path, folder: folder) : headers
    return try await ask(method, "http://127.0.0.1:\(port)\(path)", bytes: body, token: token, headers: headers)
  }

  func post(_ text: String, headers: [String: String] = [:]) async throws -> Response {
    try await send("POST", "/api/overland", body: Array(text.utf8), token: token, headers: headers)
  }

  func get(_ path: String) async throws -> Response { try await send("GET", path) }
}

private func point(_ second: Int, latitude: Double = 45, longitude: Double = 14, extra: String = "") -> String {
  let time = RFC3339.string(Date(timeIntervalSince1970: 1_795_163_400 + Double(second)))
  return
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(longitude),\#(latitude)]},"properties":{"timestamp":"\#(time)"\#(extra)}}"#
}

private func batch(_ points: String...) -> String { #"{"locations":[\#(points.joined(separator: ","))]}"# }

@Suite("Server", .serialized, .timeLimit(.minutes(20)))
struct ServerTests {
  private func withServer(
    maximumBody: Int = 64 << 20, clock: VirtualClock? = nil, _ body: (RunningServer) async throws -> Void
  ) async throws {
    let server = try await RunningServer(maximumBody: maximumBody, clock: clock)
    do { try await body(server) } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test("a batch is stored and counted; a repeated one is ignored and counted")
  func idempotent() async throws {
    try await withServer { server in
      let text = batch(point(0), point(1), point(1, latitude: 45.1))
      let first = try await server.post(text)
      #expect(first.status == 200)
      #expect(first.text == #"{"result":"ok","saved":3,"duplicates":0,"rejected":[]}"#)
      #expect(try await server.post(text).text == #"{"result":"ok","saved":0,"duplicates":3,"rejected":[]}"#)
      let devices = try await server.get("/api/v1/devices").object["devices"] as? [[String: Any]]
      #expect(devices?.first?["points"] as? Int == 3)
    }
  }

  @Test("the valid records of a batch are stored; the rejected one is reported, and shown to the administrator unchanged")
  func partial() async throws {
    try await withServer { server in
      let bad = point(1, latitude: 91)
      let response = try await server.post(batch(point(0), bad, point(2)))
      #expect(response.status == 200)
      #expect(response.object["saved"] as? Int == 2)
      let rejected = try #require((response.object["rejected"] as? [[String: Any]])?.first)
      #expect(rejected["index"] as? Int == 1)
      #expect((rejected["reason"] as? String)?.contains("latitude 91.0 is outside −90…90 ($.locations[1].geometry") == true)
      let rejections = try await server.get("/api/v1/rejected?device=walker").object["rejected"] as? [[String: Any]]
      #expect(rejections?.first?["raw"] as? String == bad)
    }
  }

  struct BadRequest: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var method = "POST"
    var path = "/api/overland"
    var body: [UInt8]? = Array(batch(point(0)).utf8)
    var headers: [String: String] = [:]
    var status: Int
    var message: String
  }

  static let badRequests = [
    BadRequest(testDescription: "empty body", body: [], status: 400, message: "the body is empty"),
    BadRequest(testDescription: "no JSON", body: Array("hello".utf8), status: 400, message: "expected a JSON object"),
    BadRequest(testDescription: "no locations", body: Array("{}".utf8), status: 400, message: "no member"),
    BadRequest(
      testDescription: "ten million brackets", body: [UInt8](repeating: 0x5B, count: 10_000_000), status: 400, message: "byte"),
    BadRequest(
      testDescription: "brackets inside", body: Array("{\"locations\":".utf8) + [UInt8](repeating: 0x5B, count: 100_000),
      status: 400, message: "nested more than"),
    BadRequest(testDescription: "cut off", body: Array(batch(point(0)).utf8.dropLast(20)), status: 400, message: "the text ends"),
    BadRequest(
      testDescription: "no UTF-8", body: Array("{\"locations\":[\"".utf8) + [0xC3, 0x28] + Array("\"]}".utf8), status: 400,
      message: "UTF-8"),
    BadRequest(testDescription: "no gzip", headers: ["Content-Encoding": "gzip"], status: 400, message: "damaged at byte"),
    BadRequest(testDescription: "unknown compression", headers: ["Content-Encoding": "br"], status: 415, message: "reads gzip"),
    BadRequest(
      testDescription: "wrong token", headers: ["Authorization": "Bearer wrong"], status: 401,
      message: "No device has this token"),
    BadRequest(
      testDescription: "no Bearer", headers: ["Authorization": "Basic d2Fsa2VyOg=="], status: 401,
      message: "Authorization: Bearer TOKEN"),
    BadRequest(testDescription: "wrong method", method: "DELETE", body: nil, status: 405, message: "accepts POST, GET"),
    BadRequest(testDescription: "wrong path", path: "/api/overlord", status: 404, message: "Nothing is at /api/overlord"),
    BadRequest(
      testDescription: "path traversal", method: "GET", path: "/maplibre/5.3.0/..%2f..%2fetc%2fpasswd", body: nil, status: 404,
      message: "Nothing is at"),
    BadRequest(
      testDescription: "bad time", method: "GET", path: "/api/v1/points?from=yesterday", body: nil, status: 400,
      message: "from=yesterday: expected a time"),
    BadRequest(
      testDescription: "bad box", method: "GET", path: "/api/v1/points?bbox=1,2,3", body: nil, status: 400,
      message: "expected west,south,east,north"),
    BadRequest(
      testDescription: "bad limit", method: "GET", path: "/api/v1/points?limit=0", body: nil, status: 400, message: "1 to 10000"),
    BadRequest(
      testDescription: "bad cursor", method: "GET", path: "/api/v1/points?cursor=x", body: nil, status: 400,
      message: "next_cursor"),
    BadRequest(
      testDescription: "unknown device", method: "GET", path: "/api/v1/tracks?device=nobody", body: nil, status: 404,
      message: "No device"),
    BadRequest(
      testDescription: "another name for this machine", method: "GET", path: "/api/v1/devices", body: nil,
      headers: ["Host": "evil.example"], status: 401, message: "godwit login"),
  ]

  @Test("every invalid request gets a response with the reason, and the server continues", arguments: badRequests)
  func bad(_ request: BadRequest) async throws {
    try await withServer { server in
      var headers = request.headers
      // For GET requests the administrator token is added, unless they have a token.
      let isReading = request.method == "GET" && headers["Host"] == nil
      if headers["Authorization"] == nil, !isReading { headers["Authorization"] = "Bearer \(server.token)" }
      let response = try await server.send(request.method, request.path, body: request.body, headers: headers)
      #expect(response.status == request.status, "\(response.text)")
      #expect(response.text.contains(request.message), "\(response.text)")
      #expect(response.object["error"] != nil || response.object["detail"] != nil)
      #expect(try await server.get("/healthz").status == 200)
    }
  }

  @Test("the complete records of a truncated body are stored, and the rest is stored as rejected")
  func broken() async throws {
    try await withServer { server in
      let response = try await server.post(String(batch(point(0), point(1), point(2)).dropLast(30)))
      #expect(response.status == 400)
      #expect(response.object["saved"] as? Int == 2)
      let rejections = try await server.get("/api/v1/rejected").object["rejected"] as? [[String: Any]]
      #expect((rejections?.first?["raw"] as? String)?.hasPrefix(#"{"type":"Feature""#) == true)
    }
  }

  @Test("a body over the limit is rejected, compressed or not")
  func limits() async throws {
    try await withServer(maximumBody: 100_000) { server in
      #expect(try await server.post(String(repeating: " ", count: 100_001)).status == 413)
      let bomb = gzip([UInt8](repeating: 0x20, count: 1_000_000))
      #expect(bomb.count < 5000)
      let response = try await server.send(
        "POST", "/api/overland", body: bomb, token: server.token, headers: ["Content-Encoding": "gzip"])
      #expect(response.status == 413, "\(response.text)")
    }
  }

  @Test("a compressed batch is read; a truncated one is rejected and stored")
  func compressed() async throws {
    try await withServer { server in
      let body = gzip(Array(batch(point(0)).utf8))
      let headers = ["Content-Encoding": "gzip"]
      let good = try await server.send("POST", "/api/overland", body: body, token: server.token, headers: headers)
      #expect(good.object["saved"] as? Int == 1)
      let cut = try await server.send(
        "POST", "/api/overland", body: Array(body.dropLast(12)), token: server.token, headers: headers)
      #expect(cut.status == 400 && cut.text.contains("incomplete"), "\(cut.text)")
      #expect((try await server.get("/api/v1/rejected").object["rejected"] as? [Any])?.count == 1)
    }
  }

  @Test("the token is sent as Bearer, token or api_key; a revoked one is rejected within a second")
  func tokens() async throws {
    let clock = VirtualClock()
    try await withServer(clock: clock) { server in
      for path in ["/api/overland?token=\(server.token)", "/api/overland?api_key=\(server.token)"] {
        #expect(try await server.send("POST", path, body: Array(batch(point(0)).utf8)).status == 200)
      }
      #expect(try await server.send("GET", "/api/overland", token: server.token).text.contains("\"walker\""))
      let store = try SQLiteTrackStore(folder: server.folder.path)
      #expect(try store.revokeTokens(ofDeviceNamed: "walker", at: Date()) == 1)
      store.close()
      // The cache is valid for one second.
      #expect(try await server.send("GET", "/api/overland", token: server.token).status == 200)
      await clock.advance(by: .milliseconds(1001))
      #expect(try await server.send("GET", "/api/overland", token: server.token).status == 401)
    }
  }

  @Test("stored records are returned in pages, ordered by time, with all members")
  func pages() async throws {
    try await withServer { server in
      for first in [50, 0] {
        let points = (first..<first + 50).map {
          point($0, extra: #","speed":1.25,"wifi":"Home","battery_level":0,"pauses":true"#)
        }
        _ = try await server.post(#"{"locations":[\#(points.joined(separator: ","))]}"#)
      }
      var times: [String] = []
      var after = ""
      repeat {
        let response = try await server.get("/api/v1/points?device=walker&limit=30&cursor=\(after)")
        #expect(response.headers["content-type"] == "application/geo+json")
        let features = try #require(response.object["features"] as? [[String: Any]])
        for feature in features {
          let properties = try #require(feature["properties"] as? [String: Any])
          times.append(try #require(properties["timestamp"] as? String))
          #expect(properties["speed"] as? Double == 1.25 && properties["wifi"] as? String == "Home")
          #expect(properties["battery_level"] as? Double == 0 && properties["pauses"] as? Bool == true)
        }
        after = response.object["next_cursor"] as? String ?? ""
      } while !after.isEmpty
      #expect(times.count == 100 && times == times.sorted())
    }
  }

  @Test("filters of time and area select points, even across the antimeridian")
  func filters() async throws {
    try await withServer { server in
      _ = try await server.post(
        batch(point(0, longitude: 179.9), point(60, longitude: -179.9), point(120, longitude: 0), point(180, latitude: -45)))
      func count(_ query: String) async throws -> Int {
        // The points are flagged, because their speeds are impossible.
        (try await server.get("/api/v1/points?marked=true&\(query)").object["features"] as? [Any])?.count ?? -1
      }
      #expect(try await count("") == 4)
      #expect(try await count("from=2026-11-20T08:31:00Z&to=2026-11-20T08:32:00Z") == 1)
      #expect(try await count("bbox=179,40,-179,50") == 2)
      #expect(try await count("bbox=-1,-90,20,90") == 2)
      #expect(try await count("from=2026-11-21") == 0)
    }
  }

  @Test("a track is divided at a gap, and the length of each part is measured")
  func track() async throws {
    try await withServer { server in
      _ = try await server.post(batch(point(0), point(10, latitude: 45.001), point(5000), point(5010, latitude: 45.002)))
      let features = try #require(try await server.get("/api/v1/tracks?device=walker").object["features"] as? [[String: Any]])
      #expect(features.count == 2)
      let properties = try #require(features[0]["properties"] as? [String: Any])
      #expect(properties["points"] as? Int == 2)
      #expect(abs((properties["distance"] as? Double ?? 0) - 111.2) < 0.2)
      #expect((try await server.get("/api/v1/tracks?gap=6000").object["features"] as? [Any])?.count == 1)
    }
  }

  // RFC 7946, 3.1.9.
  @Test("a track across the antimeridian is divided there, and its parts have the length of the whole")
  func antimeridian() async throws {
    try await withServer { server in
      _ = try await server.post(
        batch(
          point(0, latitude: 45, longitude: 179.9), point(600, latitude: 45.03, longitude: -179.8),
          point(1200, latitude: 45, longitude: 180), point(1800, latitude: 45, longitude: 179.9)))
      let features = try #require(try await server.get("/api/v1/tracks?gap=6000").object["features"] as? [[String: Any]])
      let lines = features.compactMap { ($0["geometry"] as? [String: Any])?["coordinates"] as? [[Double]] }
      #expect(
        lines == [
          [[179.9, 45], [180, 45.01]], [[-180, 45.01], [-179.8, 45.03], [-180, 45]], [[180, 45], [180, 45], [179.9, 45]],
        ])
      let properties = features.compactMap { $0["properties"] as? [String: Any] }
      #expect(properties.map { $0["points"] as? Int } == [1, 1, 2])
      #expect(properties.compactMap { ($0["times"] as? [Int])?.count } == lines.map(\.count))
      #expect(
        properties.first?["to"] as? String == "2026-11-20T08:33:20Z" && properties[1]["from"] as? String == "2026-11-20T08:33:20Z"
      )
      let places = [(45.0, 179.9), (45.03, 180.2), (45.0, 180.0), (45.0, 179.9)]
      let whole = try zip(places, places.dropFirst()).reduce(0.0) { sum, pair in
        let from = try #require(Coordinate(latitude: pair.0.0, longitude: pair.0.1 - (pair.0.1 > 180 ? 360 : 0)))
        let to = try #require(Coordinate(latitude: pair.1.0, longitude: pair.1.1 - (pair.1.1 > 180 ? 360 : 0)))
        return sum + GreatCircle.distance(from, to)
      }
      let parts = properties.reduce(0) { $0 + ($1["distance"] as? Double ?? 0) }
      #expect(abs(parts - whole) < 5, "\(parts) m of \(whole) m")
    }
  }

  @Test("visits, trips and actions are not points, and an arrival with its departure is one visit")
  func events() async throws {
    try await withServer { server in
      func visit(_ departure: String) -> String {
        point(0, extra: #","action":"visit","arrival_date":"2026-11-20T07:00:00Z","departure_date":\#(departure)"#)
      }
      #expect(try await server.post(batch(visit("null"))).object["saved"] as? Int == 1)
      #expect(try await server.post(batch(visit("\"2026-11-20T08:00:00Z\""))).object["saved"] as? Int == 1)
      #expect(try await server.post(batch(visit("null"))).object["duplicates"] as? Int == 1)
      _ = try await server.post(batch(point(1, extra: #","type":"trip","start":"2026-11-20T07:30:00Z","mode":"bus""#)))
      #expect((try await server.get("/api/v1/points").object["features"] as? [Any])?.isEmpty == true)
      let store = try SQLiteTrackStore(folder: server.folder.path)
      defer { store.close() }
      let device = try #require(try store.device(named: "walker"))
      let records = try store.events(device: device.id, from: nil, to: nil)
      #expect(records.count == 2)
      guard case .visit(let stay)? = records.first?.kind else {
        Issue.record("\(records)")
        return
      }
      #expect(stay.departure == RFC3339.date("2026-11-20T08:00:00Z"))
    }
  }

  @Test("new points are sent to subscribers", .timeLimit(.minutes(20)))
  func live() async throws {
    try await withServer { server in
      let events = try LiveEvents(port: server.port, folder: server.folder)
      await events.first(with: "godwit")
      _ = try await server.post(batch(point(0), point(1)))
      let event = await events.first(with: "event: points")
      #expect(event.contains(#""device":"walker""#))
    }
  }

  @Test("the map page has a Content-Security-Policy, and its files are served")
  func page() async throws {
    try await withServer { server in
      let page = try await server.get("/")
      #expect(page.status == 200 && page.text.contains("<div id=\"map\""))
      #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
      for file in ["/map.css", "/map.js", "/api.js", "/format.js", "/graticule.js", "/profile.js", "/track.js"] {
        #expect(try await server.get(file).status == 200, "\(file)")
      }
      // The other files are modules that map.js imports.
      for file in ["/map.css", "/map.js"] { #expect(page.text.contains(file), "\(file)") }
    }
  }

  @Test("sequence numbers that uploads have not covered are missing until they arrive")
  func missing() async throws {
    try await withServer { server in
      func send(_ range: String) async throws {
        _ = try await server.post(#"{"locations":[]}"#, headers: ["Godwit-Range": range])
      }
      func journal() async throws -> [String: Any]? {
        (try await server.get("/api/v1/journals?device=walker").object["journals"] as? [[String: Any]])?.first
      }
      #expect(try await journal() == nil)
      try await send("9f86d081884c7d65 11-20; since=5")
      try await send("9f86d081884c7d65 31-40")
      try await send("9f86d081884c7d65 41-50")
      try await send("9f86d081884c7d65 41-50")
      var found = try #require(try await journal())
      #expect(found["journal"] as? String == "9f86d081884c7d65" && found["since"] as? Int == 5)
      #expect(found["covered"] as? [[Int]] == [[11, 20], [31, 50]])
      #expect(found["missing"] as? [[Int]] == [[5, 10], [21, 30]] && found["missing_count"] as? Int == 16)
      let devices = try await server.get("/api/v1/devices").object["devices"] as? [[String: Any]]
      #expect(devices?.first?["missing"] as? Int == 16)
      try await send("9f86d081884c7d65 5-30")
      found = try #require(try await journal())
      #expect(found["covered"] as? [[Int]] == [[5, 50]] && found["missing_count"] as? Int == 0)
      // The largest record number of a range.
      try await send("9f86d081884c7d65 1099511627775-1099511627776")
      found = try #require(try await journal())
      #expect(found["missing"] as? [[Int]] == [[51, 1_099_511_627_774]])
    }
  }

  @Test("an invalid range is stored as rejected, and the records with it are stored")
  func badRange() async throws {
    try await withServer { server in
      let response = try await server.post(batch(point(0)), headers: ["Godwit-Range": "everything"])
      #expect(response.object["saved"] as? Int == 1)
      let rejections = try await server.get("/api/v1/rejected").object["rejected"] as? [[String: Any]]
      #expect((rejections?.first?["reason"] as? String)?.contains("expected JOURNAL FIRST-LAST") == true)
      #expect(rejections?.first?["raw"] as? String == "everything")
    }
  }

  @Test("an incomplete upload covers nothing")
  func brokenRange() async throws {
    try await withServer { server in
      let cut = String(batch(point(0), point(1)).dropLast(20))
      #expect(try await server.post(cut, headers: ["Godwit-Range": "9f86d081884c7d65 1-2"]).status == 400)
      let journals = try await server.get("/api/v1/journals").object["journals"] as? [Any]
      #expect(journals?.isEmpty == true)
    }
  }

  @Test("the metrics are in Prometheus' text format and count the events")
  func metrics() async throws {
    try await withServer { server in
      _ = try await server.post(batch(point(0), point(0), point(1, latitude: 99)))
      let text = try await server.get("/metrics").text
      for line in [
        #"godwit_records_total{result="saved"} 1"#, #"godwit_records_total{result="duplicate"} 1"#,
        #"godwit_records_total{result="rejected"} 1"#,
        #"godwit_http_requests_total{route="/api/overland",status="200"} 1"#, "# TYPE godwit_store_commits_total counter",
        "\ngodwit_devices 1\n", "\ngodwit_devices_offline 0\n", "\ngodwit_dirty_days 1\n",
      ] {
        #expect(text.contains(line), "\(line)")
      }
    }
  }

  @Test("metrics follow Prometheus' rules for names: one family each, counters end in _total, gauges do not")
  func metricNames() async throws {
    try await withServer { server in
      _ = try await server.post(batch(point(0)))
      let lines = try await server.get("/metrics").text.split(separator: "\n").map(String.init)
      var families: [String: String] = [:]
      var last = ""
      for line in lines {
        let words = line.split(separator: " ").map(String.init)
        if line.hasPrefix("# HELP ") {
          last = words[2]
          #expect(words.count > 3 && line.hasSuffix("."), "\(line)")
          continue
        }
        if line.hasPrefix("# TYPE ") {
          #expect(words[2] == last && families.updateValue(words[3], forKey: last) == nil, "\(line)")
          #expect((words[3] == "counter") == last.hasSuffix("_total"), "\(line)")
          #expect(last.wholeMatch(of: /(godwit|process)(_[a-z]+)+/) != nil, "\(line)")
          continue
        }
        #expect(line.prefix { $0 != "{" && $0 != " " } == last && Int(words.last ?? "") != nil, "\(line)")
      }
      #expect(families.count > 15)
    }
  }

  private func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count + 1000)
    let made = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        _ = deflateInit2_(
          &stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
        (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
        _ = deflate(&stream, Z_FINISH)
        deflateEnd(&stream)
        return target.count - Int(stream.avail_out)
      }
    }
    return Array(output[..<made])
  }
}
