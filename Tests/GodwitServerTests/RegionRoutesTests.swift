import CZlib
import Foundation
import GodwitModel
import GodwitServer
import GodwitWire
import TestClient
import Testing

@testable import GodwitGeofencing
@testable import GodwitRegions
@testable import GodwitStore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Regions over HTTP", .serialized, .timeLimit(.minutes(20)))
struct RegionRoutesTests {
  static let names = ["home", "a b", "ÄÖ/ü", "100%", "devices", "日本", "\u{301}x", "a+b", "?&=#", ".hidden"]

  @Test("a region is created, read, changed and deleted under any id", arguments: RegionServer.Depth.allCases, names)
  func life(_ depth: RegionServer.Depth, _ id: String) async throws {
    try await RegionServer.with(depth) { server in
      let path = "/api/v1/regions/\(id)"
      let made = try await server.send("PUT", path, body: circle(id))
      #expect(made.status == 201 && made.headers["etag"] == "\"1\"", "\(made.text)")
      let replaced = try await server.send("PUT", path, body: circle(id, radius: 5), headers: ["If-Match": "\"1\""])
      #expect(replaced.status == 200 && replaced.object["revision"] as? Int == 2, "\(replaced.text)")
      let late = try await server.send("PUT", path, body: circle(id, radius: 6), headers: ["If-Match": "\"1\""])
      #expect(late.status == 412 && late.text.contains("has revision 2"), "\(late.text)")
      let read = try await server.send("GET", path)
      #expect(read.status == 200 && read.object["radius"] as? Double == 5 && read.object["id"] as? String == id)
      #expect(try await server.send("GET", path, headers: ["If-None-Match": "\"2\""]).status == 304)
      #expect(try await server.send("DELETE", path, headers: ["If-Match": "1"]).status == 412)
      #expect(try await server.send("DELETE", path).object["regions"] as? [String] == [id])
      #expect(try await server.send("DELETE", path).status == 404)
      #expect(try await server.send("PUT", path, body: circle(id), headers: ["If-Match": "*"]).status == 412)
      let again = ["If-None-Match": "*"]
      #expect(try await server.send("PUT", path, body: circle(id), headers: again).status == 201)
      #expect(try await server.send("PUT", path, body: circle(id), headers: again).status == 412)
      #expect(try await server.send("DELETE", path).object["deleted"] as? Int == 1)
    }
  }

  @Test("regions are listed in pages that end with the last one", arguments: RegionServer.Depth.allCases)
  func listed(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      for id in ["a", "b", "c", "d", "e"] {
        #expect(try await server.send("PUT", "/api/v1/regions/\(id)", body: circle(id)).status == 201)
      }
      #expect(try await server.send("DELETE", "/api/v1/regions/c").status == 200)
      var ids: [String] = []
      var query = ["limit": "2"]
      for _ in 0..<4 {
        let page = try await server.send("GET", "/api/v1/regions", query)
        ids += page.list("regions").compactMap { $0["id"] as? String }
        guard let cursor = page.object["next_cursor"] as? String else { break }
        query["cursor"] = cursor
      }
      #expect(ids == ["a", "b", "d", "e"])
      #expect(try await server.send("GET", "/api/v1/regions").object["next_cursor"] is NSNull)
      #expect(try await server.send("GET", "/api/v1/regions", ["limit": "0"]).status == 400)
    }
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var region: String
    /// The position of the error, relative to the region.
    var at: String
    var message: String
  }

  private static func bad(_ what: String, _ members: String, at place: String, _ message: String) -> Bad {
    Bad(testDescription: what, region: #"{"id":"x",\#(members)}"#, at: place, message: message)
  }

  static let bad = [
    bad("radius −1", #""center":{"latitude":1,"longitude":2},"radius":-1"#, at: "radius", "not a valid radius"),
    bad("radius 1e7", #""center":{"latitude":1,"longitude":2},"radius":10000000"#, at: "radius", "not a valid radius"),
    bad("NaN", #""center":{"latitude":1,"longitude":2},"radius":NaN"#, at: "radius", "no NaN"),
    bad("181°", #""center":{"latitude":1,"longitude":181},"radius":1"#, at: "center.longitude", "−180…180"),
    bad("unknown field", #""center":{"latitude":1,"longitude":2},"radius":1,"colour":"red""#, at: "colour", "unknown field"),
    bad("two corners", #""polygons":[[[[1,1],[2,2]]]]"#, at: "polygons[0][0]", "at least 3 corners"),
    bad(
      "crosses itself", #""polygons":[[[[0,0],[2,2],[2,0],[0,2]]]]"#, at: "polygons[0][0][2]", "meets the edge"),
    bad("no shape", #""name":"nothing""#, at: "", "center"),
    bad("a tag without characters", #""center":{"latitude":1,"longitude":2},"radius":1,"tags":["a",""]"#, at: "tags[1]", "tag"),
    bad("dwell of 31 days", #""center":{"latitude":1,"longitude":2},"radius":1,"dwell":2678400"#, at: "dwell", "30 days"),
  ]

  @Test(
    "an invalid region is rejected with the position of the fault, and nothing is stored", arguments: RegionServer.Depth.allCases,
    bad)
  func rejected(_ depth: RegionServer.Depth, _ bad: Bad) async throws {
    try await RegionServer.with(depth) { server in
      let many = try await server.send(
        "POST", "/api/v1/regions", body: "[\(circle("a")),\(circle("b")),\(bad.region),\(circle("c"))]")
      #expect(many.status == 422, "\(many.text)")
      #expect(many.headers["content-type"] == "application/problem+json")
      #expect(
        (many.object["at"] as? String)?.hasPrefix(bad.at.isEmpty ? "regions[2]" : "regions[2].\(bad.at)") == true, "\(many.text)")
      #expect(many.text.contains(bad.message), "\(many.text)")
      let one = try await server.send("PUT", "/api/v1/regions/x", body: bad.region)
      #expect(one.status == (bad.at.isEmpty ? 400 : 422), "\(one.text)")
      #expect(bad.at.isEmpty || (one.object["at"] as? String)?.hasPrefix(bad.at) == true, "\(one.text)")
      let page = try await server.sync()
      #expect(page.nodes.isEmpty && page.object["count"] as? Int == 0)
    }
  }

  @Test(
    "a document without regions is rejected",
    arguments: [("", "empty"), ("hello", "expected"), ("[", "the text ends"), ("{}", "id"), ("[1]", "expected")])
  func documents(_ text: String, _ message: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.send("POST", "/api/v1/regions", body: text)
      #expect(response.status == 400 || response.status == 422, "\(response.text)")
      #expect(response.text.contains(message) && response.object["at"] is String, "\(response.text)")
    }
  }

  @Test("two regions with the same id in one document are rejected with the position of the second")
  func twice() async throws {
    try await RegionServer.with { server in
      let response = try await server.send("POST", "/api/v1/regions", body: "[\(circle("a")),\(circle("b")),\(circle("a"))]")
      #expect(response.status == 422 && (response.object["at"] as? String)?.hasPrefix("regions[2]") == true, "\(response.text)")
      #expect(try await server.sync().nodes.isEmpty)
    }
  }

  @Test("a body of 50 MB is rejected, compressed or not", arguments: RegionServer.Depth.allCases)
  func tooLarge(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let body = Array("[".utf8) + [UInt8](repeating: 0x20, count: 50 << 20) + Array("]".utf8)
      // A compressed body of at most 64 KiB has a separate limit.
      for (bytes, headers, limit) in [(body, [:], 32 << 20), (Self.deflated(body), ["Content-Encoding": "gzip"], 4 << 20)] {
        let response = try await server.send("POST", "/api/v1/regions", bytes: bytes, headers: headers)
        #expect(response.status == 413, "\(response.text)")
        #expect(response.text.contains("\(limit)"))
      }
      #expect(try await server.sync().nodes.isEmpty)
    }
  }

  @Test("concurrent changes of one region succeed once each, and none is lost", arguments: RegionServer.Depth.allCases)
  func race(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      try await server.save(circle("x"))
      let store = try server.store()
      // Eight writers with another store; each repeats its change until it succeeds.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 1...8 {
          group.addTask {
            while true {
              guard let before = try store.region(id: "x") else { return }
              let old = try #require(try JSONSerialization.jsonObject(with: Data(before.json)) as? [String: Any])
              let radius = try #require(old["radius"] as? Double)
              do {
                _ = try store.save([try region("x", radius: radius + Double(writer))], if: .revision(before.revision), at: Date())
                return
              } catch is RegionConflict {}
            }
          }
        }
        try await group.waitForAll()
      }
      let after = try await server.send("GET", "/api/v1/regions/x")
      #expect(after.object["radius"] as? Double == 100 + 36 && after.object["revision"] as? Int == 9)
    }
  }

  @Test("concurrent imports by two stores are both complete", arguments: RegionServer.Depth.stores)
  func imports(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let stores = [try server.store(), try server.store()]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, store) in stores.enumerated() {
          group.addTask {
            for part in 0..<10 {
              let regions = try (0..<50).map { try region("p\(index)-\(part)-\($0)") }
              _ = try store.save(regions, if: .none, at: Date())
            }
          }
        }
        try await group.waitForAll()
      }
      let page = try await server.sync(first: 5000)
      var copy = RegionCopy()
      try copy.apply(page)
      #expect(copy.regions.count == 1000 && copy.digest == page.object["digest"] as? String)
    }
  }

  // MARK: Access

  static let pages: [(headers: [String: String], status: Int)] = [
    ([:], 403), (["Sec-Fetch-Site": "same-origin", "Origin": "http://127.0.0.1:8080"], 201),
    (["Host": "localhost:8080", "Origin": "http://localhost:8080"], 201),
    (["Host": "localhost:8080", "Origin": "http://evil.example"], 403), (["Sec-Fetch-Site": "cross-site"], 403),
    (["Sec-Fetch-Site": "same-site"], 403), (["Host": "localhost:8080", "Origin": "null"], 403),
    (["Host": "evil.example"], 403),
  ]

  @Test("only the server's own pages can change data with the administrator's cookie", arguments: pages)
  func otherFormats(_ headers: [String: String], _ status: Int) async throws {
    try await RegionServer.with { server in
      let secret = try String(contentsOf: server.folder.appendingPathComponent("admin-token"), encoding: .utf8)
      let cookie = ["Cookie": "godwit_token=\(secret.trimmingCharacters(in: .newlines))"]
      let headers = headers.merging(cookie) { $1 }
      #expect(try await server.send("POST", "/api/v1/regions", body: circle("a"), headers: headers).status == status)
      let rule = try await server.send("PUT", "/api/v1/devices/phone/regions", body: "{}", headers: headers)
      #expect(rule.status == (status == 201 ? 200 : status))
      let deleted = try await server.send("DELETE", "/api/v1/regions", ["all": "true"], headers: headers)
      #expect(deleted.status == (status == 201 ? 200 : status))
    }
  }

  @Test("devices read regions with their token, and the administrator's cookie alone cannot change data")
  func tokens() async throws {
    try await RegionServer.with(.overASocket, devices: ["phone"], listen: "0.0.0.0:0") { server in
      let secret = try String(contentsOf: server.folder.appendingPathComponent("admin-token"), encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let administrator = ["Authorization": "Bearer \(secret)"]
      let cookie = ["Cookie": "godwit_token=\(secret)"]
      let body = circle("a")
      #expect(try await server.send("GET", "/api/regions", isAnonymous: true).status == 401)
      #expect(try await server.send("POST", "/api/v1/regions", body: body, isAnonymous: true).status == 401)
      #expect(try await server.send("POST", "/api/v1/regions", body: body, device: "phone").status == 401)
      #expect(try await server.send("POST", "/api/v1/regions", body: body, headers: cookie).status == 403)
      let own = cookie.merging(["Sec-Fetch-Site": "same-origin"]) { $1 }
      #expect(try await server.send("POST", "/api/v1/regions", body: body, headers: own).status == 201)
      #expect(try await server.send("POST", "/api/v1/regions", body: circle("b"), headers: administrator).status == 201)
      #expect(try await server.send("GET", "/api/regions", headers: cookie).ids == ["a", "b"])
      #expect(try await server.send("GET", "/api/regions", headers: administrator).ids == ["a", "b"])
      #expect(try await server.sync().ids == ["a", "b"])
      #expect(try await server.send("GET", "/api/v1/region-devices", device: "phone").status == 401)
      #expect(try await server.send("GET", "/api/v1/regions/a", device: "phone").status == 401)
    }
  }

  @Test("a revoked device does not get the rights of a local client", arguments: RegionServer.Depth.stores)
  func revoked(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let response = try await server.send("GET", "/api/regions", headers: ["Authorization": "Bearer gw_old"])
      #expect(response.status == 401)
      #expect(try await server.send("GET", "/api/regions").status == 200)
    }
  }

  // MARK: Events for devices

  @Test(
    "a synced device gets a hint of a change with its next upload, until it has synced again",
    arguments: RegionServer.Depth.stores)
  func hint(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "van"]) { server in
      func upload(_ device: String) async throws -> String? {
        let response = try await server.send("POST", "/api/overland", body: #"{"locations":[]}"#, device: device)
        #expect(response.status == 200 && response.object["result"] as? String == "ok", "\(response.text)")
        return response.object["regions"] as? String
      }
      try await server.save(circle("a", tags: ["x"]))
      #expect(try await upload("phone") == nil, "the device never synced")
      let first = try await server.sync()
      #expect(try await upload("phone") == nil, "the device is up to date")
      try await server.save(circle("b", tags: ["y"]))
      let hint = try #require(try await upload("phone"))
      #expect(try await upload("phone") == hint, "until it syncs")
      let second = try await server.sync(after: first.endCursor)
      #expect(second.object["digest"] as? String == hint)
      #expect(try await upload("phone") == nil)
      _ = try await server.send("PUT", "/api/v1/devices/phone/regions", body: #"{"tags":["x"]}"#)
      #expect(try await upload("phone") == first.object["digest"] as? String, "the regions of the device changed")
      let third = try await server.sync(after: second.endCursor)
      #expect(third.object["reset"] as? Bool == true && third.ids == ["a"])
      try await server.save(circle("c", tags: ["y"]))
      #expect(try await upload("phone") == nil, "a region of other devices causes no hint")
      #expect(try await upload("van") == nil)
    }
  }

  @Test(
    "the administrator sees which device has which regions, and since when it is behind", arguments: RegionServer.Depth.stores)
  func devices(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth, devices: ["phone", "van"]) { server in
      func state(_ name: String) async throws -> [String: Any] {
        let response = try await server.send("GET", "/api/v1/region-devices")
        let all = try #require(response.object["devices"] as? [[String: Any]], "\(response.text)")
        return try #require(all.first { $0["name"] as? String == name })
      }
      try await server.save(circle("a", tags: ["x"]))
      var phone = try await state("phone")
      #expect(phone["current"] as? Bool == false && phone["has"] == nil)
      let page = try await server.sync()
      phone = try await state("phone")
      #expect(phone["current"] as? Bool == true && phone["behind_since"] == nil)
      #expect((phone["has"] as? [String: Any])?["digest"] as? String == page.object["digest"] as? String)
      let before = Date()
      try await server.save(circle("b"), circle("c"))
      phone = try await state("phone")
      #expect(phone["current"] as? Bool == false)
      #expect((phone["gets"] as? [String: Any])?["count"] as? Int == 3)
      #expect((phone["has"] as? [String: Any])?["count"] as? Int == 1)
      let since = try #require((phone["behind_since"] as? String).flatMap { RFC3339.date($0) })
      #expect(abs(since.timeIntervalSince(before)) < 60)
      // Between two pages the device is not up to date.
      let half = try await server.sync(after: page.endCursor, first: 1)
      #expect(half.hasNextPage)
      #expect(try await state("phone")["current"] as? Bool == false)
      _ = try await server.sync(after: half.endCursor)
      #expect(try await state("phone")["current"] as? Bool == true)
      _ = try await server.send("PUT", "/api/v1/devices/phone/regions", body: #"{"tags":["x"],"evaluate":true}"#)
      phone = try await state("phone")
      #expect(phone["current"] as? Bool == false && phone["behind_since"] is String)
      #expect((phone["rule"] as? [String: Any])?["evaluate"] as? Bool == true)
    }
  }

  static let badRules: [(text: String, status: Int, at: String)] = [
    ("", 400, "byte 0"), ("[]", 400, "byte 0"), (#"{"tag":["a"]}"#, 422, "tag"), (#"{"tags":"a"}"#, 422, "tags"),
    (#"{"tags":["a",1]}"#, 422, "tags[1]"), (#"{"without":[""]}"#, 422, "without[0]"), (#"{"evaluate":"yes"}"#, 422, "evaluate"),
    (#"{"regions":["a\u0000"]}"#, 422, "regions[0]"),
  ]

  @Test("an invalid rule is rejected with the position of the error", arguments: badRules)
  func badRule(_ text: String, _ status: Int, _ place: String) async throws {
    try await RegionServer.with { server in
      let response = try await server.send("PUT", "/api/v1/devices/phone/regions", body: text)
      #expect(response.status == status && response.object["at"] as? String == place, "\(response.text)")
      #expect(try await server.send("PUT", "/api/v1/devices/nobody/regions", body: "{}").status == 404)
      #expect(try await server.send("PUT", "/api/v1/groups/../regions", body: "{}").status != 200)
      #expect(try await server.send("PUT", "/api/v1/groups/g/regions", body: #"{"groups":["h"]}"#).status == 422)
    }
  }

  @Test(
    "subscribers are notified of changes, even by another process", .timeLimit(.minutes(20)),
    arguments: RegionServer.Depth.testedSockets)
  func events(_ depth: RegionServer.Depth) async throws {
    let clock = VirtualClock()
    try await RegionServer.with(depth, clock: clock) { server in
      await clock.sleepers(server.services)
      let events = try server.events()
      await events.first(with: "godwit")
      try await server.save(circle("a"))
      await events.first(with: "event: regions\ndata: {\"revision\":1,\"count\":1")
      _ = try server.store().save([try region("b")], if: .none, at: Date())
      await clock.advance(by: .milliseconds(1001))
      await events.first(with: "event: regions\ndata: {\"revision\":2,\"count\":2")
    }
  }

  // MARK: Maps and files

  @Test(
    "a bounding box selects the regions that intersect it, across the antimeridian and around the poles",
    arguments: RegionServer.Depth.stores)
  func boxes(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let square = #"{"id":"square","polygons":[[[[10,10],[12,10],[12,12],[10,12]]]]}"#
      let beacon =
        #"{"id":"beacon","beacon":{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E"},"center":{"latitude":11,"longitude":11}}"#
      let unreachable = #"{"id":"nowhere","beacon":{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E"}}"#
      try await server.save(
        square, beacon, unreachable, circle("home", tags: ["x"]), circle("fiji", latitude: -17, longitude: 179.9, radius: 50_000),
        circle("pole", latitude: 89.9, longitude: 0, radius: 50_000), circle("gone"),
        circle("samoa", latitude: -14, longitude: -179.5, radius: 1000))
      _ = try await server.send("DELETE", "/api/v1/regions/gone")
      func ids(_ box: String, _ query: [String: String] = [:]) async throws -> [String] {
        try await server.send("GET", "/api/regions", query.merging(["bbox": box]) { $1 }).ids.sorted()
      }
      #expect(try await ids("-180,-90,180,90") == ["beacon", "fiji", "home", "pole", "samoa", "square"])
      #expect(try await ids("14,45,15,47") == ["home"])
      #expect(try await ids("10.5,10.5,10.6,10.6") == ["square"])
      #expect(try await ids("-180,-18,-179.9,-16") == ["fiji"])
      #expect(try await ids("179.95,-18,180,-16") == ["fiji"])
      #expect(try await ids("170,-18,-170,-16") == ["fiji"])
      #expect(try await ids("-170,-18,170,-16") == [])
      #expect(try await ids("179,-15,-179,-13") == ["samoa"])
      #expect(try await ids("179,-15,-179.9,-13") == [])
      #expect(try await ids("-100,89.5,-99,90") == ["pole"])
      #expect(try await ids("-180,-90,180,90", ["tag": "x"]) == ["home"])
      #expect(try await server.send("GET", "/api/regions", ["bbox": "1,2,3"]).status == 400)
      #expect(try await server.send("GET", "/api/regions", ["first": "0"]).status == 400)
    }
  }

  static let files: [(format: String, type: String, begins: String)] = [
    ("json", "application/json", #"{"regions":["#), ("geojson", "application/geo+json", #"{"type":"FeatureCollection""#),
    ("kml", "application/vnd.google-earth.kml+xml", "<?xml"), ("owntracks", "application/json", #"{"_type":"waypoints""#),
  ]

  @Test("exports of each format can be imported", arguments: files)
  func formats(_ format: String, _ type: String, _ begins: String) async throws {
    try await RegionServer.with { server in
      let area = #"{"id":"area","name":"Area","polygons":[[[[0,0],[9,0],[9,9]]]],"tags":["x"]}"#
      try await server.save(circle("a", tags: ["x", "y"]))
      if format != "owntracks" { try await server.save(area) }
      let digest = try await server.sync().object["digest"] as? String
      let file = try await server.send("GET", "/api/v1/regions", ["format": format])
      #expect(file.status == 200 && file.headers["content-type"] == type && file.text.hasPrefix(begins), "\(file.text)")
      #expect(file.headers["content-disposition"]?.hasPrefix("attachment; filename=\"regions.") == true)
      _ = try await server.send("DELETE", "/api/v1/regions", ["all": "true"])
      let back = try await server.send("POST", "/api/v1/regions", bytes: file.body)
      #expect(back.object["created"] as? Int == (format == "owntracks" ? 1 : 2), "\(back.text)")
      // OwnTracks has no tags.
      if format != "owntracks" { #expect(try await server.sync().object["digest"] as? String == digest) }
      #expect(try await server.send("GET", "/api/v1/regions", ["format": "shp"]).status == 400)
    }
  }

  @Test("an invalid tag is rejected for imports as well")
  func badTag() async throws {
    try await RegionServer.with { server in
      let long = String(repeating: "x", count: 65)
      let response = try await server.send("POST", "/api/v1/regions", ["tag": "a,\(long)"], body: circle("a"))
      #expect(
        response.status == 422 && (response.object["at"] as? String)?.hasPrefix("regions[0].tags") == true, "\(response.text)")
      #expect(try await server.sync().nodes.isEmpty)
    }
  }

  @Test("exported regions are imported unchanged, even if compressed", arguments: RegionServer.Depth.stores)
  func roundTrip(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      let odd =
        #"{"id":"odd \"1\"","name":"Ö\n","center":{"latitude":-0.1,"longitude":179.999999},"radius":0.5,"tags":["a","b c"],"dwell":300.25,"schedule":{"windows":[{"days":["monday","sunday"],"from":"22:00","to":"06:00"}],"time_zone":"Europe/Ljubljana"},"extras":{"a":[1,{"b":null}]}}"#
      let holed = #"{"id":"hole","polygons":[[[[0,0],[9,0],[9,9],[0,9]],[[1,1],[2,1],[2,2]]],[[[20,0],[21,0],[21,1]]]]}"#
      try await server.save(odd, holed, #"{"id":"b","beacon":{"uuid":"F7826DA6-4FA2-4E98-8024-BC5B71E0893E","major":1}}"#)
      for number in 0..<200 { try await server.save(circle("r\(number)")) }
      let file = try await server.send(
        "GET", "/api/v1/regions", ["format": "json"], headers: ["Accept-Encoding": "br, gzip;q=0.5"])
      #expect(file.headers["content-encoding"] == "gzip" && file.body.starts(with: [0x1F, 0x8B]))
      let plain = try await server.send("GET", "/api/v1/regions", ["format": "json"], headers: ["Accept-Encoding": "gzip;q=0"])
      #expect(plain.headers["content-encoding"] == nil && plain.body.count > file.body.count)
      let digest = try await server.sync().object["digest"] as? String
      let same = try await server.send("POST", "/api/v1/regions", bytes: file.body, headers: ["Content-Encoding": "gzip"])
      #expect(same.object["unchanged"] as? Int == 203, "\(same.text.prefix(300))")
      #expect(try await server.send("DELETE", "/api/v1/regions", ["all": "true"]).object["deleted"] as? Int == 203)
      #expect(try await server.sync().object["digest"] as? String == String(repeating: "0", count: 32))
      let back = try await server.send("POST", "/api/v1/regions", ["tag": ""], bytes: plain.body)
      #expect(back.status == 201 && back.object["created"] as? Int == 203)
      #expect(try await server.sync().object["digest"] as? String == digest)
      let tagged = try await server.send("POST", "/api/v1/regions", ["tag": "new"], bytes: plain.body)
      #expect(tagged.object["changed"] as? Int == 203)
      #expect(try await server.send("DELETE", "/api/v1/regions", ["tag": "new"]).object["deleted"] as? Int == 203)
      #expect(try await server.send("DELETE", "/api/v1/regions").status == 400)
    }
  }

  static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream = z_stream()
    var input = bytes
    var output = [UInt8](repeating: 0, count: bytes.count / 100 + 1000)
    let made = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        _ = deflateInit2_(
          &stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
        (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
        let code = deflate(&stream, Z_FINISH)
        #expect(code == Z_STREAM_END)
        deflateEnd(&stream)
        return target.count - Int(stream.avail_out)
      }
    }
    return Array(output[..<made])
  }
}
