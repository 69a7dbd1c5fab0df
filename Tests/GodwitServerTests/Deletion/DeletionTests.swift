import Foundation
import GodwitAccess
import GodwitAccounts
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitDeletion
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

/// Anna's phone with data of every kind, and devices of other users.
struct DeletionScene {
  let server: AccountServer
  let users: TestUsers
  let anna, ben, admin: AccountServer.Caller
  /// 2025-11-20 06:00 UTC.
  static let start = Date(millisecondsSince1970: 1_763_618_400_000)
  static let journal: UInt64 = 0x9F86_D081_884C_7D65

  init(_ server: AccountServer) async throws {
    self.server = server
    users = try await TestUsers(server)
    anna = try await server.session(of: users.anna)
    ben = try await server.session(of: users.ben)
    admin = try await server.session(of: users.admin)
  }

  var store: any StoreDatabase { server.server.store }
  var phone: Device { users.annasPhone.device }

  /// A numbered fix on a path to the north, one minute after the previous number.
  static func fix(_ number: Int, journal: UInt64? = journal, wifi: String? = "annas-network") throws -> Record {
    Record(
      id: journal.map { RecordID(journal: $0, sequence: RecordNumber(clamping: Int64(number))) },
      kind: .fix(
        Fix(
          time: start.addingTimeInterval(Double(number) * 60),
          coordinate: try coordinate(46 + Double(number) / 1000, 14.123_456_7),
          horizontalAccuracy: 5)), context: DeviceContext(wifi: wifi, deviceID: "annas"))
  }

  /// Stores sixty numbered fixes of an hour, with a visit.
  func fillHour() async throws {
    let visit = Visit(
      time: Self.start.addingTimeInterval(600), coordinate: try coordinate(46.01, 14.123_456_7),
      arrival: Self.start.addingTimeInterval(600), departure: Self.start.addingTimeInterval(1200))
    let records = try (1...60).map { try Self.fix($0) } + [Record(kind: .visit(visit))]
    _ = try await store.store(
      records, of: phone, range: SequenceRange(journal: Self.journal, numbers: 1...60, since: 1), at: Self.start)
  }

  /// Adds rows to every table that has rows of devices.
  func fillAll() async throws {
    try await fillHour()
    _ = try await store.store(
      [], of: phone, rejections: [RejectedRecord(place: "locations[0]", reason: "no time", raw: Array("46.123".utf8))],
      at: Self.start)
    let region =
      #"{"name":"Annas","center":{"latitude":46.02,"longitude":14.1234567},"radius":100,"tags":["owntracks:annas-phone"]}"#
    #expect(server.send("PUT", "/api/v1/regions/annas", as: admin, body: region).status < 300)
    #expect(server.send("POST", "/api/v1/webhooks", as: admin, body: #"{"url":"http://127.0.0.1:9/"}"#).status < 300)
    #expect(
      server.send("PUT", "/api/v1/devices/annas-phone/mqtt-topics", as: admin, body: #"{"topic":"owntracks/anna/phone"}"#).status
        == 200)
    for (name, body) in [("phone", #"["annas-phone"]"#), ("both", #"["annas-phone","annas-watch"]"#)] {
      let link = #"{"name":"\#(name)","devices":\#(body),"from":"2025-11-20","expires":"2100-01-01"}"#
      #expect(server.send("POST", "/api/v1/links", as: anna, body: link).status == 201)
    }
    _ = try await server.token(.write, of: users.anna, device: phone)
    #expect(server.send("PUT", "/api/v1/devices/annas-phone/retention", as: anna, body: #"{"keep_days":10000}"#).status == 200)
    #expect(server.send("PUT", "/api/v1/devices/annas-phone/settings", as: anna, body: #"{"send_interval":"10s"}"#).status == 200)
    #expect(
      server.send("PUT", "/api/v1/devices/annas-phone/heartbeat", as: anna, body: #"{"after_seconds":86400}"#).status == 200)
    let rows: [(String, [SQLArgument])] = [
      ("INSERT INTO app_options (device, owntracks_key, shares) VALUES (?, 'a key', 1)", []),
      ("INSERT INTO app_reports (device, type, time, body) VALUES (?, 'status', 1, '46.123')", []),
      ("INSERT INTO app_commands (device, created, body) VALUES (?, 1, '{}')", []),
      ("INSERT INTO rejected_drops (device, dropped) VALUES (?, 7)", []),
      ("INSERT INTO device_looks (device, color, icon) VALUES (?, '#0b6e6e', 'phone')", []),
      ("INSERT INTO mirrored_devices (device, source, number) VALUES (?, 'another store', 1)", []),
      ("INSERT INTO offline_devices (device, since, detected, notified) VALUES (?, 1, 1, 1)", []),
      ("INSERT INTO contact_hours (device, day, hour, began, length) VALUES (?, 1, 1, 1, 1)", []),
      ("INSERT INTO zone_counts (device, coarsened, dropped) VALUES (?, 2, 3)", []),
      (
        """
        INSERT INTO timeline_corrections (device, created, first, last, body)
        VALUES (?, 1, 1, 2, '{"kind":"visit","action":"rename","start":1,"end":2,"name":"46.123"}')
        """, []
      ),
      (
        "INSERT INTO region_rules (device, changed, rule) VALUES (?, 1, '{\"rule\":{\"tags\":[],\"without\":[],\"regions\":[]},\"groups\":[]}')",
        []
      ),
      ("INSERT INTO device_states (device, time, stays) VALUES (?, 1, '[]') ON CONFLICT DO NOTHING", []),
      (
        "INSERT INTO region_events (device, region, name, body) VALUES (?, 'annas', 'evt_a', '{\"time\":\"2025-11-20T06:10:00Z\"}')",
        []
      ),
      (
        """
        INSERT INTO webhook_deliveries (event, webhook, device, queued, next_attempt)
        SELECT region_events.id, webhooks.id, ?, 1, 9000000000000000 FROM region_events, webhooks WHERE region_events.name = 'evt_a'
        """, []
      ),
      (
        """
        INSERT INTO outliers (device, time, latitude, longitude, reason, flagged, manual, day)
        VALUES (?, ?, ?, ?, 'hand', 1, 1, 20777)
        """, Array(try #require(store.points(PointQuery(device: phone.id, limit: 1)).first).flagArguments.dropFirst())
      ),
    ]
    for (sql, more) in rows { try await server.run(sql, [phone.id.argument] + more) }
    try await server.run(
      "INSERT INTO mqtt_unassigned (topic, subtopic, received, hash, body) VALUES ('owntracks/anna/phone', '', 1, ?, ?)",
      [.blob([7]), .blob(Array("46.123".utf8))])
    _ = server.send("GET", "/api/regions", as: users.annasPhone.caller)
    try await store.processBacklog()
    // The positions of a moving phone create no visit.
    try await server.run(
      """
      INSERT INTO visits (device, arrival, day, seen, latitude, longitude, radius, points, reported)
      VALUES (?, 1, 0, 2, 461234567, 141234567, 10, 3, 0)
      """, [phone.id.argument])
  }

  /// The number of rows of a device by table, without empty tables.
  func rows(of device: Int64) throws -> [String: Int64] {
    try store.read { db in
      let names =
        store.dialect == .sqlite
        ? """
        SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND columns.name = 'device'
        """
        : """
        SELECT CAST(table_name AS text) FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'device' AND table_name NOT LIKE 'points_%'
        """
      var rows: [String: Int64] = [:]
      for table in try db.all(names, body: { $0.text(0) }) {
        let count = try db.integer("SELECT count(*) FROM \(table) WHERE device = ?", device) ?? 0
        if count > 0 { rows[table] = count }
      }
      return rows
    }
  }

  func counts(_ response: Response) -> [String: Int] { response.object["counts"] as? [String: Int] ?? [:] }
}

@Suite("Deletion", .timeLimit(.minutes(20)))
struct DeletionTests {
  @Test(
    "an empty argument of a deletion is rejected, because the deletion would include more without it",
    arguments: [
      ("from=&to=2026-11-29", "from"), ("bbox=&from=2026-11-20", "bbox"),
    ])
  func ambiguous(_ query: String, _ name: String) async throws {
    try await AccountServer.with { server in
      let scene = try await DeletionScene(server)
      let response = server.send("DELETE", "/api/v1/devices/annas-phone/points?dry_run=true&\(query)", as: scene.anna)
      #expect(response.status == 400 && response.text.contains("\(name): "), "\(response.text)")
    }
  }

  @Test("a device is deleted with all its rows, and rows of other devices remain", arguments: StoreKind.tested)
  func device(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try server.upload(scene.users.bensPhone.caller, [(47, 8)], from: DeletionScene.start)
      try await scene.fillAll()
      let before = try scene.rows(of: scene.phone.id)
      // Tables that have rows only while work is pending or in another kind of store.
      let absent = Set(DeviceDeletion.tables).subtracting(before.keys)
      let ofBlocks: Set = kind.isSealed ? [] : ["point_blocks", "sealed_devices"]
      #expect(absent.isSubset(of: ["dirty_days", "trips"] + ofBlocks), "the test fills \(absent)")
      let bens = try scene.rows(of: scene.users.bensPhone.device.id)
      let dry = server.send("DELETE", "/api/v1/devices/annas-phone?dry_run=true", as: scene.anna)
      #expect(dry.status == 200 && dry.object["dry_run"] as? Bool == true, "\(dry.text)")
      #expect(try scene.rows(of: scene.phone.id) == before)
      let done = server.send("DELETE", "/api/v1/devices/annas-phone", as: scene.anna)
      #expect(done.status == 200 && scene.counts(done) == scene.counts(dry), "\(done.text) and \(dry.text)")
      let counts = scene.counts(done)
      #expect(counts["devices"] == 1 && counts["points"] == 60 && counts["rejected_records"] == 1 && counts["links"] == 1)
      #expect(counts["mqtt_messages"] == 1 && counts["webhook_deliveries"] ?? 0 >= 1 && counts["events"] ?? 0 >= 2)
      #expect(try scene.rows(of: scene.phone.id) == [:])
      #expect(try scene.rows(of: scene.users.bensPhone.device.id) == bens)
      #expect(try scene.store.device(named: "annas-phone") == nil)
      #expect(server.send("GET", "/api/overland", as: scene.users.annasPhone.caller).status == 401)
      #expect(server.send("GET", "/api/v1/regions/annas", as: scene.admin).status == 404)
      let links = server.send("GET", "/api/v1/links", as: scene.anna).list("links")
      #expect(links.map { $0["devices"] as? [String] } == [["annas-watch"]])
      let words = try scene.store.read { db in
        try db.all("SELECT coalesce(wifi, '') FROM contexts") { $0.text(0) }
          + db.all("SELECT coalesce(request, '') FROM deletions") { $0.text(0) }
      }
      #expect(!words.contains { $0.contains("annas") } && words.allSatisfy { $0.isEmpty })
      // The id of a deleted device may be cached: no other device gets it.
      let again = try await server.device("annas-phone", of: scene.users.anna)
      #expect(again.device.id > scene.phone.id && again.device.id != scene.users.adminsPhone.device.id)
      #expect(server.send("DELETE", "/api/v1/devices/annas-phone", as: scene.anna).status == 200)
      #expect(try await server.device("another", of: nil).device.id > again.device.id)
      let line = try #require(try server.log().last { $0.action == "DELETE /api/v1/devices/NAME" })
      #expect(line.subject.contains("annas-phone: 1 device, 60 points") && line.actor == "anna" && !line.subject.contains("46."))
      #expect(try server.log().filter { $0.action == "DELETE /api/v1/devices/NAME" }.count == 2, "a dry run is not logged")
    }
  }

  @Test("only the user of the device and an administrator delete it; for others it does not exist", arguments: StoreKind.tested)
  func rights(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillHour()
      // Ben is a friend of Anna with access to all her history.
      _ = server.send("POST", "/api/v1/friends", as: scene.ben, body: #"{"user":"anna"}"#)
      _ = server.send(
        "POST", "/api/v1/friends", as: scene.anna,
        body: #"{"user":"ben","direction":"show","access":"history","since":"2020-01-01"}"#)
      #expect(server.send("GET", "/api/v1/points?device=annas-phone", as: scene.ben).features.count == 60)
      let full = try await server.token(.admin, of: scene.users.ben)
      let read = try await server.token(.read, of: scene.users.anna)
      for path in [
        "/api/v1/devices/annas-phone", "/api/v1/devices/annas-phone/points?from=2020-01-01",
        "/api/v1/devices/annas-phone?dry_run=true",
      ] {
        for caller in [scene.ben, full] {
          let response = server.send("DELETE", path, as: caller)
          #expect(response.status == 404 && response.text.contains("No device is called"), "\(path): \(response.text)")
        }
        #expect(server.send("DELETE", path, as: read).status == 403)
        #expect(server.send("DELETE", path, as: scene.users.annasPhone.caller).status == 401)
      }
      #expect(server.send("DELETE", "/api/v1/users/anna?data=delete", as: scene.ben).status == 403)
      #expect(try scene.store.device(named: "annas-phone") != nil)
      #expect(try scene.store.devices().first { $0.device.id == scene.phone.id }?.points == 60)
      #expect(server.send("DELETE", "/api/v1/devices/annas-phone", as: scene.admin).status == 200)
    }
  }

  @Test("points are deleted by time, and all data that is computed from them changes", arguments: StoreKind.tested)
  func points(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillHour()
      try await scene.store.processBacklog()
      let made = server.send(
        "POST", "/api/v1/links", as: scene.anna, body: #"{"devices":["annas-phone"],"from":"2025-11-20","expires":"2100-01-01"}"#)
      let link = try #require(made.object["token"] as? String)
      let subscription = server.server.feed.subscribe(device: nil, audience: .all)
      _ = subscription.next()
      // From 06:05 to 06:31: 26 fixes and the visit from 06:10 to 06:20.
      let path = "/api/v1/devices/annas-phone/points?from=2025-11-20T06:05:00Z&to=2025-11-20T06:31:00Z"
      let dry = server.send("DELETE", path + "&dry_run=true", as: scene.anna)
      #expect(scene.counts(dry)["points"] == 26 && scene.counts(dry)["events"] == 1, "\(dry.text)")
      let done = server.send("DELETE", path, as: scene.anna)
      #expect(done.status == 200 && scene.counts(done) == scene.counts(dry), "\(done.text)")
      for (prompt, caller) in [
        ("/api/v1/points?device=annas-phone", scene.anna), ("/api/v1/export?device=annas-phone&format=geojson", scene.anna),
        ("/api/v1/shared/\(link)", .anonymous), ("/api/v1/tracks?device=annas-phone", scene.anna),
        ("/api/v1/overview?device=annas-phone&bbox=14,45,15,47&zoom=18", scene.anna),
      ] {
        let text = server.send("GET", prompt, as: caller).text
        #expect(text.contains("46.004") && text.contains("46.031"), "\(prompt): \(text.prefix(300))")
        for place in ["46.005", "46.01,", "46.020", "46.03,"] { #expect(!text.contains(place), "\(place) in \(prompt)") }
      }
      #expect(!server.send("GET", "/api/v1/visits?device=annas-phone", as: scene.anna).text.contains("46.01,"))
      let statistics = server.send("GET", "/api/v1/statistics?device=annas-phone&year=2025", as: scene.anna)
      #expect((statistics.object["total"] as? [String: Any])?["points"] as? Int == 34, "\(statistics.text)")
      #expect(try scene.store.devices().first { $0.device.id == scene.phone.id }?.points == 34)
      if case .bytes(let bytes) = subscription.next() {
        #expect(String(decoding: bytes, as: UTF8.self).contains("event: resync"))
      } else {
        Issue.record("the event stream has no resync event")
      }
    }
  }

  @Test(
    "a deleted record is not reported as missing, and is not stored when the device sends it again",
    arguments: StoreKind.tested)
  func again(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillHour()
      let path = "/api/v1/devices/annas-phone/points?from=2025-11-20T06:05:00Z&to=2025-11-20T06:31:00Z"
      #expect(scene.counts(server.send("DELETE", path, as: scene.anna))["points"] == 26)
      let journal = try #require(try scene.store.journals(device: scene.phone.id).first)
      #expect(journal.covered == [1...60] && journal.missingCount == 0)
      // The response to the upload was lost: the phone sends all records again, with new ones.
      let records = try (1...65).map { try DeletionScene.fix($0) }
      let stored = try await scene.store.store(
        records, of: scene.phone, range: SequenceRange(journal: DeletionScene.journal, numbers: 1...65, since: 1),
        at: DeletionScene.start)
      #expect(stored.saved == 5)
      #expect(try scene.store.points(PointQuery(device: scene.phone.id, limit: 100)).count == 39)
      #expect(try scene.store.journals(device: scene.phone.id).first?.missingCount == 0)
      // The same numbers of another journal are different records.
      let other = try (6...7).map { try DeletionScene.fix($0, journal: 77) }
      #expect(try await scene.store.store(other, of: scene.phone, at: DeletionScene.start).saved == 2)
      // An import stores a deleted position again.
      let folder = try ImportFolder()
      let source = try folder.write("a.csv", "time,lat,lon\n2025-11-20T06:08:00Z,46.008,14.1234567\n")
      #expect(try importFile(source, ImportOptions(device: "annas-phone"), into: scene.store).report.saved == 1)
    }
  }

  @Test(
    "points are deleted by area: in a box, across the antimeridian, and in a circle", arguments: StoreKind.tested)
  func areas(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillHour()
      _ = try await scene.store.store(
        [179.9, -179.9, 170].enumerated().map { index, longitude in
          Record(
            kind: .fix(
              Fix(
                time: DeletionScene.start.addingTimeInterval(86400 + Double(index)), coordinate: try coordinate(-17, longitude))))
        }, of: scene.phone)
      func delete(_ query: String) -> Response {
        server.send("DELETE", "/api/v1/devices/annas-phone/points?\(query)", as: scene.anna)
      }
      #expect(scene.counts(delete("bbox=14.1,46.0095,14.2,46.0205"))["points"] == 11)
      #expect(scene.counts(delete("bbox=179,-18,-179,-16"))["points"] == 2)
      // 0.001 degrees are 111 m: the circle contains 46.039, 46.040 and 46.041.
      let circle = delete("lat=46.04&lon=14.1234567&radius=150&from=2025-11-20&to=2025-11-21")
      #expect(scene.counts(circle)["points"] == 3, "\(circle.text)")
      let left = try scene.store.points(PointQuery(device: scene.phone.id, limit: 100)).map {
        Int(($0.fix.coordinate.latitude * 1000).rounded())
      }
      #expect(left == Array(46_001...46_009) + Array(46_021...46_038) + Array(46_042...46_060) + [-17_000])
      // The visit was at 46.01.
      #expect(try scene.store.events(device: scene.phone.id, from: nil, to: nil).isEmpty)
    }
  }

  @Test(
    "a request with missing or unknown arguments deletes nothing",
    arguments: [
      "", "?dry_run=maybe", "?form=2025-11-20", "?from=2025-11-20&too=2025-11-21", "?from=2025-11-21&to=2025-11-20",
      "?lat=46&lon=14",
      "?lat=46&lon=14&radius=9223372036854775807", "?bbox=1,2,3", "?bbox=14,46,15,47&lat=46&lon=14&radius=5",
      "?lat=91&lon=14&radius=5",
    ])
  func rejected(_ query: String) async throws {
    try await AccountServer.with { server in
      let scene = try await DeletionScene(server)
      try await scene.fillHour()
      let response = server.send("DELETE", "/api/v1/devices/annas-phone/points\(query)", as: scene.anna)
      #expect(response.status == 400, "\(response.text)")
      #expect(try scene.store.points(PointQuery(device: scene.phone.id, limit: 100)).count == 60)
    }
  }

  @Test(
    "deleting an import deletes its points; earlier points and points that the device sent remain",
    arguments: StoreKind.tested)
  func importJob(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      let folder = try ImportFolder()
      func line(_ number: Int) -> String {
        "\(RFC3339.string(DeletionScene.start.addingTimeInterval(Double(number) * 60))),\(46 + Double(number) / 1000),14.1234567"
      }
      // Points 1 to 10 are stored before; the import contains 1 to 30; the device sends 21 to 25 afterwards.
      _ = try await scene.store.store(
        try (1...10).map { try DeletionScene.fix($0) }, of: scene.phone, at: DeletionScene.start)
      let source = try folder.write("a.csv", "time,lat,lon\n" + (1...30).map(line).joined(separator: "\n"))
      let first = try importFile(source, ImportOptions(device: "annas-phone"), into: scene.store)
      #expect(first.report.saved == 20 && first.report.duplicates == 10)
      let twice = try folder.write("b.csv", "time,lat,lon\n" + (1...30).map(line).joined(separator: "\n"))
      #expect(try importFile(twice, ImportOptions(device: "annas-phone"), into: scene.store).report.saved == 0)
      let sent = try await scene.store.store(
        try (21...25).map { try DeletionScene.fix($0) }, of: scene.phone, at: DeletionScene.start)
      #expect(sent.saved == 0 && sent.duplicates == 5)
      // A backup contains the import of each point.
      let archive = folder.url.appendingPathComponent("backup").path
      _ = try Backup(of: scene.store, folder: nil).write(to: archive, at: DeletionScene.start)
      let restored = try ContractStore(kind)
      defer { restored.end() }
      _ = try await Restore(into: restored.store, named: "new").read(archive, folder: nil)
      #expect(try DeletionRun(database: restored.store).dry(.importJob(1)).points == 15)
      #expect(server.send("DELETE", "/api/v1/imports/imp_1", as: scene.ben).status == 404)
      let second = server.send("DELETE", "/api/v1/imports/imp_2", as: scene.admin)
      #expect(second.status == 200 && scene.counts(second)["points"] == 0, "\(second.text)")
      let done = server.send("DELETE", "/api/v1/imports/imp_1", as: scene.admin)
      #expect(done.status == 200 && scene.counts(done)["points"] == 15 && scene.counts(done)["imports"] == 1, "\(done.text)")
      let left = try scene.store.points(PointQuery(device: scene.phone.id, limit: 100)).map {
        Int(($0.fix.coordinate.latitude * 1000).rounded()) - 46_000
      }
      #expect(left == Array(1...10) + Array(21...25))
      #expect(server.send("DELETE", "/api/v1/imports/imp_1", as: scene.admin).status == 404)
      // The file can be imported again.
      let again = try folder.write("c.csv", "time,lat,lon\n" + (1...30).map(line).joined(separator: "\n"))
      #expect(try importFile(again, ImportOptions(device: "annas-phone"), into: scene.store).report.saved == 15)
    }
  }

  @Test("deleting an import whose points were not recorded is rejected, with the alternative")
  func untraced() async throws {
    try await AccountServer.with { server in
      let scene = try await DeletionScene(server)
      let folder = try ImportFolder()
      let source = try folder.write("a.csv", "time,lat,lon\n2025-11-20T06:08:00Z,46.008,14.1234567\n")
      _ = try importFile(source, ImportOptions(device: "annas-phone"), into: scene.store)
      try await server.run("UPDATE imports SET traced = 0", [])
      let response = server.send("DELETE", "/api/v1/imports/imp_1", as: scene.admin)
      #expect(response.status == 409 && response.text.contains("by their times"), "\(response.text)")
    }
  }

  @Test(
    "a member deletes their own account with all data, or leaves the devices to the administrator", arguments: StoreKind.tested)
  func users(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillAll()
      try server.upload(scene.users.bensPhone.caller, [(47, 8)], from: DeletionScene.start)
      _ = server.send(
        "POST", "/api/v1/places", as: scene.anna, body: #"{"name":"Work","latitude":46.1,"longitude":14.5,"radius":80}"#)
      #expect(server.send("DELETE", "/api/v1/users/anna", as: scene.anna).status == 400)
      #expect(server.send("DELETE", "/api/v1/users/root?data=delete", as: scene.admin).status == 409)
      let dry = server.send("DELETE", "/api/v1/users/anna?data=delete&dry_run=true", as: scene.anna)
      #expect(
        scene.counts(dry)["devices"] == 2 && scene.counts(dry)["points"] == 60 && scene.counts(dry)["users"] == 1, "\(dry.text)")
      let done = server.send("DELETE", "/api/v1/users/anna?data=delete", as: scene.anna)
      #expect(done.status == 200 && scene.counts(done)["points"] == 60 && scene.counts(done)["users"] == 1, "\(done.text)")
      #expect(server.send("GET", "/api/v1/session", as: scene.anna).status == 401)
      #expect(server.signIn("anna").status == 401)
      for device in [scene.phone, scene.users.annasWatch.device] { #expect(try scene.rows(of: device.id) == [:]) }
      let places = try scene.store.read { try $0.integer("SELECT count(*) FROM places") ?? 0 }
      let links = try scene.store.read { try $0.integer("SELECT count(*) FROM links") ?? 0 }
      #expect(places == 0 && links == 0)
      let kept = server.send("DELETE", "/api/v1/users/ben?data=keep", as: scene.admin)
      #expect(kept.status == 200 && scene.counts(kept)["points"] == 0, "\(kept.text)")
      let phone = try #require(
        server.send("GET", "/api/v1/devices", as: scene.admin).list("devices").first { $0["name"] as? String == "bens-phone" })
      #expect(phone["owner"] is NSNull && phone["points"] as? Int == 1)
      let lines = try server.log().filter { $0.action == "DELETE /api/v1/users/NAME" }.map(\.subject)
      #expect(lines.count == 2 && lines.contains("ben: the data is kept"), "\(lines)")
    }
  }
}
