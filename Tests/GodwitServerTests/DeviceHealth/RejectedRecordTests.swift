import Foundation
import GodwitAccounts
import GodwitModel
import GodwitWire
import TestClient
import Testing

@testable import GodwitIntake
@testable import GodwitServer
@testable import GodwitStore

extension RegionServer {
  fileprivate func rejected(_ query: [String: String] = [:]) async throws -> [[String: Any]] {
    try await send("GET", "/api/v1/rejected", query).object["rejected"] as? [[String: Any]] ?? []
  }

  fileprivate func points() async throws -> [[String: Any]] {
    try await send("GET", "/api/v1/points").object["features"] as? [[String: Any]] ?? []
  }
}

/// A request with one invalid record, and the corrected record.
struct InvalidRequest: Sendable, CustomTestStringConvertible {
  var format: String
  var path: String
  var query: [String: String] = [:]
  var headers: [String: String] = [:]
  var body: String
  var status: Int
  var corrected: String
  /// The name of the device in the record.
  var label: String?
  var testDescription: String { "\(format) \(path)" }

  static let all = [
    InvalidRequest(
      format: "overland", path: "/api/overland",
      body: """
        {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14,91]},\
        "properties":{"timestamp":"2026-11-20T08:30:00Z","device_id":"a"}}]}
        """, status: 200,
      corrected: """
        {"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"2026-11-20T08:30:00Z","device_id":"a"}}
        """, label: "a"),
    InvalidRequest(
      format: "overland", path: "/api/overland", body: "not JSON", status: 400,
      corrected: """
        {"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"2026-11-20T08:30:00Z"}}]}
        """),
    InvalidRequest(
      format: "openlocate", path: "/api/openlocate",
      body: #"{"locations":[{"latitude":91,"longitude":14,"utc_timestamp":1795163400}]}"#, status: 200,
      corrected: #"{"latitude":46,"longitude":14,"utc_timestamp":1795163400}"#),
    InvalidRequest(
      format: "colota", path: "/api/colota", body: #"{"lat":91,"lon":14,"tst":1795163400}"#, status: 200,
      corrected: #"{"lat":46,"lon":14,"tst":1795163400}"#),
    InvalidRequest(
      format: "owntracks", path: "/pub", headers: ["X-Limit-U": "anna", "X-Limit-D": "pixel"],
      body: #"{"_type":"location","lat":91,"lon":14,"tst":1795163400}"#, status: 200,
      corrected: #"{"_type":"location","lat":46,"lon":14,"tst":1795163400}"#, label: "anna/pixel"),
    InvalidRequest(
      format: "osmand", path: "/api/osmand", query: ["lat": "91", "lon": "14", "timestamp": "1795163400", "speed": "10"],
      body: "", status: 200, corrected: "lat=46&lon=14&timestamp=1795163400&speed=10"),
    InvalidRequest(
      format: "gpslogger", path: "/api/gpslogger", query: ["lat": "91", "lon": "14", "timestamp": "1795163400", "speed": "10"],
      body: "", status: 200, corrected: "lat=46&lon=14&timestamp=1795163400&speed=10"),
  ]
}

@Suite("Rejected records", .timeLimit(.minutes(20)))
struct RejectedRecordTests {
  @Test(
    "retrying a rejected record unchanged rejects it again, and a corrected one is stored once",
    arguments: InvalidRequest.all, RegionServer.Depth.stores)
  func retry(_ invalid: InvalidRequest, _ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let sent = try await server.send(
        "POST", invalid.path, invalid.query, body: invalid.body, device: "phone", headers: invalid.headers)
      #expect(sent.status == invalid.status, "\(sent.text)")
      let rejection = try #require(try await server.rejected().first)
      #expect(rejection["protocol"] as? String == invalid.format)
      #expect(rejection["attempts"] as? Int == 0 && rejection["solved"] is NSNull && rejection["cut"] as? Bool == false)
      let id = try #require(rejection["id"] as? Int)

      let again = try await server.send("POST", "/api/v1/rejected/\(id)/retry")
      #expect(again.status == 422 && again.object["title"] as? String == "Rejected again", "\(again.text)")
      #expect(try await server.rejected().first?["attempts"] as? Int == 1)
      #expect(try await server.points().isEmpty)

      let contact = try server.tracks().devices().first?.lastContact
      let solved = try await server.send("POST", "/api/v1/rejected/\(id)/retry", body: invalid.corrected)
      #expect(solved.status == 200 && solved.object["saved"] as? Int == 1, "\(solved.text)")
      let points = try await server.points()
      #expect(points.count == 1)
      let properties = points.first?["properties"] as? [String: Any]
      #expect(properties?["timestamp"] as? String == "2026-11-20T08:30:00Z")
      #expect(properties?["device_id"] as? String == invalid.label)
      if invalid.format == "osmand" { #expect(abs((properties?["speed"] as? Double ?? 0) - 5.14) < 0.01) }
      if invalid.format == "gpslogger" { #expect(properties?["speed"] as? Double == 10) }
      #expect(try await server.rejected().isEmpty)
      #expect(try await server.rejected(["state": "solved"]).first?["id"] as? Int == id)
      let summary = try #require(try server.tracks().devices().first)
      #expect(summary.rejected == 0 && summary.points == 1)
      #expect(summary.lastContact == contact, "a retry is not a contact")
      let third = try await server.send("POST", "/api/v1/rejected/\(id)/retry", body: invalid.corrected)
      #expect(third.status == 409)
      #expect(try await server.points().count == 1)
    }
  }

  @Test(
    "the encrypted messages of a device are stored by a retry after the key is set",
    arguments: RegionServer.Depth.stores)
  func key(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "watch"]) { server in
      for (device, second) in [("phone", 0), ("phone", 1), ("watch", 2)] {
        var sealed: [UInt8] = []
        let text = #"{"_type":"location","lat":46,"lon":14,"tst":\#(1_795_163_400 + second)}"#
        OwnTracks.writeEncrypted(OwnTracksKey(passPhrase: "sesame").seal(Array(text.utf8)), into: &sealed)
        let response = try await server.send("POST", "/pub", bytes: sealed, device: device)
        #expect(response.status == 422)
      }
      let early = try await server.send("POST", "/api/v1/rejected/retry").object
      #expect(early["solved"] as? Int == 0 && early["rejected"] as? Int == 3)
      for device in ["phone", "watch"] {
        let set = try await server.send("PUT", "/api/v1/devices/\(device)/owntracks-key", body: #"{"key":"sesame"}"#)
        #expect(set.status == 200, "\(set.text)")
      }
      let retried = try await server.send("POST", "/api/v1/rejected/retry", ["device": "phone"]).object
      #expect(retried["solved"] as? Int == 2 && retried["rejected"] as? Int == 0 && retried["next_cursor"] is NSNull)
      #expect(try await server.points().count == 2)
      let reason = try #require(try await server.rejected().first?["reason"] as? String)
      let none = try await server.send("POST", "/api/v1/rejected/retry", ["reason": "another one"]).object
      #expect(none["solved"] as? Int == 0)
      let rest = try await server.send("POST", "/api/v1/rejected/retry", ["reason": reason]).object
      #expect(rest["solved"] as? Int == 1)
      #expect(try await server.points().count == 3)
    }
  }

  @Test("rejected records are retried page by page, each once", arguments: RegionServer.Depth.stores)
  func pages(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let bad = (0..<5).map { _ in #"{"type":"Feature"}"# }.joined(separator: ",")
      _ = try await server.send("POST", "/api/overland", body: #"{"locations":[\#(bad)]}"#, device: "phone")
      var (after, rejected, calls) = ("", 0, 0)
      repeat {
        let response = try await server.send("POST", "/api/v1/rejected/retry", ["limit": "2", "cursor": after]).object
        rejected += response["rejected"] as? Int ?? 0
        after = response["next_cursor"] as? String ?? ""
        calls += 1
      } while !after.isEmpty && calls < 10
      #expect(rejected == 5 && calls == 3)
      let first = try await server.send("GET", "/api/v1/rejected", ["limit": "3"])
      let second = try await server.send(
        "GET", "/api/v1/rejected", ["limit": "3", "cursor": first.object["next_cursor"] as? String ?? ""])
      let ids = [first, second].flatMap { ($0.object["rejected"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? Int } }
      #expect(ids.count == 5 && ids == ids.sorted(by: >) && second.object["next_cursor"] is NSNull)
      #expect(try await server.rejected().allSatisfy { $0["attempts"] as? Int == 1 })
    }
  }

  @Test(
    "private zones apply to corrected records, and the original of a record inside a zone is not stored",
    arguments: StoreKind.tested)
  func zones(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      let zone = server.send(
        "POST", "/api/v1/zones", as: anna,
        body: #"{"name":"Home","center":{"latitude":46,"longitude":14},"radius":300,"inside":"drop"}"#)
      #expect(zone.status == 201, "\(zone.text)")
      let sent = server.send(
        "POST", "/api/overland", as: users.annasPhone.caller,
        body: #"{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{}}]}"#)
      #expect(sent.status == 200)
      let rejection = try #require(server.send("GET", "/api/v1/rejected", as: anna).list("rejected").first)
      #expect(rejection["raw"] as? String == "" && rejection["protocol"] as? String == "overland")
      let id = try #require(rejection["id"] as? Int)
      let bare = server.send("POST", "/api/v1/rejected/\(id)/retry", as: anna)
      #expect(bare.status == 409 && bare.text.contains("private zones"))
      let corrected = server.send(
        "POST", "/api/v1/rejected/\(id)/retry", as: anna,
        body: """
          {"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"2026-11-20T08:30:00Z"}}
          """)
      #expect(corrected.status == 200 && corrected.object["saved"] as? Int == 0, "\(corrected.text)")
      #expect(server.send("GET", "/api/v1/points", as: anna).features.isEmpty)
    }
  }

  @Test("a member views, retries and deletes records of their own devices only", arguments: StoreKind.tested)
  func members(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      for phone in [users.annasPhone, users.bensPhone, users.adminsPhone] {
        _ = server.send("POST", "/api/overland", as: phone.caller, body: #"{"locations":[{"a":1},{"b":2}]}"#)
      }
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      let reader = try await server.token(.read, of: users.anna)
      let own = server.send("GET", "/api/v1/rejected", as: anna).list("rejected")
      #expect(own.count == 2 && own.allSatisfy { $0["device"] as? String == "annas-phone" })
      let id = try #require(own.first?["id"] as? Int)
      #expect(server.send("GET", "/api/v1/rejected/\(id)", as: reader).status == 200)
      #expect(server.send("DELETE", "/api/v1/rejected/\(id)", as: reader).status == 403)
      for (method, path) in [("GET", ""), ("DELETE", ""), ("POST", "/retry")] {
        #expect(server.send(method, "/api/v1/rejected/\(id)\(path)", as: ben).status == 404)
      }
      #expect(server.send("DELETE", "/api/v1/rejected?device=annas-phone", as: ben).status == 404)
      #expect(server.send("DELETE", "/api/v1/rejected", as: anna).status == 400, "all records must be selected explicitly")
      #expect(server.send("POST", "/api/v1/rejected/retry", as: anna).object["rejected"] as? Int == 2)
      #expect(server.send("DELETE", "/api/v1/rejected/\(id)", as: anna).object["deleted"] as? Int == 1)
      #expect(server.send("DELETE", "/api/v1/rejected?state=all", as: anna).object["deleted"] as? Int == 1)
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      #expect(server.send("GET", "/api/v1/rejected", as: administrator).list("rejected").count == 4)
    }
  }

  @Test(
    "the rejected records of a device are bounded; solved ones are dropped first, and dropped unsolved ones are counted",
    arguments: StoreKind.tested)
  func bounds(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let store = place.store
    let (ann, bob) = (try store.makeDevice("ann"), try store.makeDevice("bob"))
    func reject(_ count: Int, bytes: Int = 10, _ device: Device) async throws {
      let rejected = (0..<count).map { RejectedRecord(place: "\($0)", reason: "r", raw: Array(repeating: 65, count: bytes)) }
      _ = try await store.store([], of: device, rejections: rejected)
    }
    func counts(_ device: Device) throws -> (kept: Int, dropped: Int) {
      try store.read { db in
        (
          try RejectedRecordTable.all(RejectedRecordTable.Query(devices: [device.id], limit: 5000), db).count,
          try RejectedRecordTable.dropped(db)[device.id] ?? 0
        )
      }
    }
    try await reject(20, ann)
    try await store.write { try $0.run("UPDATE rejected_records SET resolved = 1 WHERE id <= 5") }
    try await reject(1200, ann)
    #expect(try counts(ann) == (1000, 215), "five were solved")
    try await reject(3, bob)
    #expect(try counts(bob) == (3, 0))
    try await reject(200, bytes: 64 << 10, bob)
    #expect(try counts(bob) == (128, 75), "eight megabytes")
    try await store.write { try RejectedRecordTable.discardResolved(at: Date(), $0) }
    #expect(try counts(ann).kept == 1000)
  }

  @Test(
    "the lines with the fault are marked",
    arguments: [
      (#"{"a":1,"properties":{"timestamp":"x","b":[1,{"c":-1e5}]}}"#, "$.locations[7].properties.timestamp, byte 99", true, [3]),
      (#"{"a":1,"properties":{"speed":1}}"#, "$.locations[7].properties.timestamp, byte 99", true, [2, 3, 4]),
      (#"{"geometry":{"coordinates":[14,91]}}"#, "$.locations[0].geometry.coordinates[1], byte 3", true, [4]),
      (#"[{"_type":"x"},{"_type":"location","lat":"\"}"}]"#, "$[1].lat, byte 3", false, [6]),
      (#"{"lat":91}"#, "lat, byte 1", true, [1]),
      ("lat=91&lon=14&t=3", "byte 7", true, [1]), ("{\"a\":1,\n\"b\":}", "$.b, byte 13", false, [1]),
      ("{\"a\":1,\n\"b\":}", "byte 4000", true, []), ("", "body", false, []),
    ] as [(String, String, Bool, [Int])])
  func faults(_ raw: String, _ place: String, _ isPart: Bool, _ lines: [Int]) {
    var rejected = RejectedRecord(place: place, reason: "", raw: Array(raw.utf8))
    rejected.origin = RejectedRecordOrigin(.overland, isPart: isPart)
    let text = RejectedText(
      StoredRejectedRecord(
        id: 1, device: Device(id: 1, name: "a"), received: Date(), rejected: rejected, size: raw.utf8.count, attempts: 0))
    #expect(text.marked.map { Array($0) } ?? [] == lines, "\(text.lines)")
    let kept = text.lines.joined().filter { !$0.isWhitespace }
    #expect(kept == raw.filter { !$0.isWhitespace && (!raw.hasPrefix("lat") || $0 != "&") }, "no character is omitted")
  }

  @Test("a rejected record of an earlier version is retried with a given protocol", arguments: RegionServer.Depth.stores)
  func older(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let store = try server.tracks()
      let device = try #require(try store.device(named: "phone"))
      let raw = Array(#"{"_type":"location","lat":46,"lon":14,"tst":1795163400}"#.utf8)
      try await store.write { db in
        _ = try db.run(
          "INSERT INTO rejected_records (device, received, place, reason, raw) VALUES (?, 1795163401000, '$', 'unknown', ?)",
          device.id,
          raw)
      }
      let id = try #require(try await server.rejected().first?["id"] as? Int)
      let unknown = try await server.send("POST", "/api/v1/rejected/\(id)/retry")
      #expect(unknown.status == 422 && unknown.object["at"] as? String == "protocol")
      #expect(try await server.send("POST", "/api/v1/rejected/retry").object["skipped"] as? Int == 1)
      #expect(try await server.send("POST", "/api/v1/rejected/\(id)/retry", ["protocol": "latin"]).status == 400)
      #expect(try await server.send("POST", "/api/v1/rejected/\(id)/retry", ["protocol": "owntracks"]).status == 200)
      #expect(try await server.points().count == 1)
    }
  }
}
