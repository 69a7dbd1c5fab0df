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

/// A request that deletes data of one kind.
struct DeletionCase: Sendable, CustomTestStringConvertible {
  let name: String
  let path: String
  var method = "DELETE"
  var body = ""
  /// Whether the session of the data's user is still valid afterwards.
  var keepsSessions = true

  var testDescription: String { name }

  static let all = [
    DeletionCase(name: "a member's device", path: "/api/v1/devices/phone"),
    DeletionCase(name: "the administrator's device", path: "/api/v1/devices/van"),
    DeletionCase(
      name: "an afternoon", path: "/api/v1/devices/phone/points?from=2023-11-14T22:30:00Z&to=2023-11-15T01:00:00Z"),
    DeletionCase(name: "an area", path: "/api/v1/devices/phone/points?polygon=14,46.05;15,46.05;15,46.2;14,46.2"),
    DeletionCase(name: "an import", path: "/api/v1/imports/imp_2"),
    DeletionCase(name: "a user", path: "/api/v1/users/anna?data=delete", keepsSessions: false),
    DeletionCase(name: "a merge", path: "/api/v1/devices/phone/merge", method: "POST", body: #"{"into":"tablet"}"#),
  ]
}

@Suite("The trash", .timeLimit(.minutes(20)))
struct TrashTests {
  /// Adds the data of the backup tests, an import that adds points, and a second device of Anna.
  private static func fill(_ server: AccountServer) async throws -> [String: AccountServer.Caller] {
    let callers = try await BackupTests.fill(server)
    let anna = try #require(try server.server.store.read { try UserTable.user(named: "anna", $0) })
    let (tablet, token) = try await server.device("tablet", of: anna)
    // Some points have the same times and places as points of the phone.
    let begin = Date(millisecondsSince1970: 1_700_000_000_000)
    try server.upload(token, (0..<60).map { (46.0 + Double($0) * 0.0014, 14.5) }, from: begin)
    _ = try await server.server.store.store([try step(7, journal: 1)], of: tablet)
    let folder = try ImportFolder()
    let lines = (0..<300).map { "\(1_700_500_000 + $0 * 60),46.\(2000 + $0),14.6" }
    let source = try folder.write("trip.csv", "time,lat,lon\n" + lines.joined(separator: "\n"))
    _ = try importFile(source, ImportOptions(device: "phone"), into: server.server.store)
    try await server.server.processBacklog()
    return callers
  }

  /// The responses of the routes, without the audit log.
  private static func responses(
    _ server: AccountServer, _ callers: [String: AccountServer.Caller]
  ) throws -> [String: String] {
    let left = ["/api/v1/audit", "/api/v1/trash", "/api/v1/openapi.json", "/api/v1/settings"]
    var responses = try BackupTests.responses(of: server, callers).filter { key, _ in !left.contains { key.hasSuffix($0) } }
    for (name, caller) in callers {
      for format in ["gpx", "geojson", "overland", "csv"] {
        let path = "/api/v1/export?device=tablet&format=\(format)"
        responses["\(name): \(path)"] = server.send("GET", path, as: caller).text
      }
    }
    // Without revisions and cursors: they change with every request.
    return responses.mapValues { $0.replacing(#/"(revision|end_cursor|cursor|changed)":("[^"]*"|\d+)/#, with: "") }
  }

  @Test(
    "after an undo all responses and exports are byte for byte the same", arguments: DeletionCase.all, StoreKind.tested)
  func undo(_ thing: DeletionCase, _ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let callers = try await Self.fill(server)
      let admin = try #require(callers["admin"])
      let asked = thing.keepsSessions ? callers : callers.filter { $0.key == "admin" }
      let before = try Self.responses(server, asked)
      let done = server.send(thing.method, thing.path, as: admin, body: thing.body)
      #expect(done.status == 200, "\(done.text)")
      let entry = try #require(done.object["trash"] as? String, "\(done.text)")
      try await server.server.processBacklog()
      #expect(try Self.responses(server, asked) != before)
      let listed = server.send("GET", "/api/v1/trash", as: admin).list("entries")
      #expect(listed.count == 1 && listed.first?["id"] as? String == entry && listed.first?["is_busy"] as? Bool == false)
      let undone = server.send("POST", "/api/v1/trash/\(entry)/undo", as: admin)
      #expect(undone.status == 200, "\(undone.text)")
      try await server.server.processBacklog()
      let after = try Self.responses(server, asked)
      #expect(after.keys.sorted() == before.keys.sorted())
      for (prompt, response) in before { #expect(after[prompt] == response, "\(prompt)") }
      #expect(server.send("GET", "/api/v1/trash", as: admin).list("entries").isEmpty)
      let left = try server.server.store.read { try $0.integer("SELECT count(*) FROM trash_parts") }
      #expect(left == 0)
      #expect(server.send("POST", "/api/v1/trash/\(entry)/undo", as: admin).status == 404)
      let actions = try server.log().map(\.action)
      #expect(actions.contains("POST /api/v1/trash/ID/undo"), "\(actions)")
    }
  }

  @Test("deleted data is in no response, no backup and no snapshot", arguments: StoreKind.tested)
  func gone(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let callers = try await Self.fill(server)
      let admin = try #require(callers["admin"])
      let done = server.send("DELETE", "/api/v1/devices/phone", as: admin)
      #expect(done.status == 200, "\(done.text)")
      try await server.server.processBacklog()
      // The name of the device, its network, a place that no other device visited, and an imported file.
      let traces = [#""phone""#, "Löwen", "46.2799", "trip.csv"]
      for (prompt, response) in try Self.responses(server, callers) where !prompt.contains("phone") {
        for trace in traces { #expect(!response.contains(trace), "\(trace) in \(prompt)") }
      }
      let archive = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: archive) }
      _ = try Backup(of: server.server.store, folder: nil).write(to: archive.path, at: walkStart)
      let tar = try TarReader(archive.path)
      while let file = try tar.next() {
        let text = String(decoding: file.bytes, as: UTF8.self)
        #expect(!file.name.contains("trash"))
        for trace in traces + ["462799000"] where !file.name.contains("audit_log") {
          #expect(!text.contains(trace), "\(trace) in \(file.name)")
        }
      }
      guard !kind.isPostgres else { return }
      let copy = archive.path + ".sqlite"
      defer { try? FileManager.default.removeItem(atPath: copy) }
      _ = try Snapshot.create(of: server.folder.path, to: copy, replaces: false, at: walkStart)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: copy))
      for trace in ["Löwen", "462799000", "trip.csv"] { #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace)") }
      let files = try FileManager.default.contentsOfDirectory(atPath: server.folder.path).filter { $0.hasPrefix("godwit.sqlite") }
      let own = try files.map { try Data(contentsOf: server.folder.appendingPathComponent($0)) }
      #expect(own.contains { $0.range(of: Data("Löwen".utf8)) != nil }, "the trash contains the deleted data")
    }
  }

  @Test("a server that deleted an afternoon gives the same responses as one that never stored it", arguments: StoreKind.tested)
  func never(_ kind: StoreKind) async throws {
    let start = Date(millisecondsSince1970: 1_763_618_400_000)
    let places = (0..<240).map { (step: Int) -> (latitude: Double, longitude: Double) in
      (46 + Double(step) * 0.001, 14.5 + Double(step % 7) * 0.0001)
    }
    func responses(_ isDeleting: Bool) async throws -> [String: String] {
      var found: [String: String] = [:]
      try await AccountServer.with(on: kind) { server in
        let anna = try await server.user("anna")
        let (_, token) = try await server.device("phone", of: anna)
        let caller = try await server.session(of: anna)
        try server.upload(token, Array(places[..<80]), from: start)
        if isDeleting { try server.upload(token, Array(places[80..<160]), from: start.addingTimeInterval(80 * 60)) }
        try server.upload(token, Array(places[160...]), from: start.addingTimeInterval(160 * 60))
        try await server.server.processBacklog()
        if isDeleting {
          let path = "/api/v1/devices/phone/points?from=2025-11-20T07:20:00Z&to=2025-11-20T08:40:00Z"
          let done = server.send("DELETE", path, as: caller)
          #expect((done.object["counts"] as? [String: Int])?["points"] == 80, "\(done.text)")
          try await server.server.processBacklog()
        }
        let prompts = [
          "points?device=phone", "tracks?device=phone", "tracks?device=phone&detail=20", "visits", "trips", "outliers", "places",
          "statistics?device=phone&year=2025", "overview?device=phone&bbox=14,45,15,47&zoom=12", "region-events",
        ]
        let exports = ["gpx", "geojson", "overland", "csv", "kml"].map { "export?device=phone&format=\($0)" }
        for path in prompts + exports {
          let response = server.send("GET", "/api/v1/" + path, as: caller)
          let text = response.text.replacing(#/"(now|computed)":"[^"]*"/#, with: "")
          found[path] = "\(response.status) \(text)"
        }
      }
      return found
    }
    let (without, deleted) = (try await responses(false), try await responses(true))
    #expect(without.count == 15 && without["points?device=phone"]?.contains("46.079") == true)
    for (path, response) in without { #expect(deleted[path] == response, "\(path)") }
  }

  @Test("a deleted record that a device sends again is not stored; after an undo it is accepted", arguments: StoreKind.tested)
  func numbers(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    let records = try (0..<10).map { try step($0, journal: 1) }
    _ = try await place.store.store(records, of: device)
    let (_, entry) = try DeletionRun(database: place.store).runUndoably(
      .test(.points(PointSelection(device: device.id, from: records[3].time.millisecondsSince1970))), at: walkStart)
    let trash = try #require(entry)
    #expect(try await place.store.store(records, of: device).saved == 0)
    #expect(try place.store.points(PointQuery(device: device.id, limit: 100)).count == 3)
    _ = try DeletionRun(database: place.store).run(.test(.undo(trash.id)), at: walkStart)
    #expect(try place.store.points(PointQuery(device: device.id, limit: 100)).map(\.record.id) == records.map(\.id))
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM deleted_ranges") } == 0)
    try await place.store.write { db in
      try PointSealer(ofDevice: device.id, db).open(.min..<Int64.max)
      try db.run("DELETE FROM points WHERE device = ?", device.id)
    }
    #expect(try await place.store.store(records, of: device).saved == 10)
  }

  private struct Killed: Error {}

  @Test(
    "an interrupted deletion, undo, merge or emptying is completed at the next start",
    arguments: StoreKind.tested)
  func killed(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let total = 3 * DeletionPoints.step + 500
    let (device, other) = (try place.store.makeDevice("walker"), try place.store.makeDevice("other"))
    _ = try await place.store.store(try (0..<total).map { try step($0, journal: 1) }, of: device)
    /// Runs a request until its second step, and then completes it as the next start of a server does.
    func runKilled(_ target: DeletionRequest.Target, isUndoable: Bool = false) throws {
      var run = DeletionRun(database: place.store)
      let steps = Steps()
      run.stepped = { if steps.next() == 2 { throw Killed() } }
      #expect(throws: Killed.self) {
        if isUndoable {
          _ = try run.runUndoably(.test(target), at: walkStart)
        } else {
          _ = try run.run(.test(target), at: walkStart)
        }
      }
      let next = try place.openAgain()
      defer { next.close() }
      #expect(try next.read { try DeletionTables.all($0) }.count == 1)
      try DeletionRun(database: next).resume()
      #expect(try next.read { try DeletionTables.all($0) }.isEmpty)
    }
    func count(_ device: Device) throws -> Int { try place.store.points(PointQuery(device: device.id, limit: 10_000)).count }
    func entries() throws -> [TrashEntry] { try place.store.read { try TrashTables.all($0) } }
    try runKilled(.merge(device.id, into: other.id), isUndoable: true)
    #expect(try count(other) == total && entries().map(\.state) == [.full])
    try runKilled(.undo(try #require(try entries().first).id))
    #expect(try count(other) == 0 && count(device) == total && entries().isEmpty)
    for target in [DeletionRequest.Target.device(device.id), .points(PointSelection(device: device.id, from: 0))] {
      try runKilled(target, isUndoable: true)
      #expect(try count(device) == 0)
      let entry = try #require(try entries().first)
      #expect(entry.state == .full && DeletionCounts(json: entry.counts).points == total)
      try runKilled(.undo(entry.id))
      #expect(try count(device) == total && entries().isEmpty)
      let summary = try place.store.devices().first { $0.device.name == "walker" }
      #expect(summary?.points == total)
    }
    try runKilled(.device(device.id), isUndoable: true)
    try runKilled(.empty(try #require(try entries().first).id))
    #expect(try entries().isEmpty && count(device) == 0)
    #expect(try place.store.read { try $0.integer("SELECT count(*) FROM trash_parts") } == 0)
  }

  @Test("permanently deleted positions and names are not in the database files")
  func bytes() async throws {
    try await AccountServer.with { server in
      let scene = try await DeletionScene(server)
      let place = try coordinate(46.051_234_5, 14.501_234_5)
      let records = (0..<6_000).map { second in
        Record(
          id: RecordID(journal: 5, sequence: RecordNumber(clamping: Int64(second))),
          kind: .fix(Fix(time: walkStart.addingTimeInterval(Double(second)), coordinate: place)),
          context: DeviceContext(wifi: "secret-network"), extras: #"{"note":"at 46.0512345"}"#)
      }
      _ = try await scene.store.store(records, of: scene.phone)
      try await scene.store.processBacklog()
      let traces = ["46.0512345", "460512345", "secret-network"].map { Data($0.utf8) }
      func found() throws -> Int {
        let files = try FileManager.default.contentsOfDirectory(at: server.folder, includingPropertiesForKeys: nil)
        let bytes = try files.filter { $0.lastPathComponent.hasPrefix("godwit.sqlite") }.map { try Data(contentsOf: $0) }
        return traces.filter { trace in bytes.contains { $0.range(of: trace) != nil } }.count
      }
      #expect(server.send("DELETE", "/api/v1/devices/annas-phone", as: scene.anna).status == 200)
      #expect(try found() == 3, "the trash contains the deleted data")
      let emptied = server.send("DELETE", "/api/v1/trash", as: scene.anna)
      #expect(emptied.status == 200 && (emptied.object["counts"] as? [String: Int])?["points"] == 6_000, "\(emptied.text)")
      #expect(try found() == 0)
      _ = try await server.device("annas-phone", of: scene.users.anna)
      let again = try #require(try scene.store.device(named: "annas-phone"))
      _ = try await scene.store.store(records, of: again)
      #expect(server.send("DELETE", "/api/v1/devices/annas-phone?permanent=true", as: scene.anna).object["trash"] is NSNull)
      #expect(try found() == 0)
    }
  }

  @Test("an entry is deleted permanently after a week, and not before", arguments: StoreKind.tested)
  func expiry(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store([try step(1)], of: device)
    let run = DeletionRun(database: place.store)
    _ = try run.runUndoably(.test(.device(device.id)), at: walkStart)
    try run.emptyExpired(at: walkStart.addingTimeInterval(7 * 86_400 - 1))
    #expect(try place.store.read { try TrashTables.all($0) }.count == 1)
    try run.emptyExpired(at: walkStart.addingTimeInterval(7 * 86_400))
    #expect(try place.store.read { try TrashTables.all($0) }.isEmpty)
    let line = try #require(try place.store.read { try AuditTable.lines(AuditTable.Query(limit: 10), $0) }.first)
    #expect(line.entry.actor == "the server" && line.entry.subject.contains("walker"))
  }

  @Test("members see and undo deletions of their own devices only", arguments: StoreKind.tested)
  func rights(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      try await scene.fillHour()
      let entry = try #require(server.send("DELETE", "/api/v1/devices/annas-phone", as: scene.anna).object["trash"] as? String)
      for caller in [scene.ben, try await server.token(.admin, of: scene.users.ben)] {
        #expect(server.send("GET", "/api/v1/trash", as: caller).list("entries").isEmpty)
        #expect(server.send("POST", "/api/v1/trash/\(entry)/undo", as: caller).status == 404)
        #expect(server.send("DELETE", "/api/v1/trash/\(entry)", as: caller).status == 404)
        #expect(server.send("DELETE", "/api/v1/trash", as: caller).status == 200)
      }
      #expect(server.send("GET", "/api/v1/trash", as: scene.admin).list("entries").count == 1)
      // Another device has the name now.
      _ = try await server.device("annas-phone", of: scene.users.ben)
      let taken = server.send("POST", "/api/v1/trash/\(entry)/undo", as: scene.anna)
      #expect(taken.status == 409 && taken.text.contains("Rename it"), "\(taken.text)")
      let renamed = server.send("PUT", "/api/v1/devices/annas-phone/name", as: scene.ben, body: #"{"name":"bens-new"}"#)
      #expect(renamed.status == 200, "\(renamed.text)")
      #expect(server.send("POST", "/api/v1/trash/\(entry)/undo", as: scene.anna).status == 200)
      #expect(server.send("GET", "/api/overland", as: scene.users.annasPhone.caller).status == 200, "its token is valid again")
      // Points of an older deletion can be restored only after their device.
      let path = "/api/v1/devices/annas-phone/points?from=2025-11-20T06:05:00Z&to=2025-11-20T06:31:00Z"
      let points = try #require(server.send("DELETE", path, as: scene.anna).object["trash"] as? String)
      let device = try #require(server.send("DELETE", "/api/v1/devices/annas-phone", as: scene.anna).object["trash"] as? String)
      let early = server.send("POST", "/api/v1/trash/\(points)/undo", as: scene.anna)
      #expect(early.status == 409 && early.text.contains("device first"), "\(early.text)")
      #expect(server.send("POST", "/api/v1/trash/\(device)/undo", as: scene.anna).status == 200)
      #expect(server.send("POST", "/api/v1/trash/\(points)/undo", as: scene.anna).status == 200)
      #expect(try scene.store.devices().first { $0.device.name == "annas-phone" }?.points == 60)
    }
  }
}

/// A counter of the steps of a deletion.
private final class Steps: @unchecked Sendable {  // one thread deletes
  private var count = 0
  func next() -> Int {
    count += 1
    return count
  }
}
