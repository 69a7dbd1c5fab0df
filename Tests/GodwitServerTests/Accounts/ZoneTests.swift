import Foundation
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore

@Suite("Private zones")
struct ZoneTests {
  /// A zone around a home.
  private static let home = #""center":{"latitude":46.05,"longitude":14.5},"radius":300"#
  private static let inside = (latitude: 46.051_234_5, longitude: 14.501_234_5)
  private static let outside = (latitude: 46.061_234_5, longitude: 14.511_234_5)

  private static func add(_ server: AccountServer, _ caller: AccountServer.Caller, _ action: String) -> Response {
    server.send("POST", "/api/v1/zones", as: caller, body: #"{"name":"Home",\#(home),"inside":"\#(action)"}"#)
  }

  /// The byte sequences that would reveal a place in a file: as text, and as the numbers that columns contain.
  private static func traces(_ place: (latitude: Double, longitude: Double)) -> [Data] {
    var traces: [Data] = []
    for degrees in [place.latitude, place.longitude] {
      let text = String(format: "%.7f", degrees)
      for digits in [text.dropLast(1), text.dropLast(2), text.dropLast(3)] { traces.append(Data(digits.utf8)) }
      let scaled = Int64((degrees * 1e7).rounded())
      traces.append(Data(String(scaled).utf8))
      withUnsafeBytes(of: Int32(scaled).bigEndian) { traces.append(Data($0)) }
      withUnsafeBytes(of: Int32(scaled).littleEndian) { traces.append(Data($0)) }
      withUnsafeBytes(of: degrees.bitPattern.bigEndian) { traces.append(Data($0)) }
      withUnsafeBytes(of: degrees.bitPattern.littleEndian) { traces.append(Data($0)) }
    }
    return traces
  }

  private static func isInFiles(_ traces: [Data], _ server: AccountServer) throws -> [Data] {
    let files = try FileManager.default.contentsOfDirectory(at: server.folder, includingPropertiesForKeys: nil)
    let bytes = try files.filter { $0.lastPathComponent.hasPrefix("godwit.sqlite") }.map { try Data(contentsOf: $0) }
    return traces.filter { trace in bytes.contains { $0.range(of: trace) != nil } }
  }

  /// Uploads from a device at a place: a point with all members, a visit, a trip, an event and an action, the newest position and
  /// the current trip, a record that cannot be decoded, and a truncated body.
  private static func sendAll(
    _ server: AccountServer, _ phone: AccountServer.Caller, _ place: (latitude: Double, longitude: Double), range: String
  ) {
    let point =
      #""type":"Feature","geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]}"#
    let more = #""raw_latitude":\#(place.latitude),"note":"lon \#(place.longitude)","wifi":"home-network""#
    let records = [
      #"{\#(point),"properties":{"timestamp":"2026-11-20T08:30:00Z","speed":1.25,\#(more)}}"#,
      #"{\#(point),"properties":{"timestamp":"2026-11-20T08:31:00Z","action":"visit","arrival_date":"2026-11-20T07:00:00Z","departure_date":"2026-11-20T08:00:00Z",\#(more)}}"#,
      #"{\#(point),"properties":{"timestamp":"2026-11-20T08:32:00Z","type":"trip","mode":"bus","start":"2026-11-20T08:10:00Z","end":"2026-11-20T08:20:00Z","start_location":{\#(point),"properties":{"timestamp":"2026-11-20T08:10:00Z"}},"end_location":{\#(point),"properties":{"timestamp":"2026-11-20T08:20:00Z"}},\#(more)}}"#,
      #"{\#(point),"properties":{"timestamp":"2026-11-20T08:33:00Z","action":"paused_location_updates",\#(more)}}"#,
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]},"properties":{"timestamp":"no time"}}"#,
    ]
    _ = server.send(
      "POST", "/api/overland", as: phone,
      body:
        #"{"locations":[\#(records.joined(separator: ","))],"current":\#(records[0]),"trip":{"distance":10,"start_location":\#(records[0])}}"#,
      headers: ["Godwit-Range": range])
    _ = server.send(
      "POST", "/api/overland", as: phone,
      body: #"{"locations":[{"type":"Feature","geometry":{"coordinates":[\#(place.longitude),\#(place.latitude)"#)
    _ = server.send(
      "POST", "/pub", as: phone,
      body:
        #"{"_type":"location","lat":\#(place.latitude),"lon":\#(place.longitude),"tst":1795162000,"SSID":"home-network","poi":"at \#(place.latitude)"}"#
    )
    _ = server.send("POST", "/pub", as: phone, body: #"{"_type":"location","lat":\#(place.latitude),"lon":\#(place.longitude)}"#)
  }

  @Test(
    "no precise position is in the database's files, including rejected records and extras",
    arguments: ["coarsen", "drop"])
  func bytes(_ action: String) async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      #expect(Self.add(server, anna, action).status == 201)
      Self.sendAll(server, users.annasPhone.caller, Self.inside, range: "9f86d081884c7d65 1-5")
      #expect(try Self.isInFiles(Self.traces(Self.inside) + [Data("home-network".utf8)], server) == [])
      let phone = users.annasPhone.device
      let points = try server.server.store.points(PointQuery(device: phone.id, limit: 100))
      #expect(points.count == (action == "drop" ? 0 : 2))
      for point in points {
        let home = try #require(Coordinate(latitude: 46.05, longitude: 14.5))
        let place = try #require(Coordinate(latitude: Self.inside.latitude, longitude: Self.inside.longitude))
        let accuracy = try #require(point.fix.horizontalAccuracy)
        #expect(GreatCircle.distance(point.fix.coordinate, place) <= accuracy)
        #expect(point.fix.coordinate != home && point.fix.speed == nil && point.record.extras == nil)
      }
      // All record numbers are covered: no record is missing.
      let journal = try #require(try server.server.store.journals(device: phone.id).first)
      #expect(journal.covered == [1...5] && journal.missingCount == 0)
      let counts = try #require(
        server.send("GET", "/api/v1/zones", as: anna).list("counts").first { $0["device"] as? String == "annas-phone" })
      let (coarsened, dropped) = (counts["coarsened"] as? Int ?? 0, counts["dropped"] as? Int ?? 0)
      #expect(action == "drop" ? dropped >= 3 : coarsened >= 4 && dropped == 0)
    }
  }

  @Test("positions outside the zone and positions of other users' devices are stored unchanged")
  func elsewhere() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      #expect(Self.add(server, anna, "drop").status == 201)
      try server.upload(users.annasPhone.caller, [Self.outside], from: Date(timeIntervalSince1970: 1_795_000_000))
      try server.upload(users.bensPhone.caller, [Self.inside], from: Date(timeIntervalSince1970: 1_795_000_000))
      try server.upload(users.adminsPhone.caller, [Self.inside], from: Date(timeIntervalSince1970: 1_795_000_000))
      let points = try server.server.store.points(PointQuery(limit: 100))
      #expect(points.map(\.fix.coordinate.latitude) == [46.061_234_5, 46.051_234_5, 46.051_234_5])
      // The traces of the test above are in the files if the place is stored.
      #expect(try Self.isInFiles(Self.traces(Self.inside), server).count >= 2)
    }
  }

  @Test("a zone applies to records of other processes too, and to a device after its assignment to the user")
  func otherPrograms() async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      let there = try #require(Coordinate(latitude: Self.inside.latitude, longitude: Self.inside.longitude))
      func records(_ second: Double) -> [Record] {
        [Record(kind: .fix(Fix(time: Date(timeIntervalSince1970: 1_795_000_000 + second), coordinate: there)))]
      }
      let store = try SQLiteTrackStore(folder: server.folder.path)
      defer { store.close() }
      _ = try await store.store(records(0), of: users.annasPhone.device, at: Date())
      #expect(Self.add(server, anna, "drop").status == 201)
      _ = try await store.store(records(1), of: users.annasPhone.device, at: Date())
      #expect(try store.points(PointQuery(device: users.annasPhone.device.id, limit: 10)).count == 1)
      _ = try await store.store(records(2), of: users.bensPhone.device, at: Date())
      try await server.give(users.bensPhone.device, to: users.anna)
      _ = try await store.store(records(3), of: users.bensPhone.device, at: Date())
      #expect(try store.points(PointQuery(device: users.bensPhone.device.id, limit: 10)).count == 1)
      let zone = try #require(server.send("GET", "/api/v1/zones", as: anna).list("zones").first?["id"] as? String)
      #expect(server.send("DELETE", "/api/v1/zones/\(zone)", as: anna).status == 200)
      _ = try await store.store(records(4), of: users.bensPhone.device, at: Date())
      #expect(try store.points(PointQuery(device: users.bensPhone.device.id, limit: 10)).count == 2)
    }
  }

  @Test("a polygon applies inside its edges, and not in the rest of the circle around it", arguments: StoreKind.tested)
  func area(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let anna = try await server.session(of: users.anna)
      let response = server.send(
        "POST", "/api/v1/zones", as: anna,
        body: #"{"name":"Park","inside":"drop","polygon":[[14.5,46.05],[14.51,46.05],[14.51,46.06],[14.5,46.05]]}"#)
      #expect(response.status == 201, "\(response.text)")
      try server.upload(
        users.annasPhone.caller, [(46.052, 14.508), (46.058, 14.502), (46.2, 14.5)],
        from: Date(timeIntervalSince1970: 1_795_000_000))
      #expect(try server.server.store.points(PointQuery(limit: 10)).map(\.fix.coordinate.latitude) == [46.058, 46.2])
    }
  }

  @Test("zones are visible to, changed by and removed by their user only", arguments: StoreKind.tested)
  func ofOneUser(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let users = try await TestUsers(server)
      let (anna, ben) = (try await server.session(of: users.anna), try await server.session(of: users.ben))
      let admin = try await server.session(of: users.admin)
      let id = try #require(Self.add(server, anna, "coarsen").object["id"] as? String)
      for caller in [ben, admin] {
        #expect(server.send("GET", "/api/v1/zones", as: caller).list("zones").isEmpty)
        #expect(server.send("DELETE", "/api/v1/zones/\(id)", as: caller).status == 404)
      }
      let changed = server.send(
        "PUT", "/api/v1/zones/\(id)", as: anna, body: #"{"name":"Flat",\#(Self.home),"inside":"drop"}"#)
      #expect(changed.object["inside"] as? String == "drop" && changed.object["name"] as? String == "Flat")
      #expect(server.send("DELETE", "/api/v1/zones/\(id)", as: anna).status == 200)
      #expect(server.send("GET", "/api/v1/zones", as: anna).list("zones").isEmpty)
    }
  }

  @Test(
    "an invalid zone is rejected, with the reason",
    arguments: [
      (#"{"name":"x"}"#, "center: expected"), (#"{"name":"x","center":{"latitude":91,"longitude":0},"radius":100}"#, "center"),
      (#"{"name":"x","center":{"latitude":1,"longitude":0},"radius":1}"#, "50 to 50000 metres"),
      (#"{"name":"x","polygon":[[1,2]],"radius":100}"#, "a circle or a polygon"),
      (#"{"name":"x","polygon":[[14,46],[15,46]]}"#, "polygon"),
      (#"{"name":"x","inside":"blur"}"#, "expected coarsen, drop"),
    ])
  func bad(_ body: String, _ message: String) async throws {
    try await AccountServer.with { server in
      let users = try await TestUsers(server)
      let response = server.send("POST", "/api/v1/zones", as: try await server.session(of: users.anna), body: body)
      #expect(response.status == 422 && response.text.contains(message), "\(response.text)")
    }
  }
}
