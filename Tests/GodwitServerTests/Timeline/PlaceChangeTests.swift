import Foundation
import GodwitAccounts
import GodwitModel
import GodwitSQLite
import GodwitVisits
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Changes of places", .timeLimit(.minutes(20)))
struct PlaceChangeTests {
  /// A server with a user, and requests for the user's places.
  private struct Scene {
    let server: AccountServer
    let anna: AccountServer.Caller

    init(_ server: AccountServer) async throws {
      self.server = server
      anna = try await server.session(of: try await server.user("anna"))
    }

    @discardableResult
    func send(_ method: String, _ path: String, _ body: String = "") -> Response {
      server.send(method, "/api/v1/\(path)", as: anna, body: body)
    }

    func add(_ name: String, latitude: Double = 46.05, radius: Double = 50) throws -> String {
      let made = send("POST", "places", #"{"name":"\#(name)","latitude":\#(latitude),"longitude":14.5,"radius":\#(radius)}"#)
      return try #require(made.object["id"] as? String, "\(made.text)")
    }

    func rename(_ id: String, _ name: String, radius: Double = 50) {
      let changed = send("PUT", "places/\(id)", #"{"name":"\#(name)","latitude":46.05,"longitude":14.5,"radius":\#(radius)}"#)
      #expect(changed.status == 200, "\(changed.text)")
    }

    var places: NSArray { send("GET", "places").list("places") as NSArray }
    var changes: [[String: Any]] { send("GET", "place-changes").list("changes") }
    var kinds: [String?] { changes.map { $0["kind"] as? String } }

    /// Undoes the newest change.
    @discardableResult
    func undo(_ index: Int = 0) -> Response {
      send("POST", "place-changes/\(changes[index]["id"] as? String ?? "")/undo")
    }
  }

  @Test("places are sorted by the bytes of their names in all databases", arguments: StoreKind.tested)
  func order(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      for name in ["b", "Ž", "A", "a b", "ab", "B"] { _ = try scene.add(name) }
      let names = scene.send("GET", "places").list("places").map { $0["name"] as? String }
      #expect(names == ["A", "B", "a b", "ab", "b", "Ž"])
    }
  }

  @Test("changes of a name and a radius, a merge and a removal are undone one after the other", arguments: StoreKind.tested)
  func undo(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let (home, gate) = (try scene.add("Home"), try scene.add("Gate", latitude: 46.0508))
      var states = [scene.places]
      scene.rename(home, "Flat")
      states.append(scene.places)
      scene.rename(home, "Flat", radius: 80)
      states.append(scene.places)
      #expect(scene.send("POST", "places/\(gate)/merge", #"{"into":"\#(home)"}"#).status == 200)
      states.append(scene.places)
      #expect(scene.send("DELETE", "places/\(home)").status == 200)
      #expect(scene.places == [])
      #expect(scene.kinds == ["removal", "merge", "edit", "edit"])
      #expect(scene.changes.map { $0["can_undo"] as? Bool } == [true, false, false, false])
      #expect(scene.changes[1]["into"] as? String == home && scene.changes[1]["into_name"] as? String == "Flat")
      let newest = try #require(scene.changes.first?["id"] as? String)
      let early = scene.undo(2)
      #expect(early.status == 409 && early.text.contains(newest), "\(early.text)")
      for state in states.reversed() {
        let undone = scene.undo()
        #expect(undone.status == 200, "\(undone.text)")
        #expect(scene.places == state)
      }
      #expect(scene.changes.isEmpty)
      let actions = try server.log().map(\.action)
      #expect(actions.contains("POST /api/v1/place-changes/ID/undo"), "\(actions)")
    }
  }

  @Test("an update without a difference and an undo do not create a change")
  func nothing() async throws {
    try await AccountServer.with(on: .sqlite) { server in
      let scene = try await Scene(server)
      let home = try scene.add("Home")
      scene.rename(home, "Home")
      #expect(scene.changes.isEmpty)
      scene.rename(home, "Flat")
      #expect(scene.undo().object["name"] as? String == "Home" && scene.changes.isEmpty)
      #expect(scene.send("POST", "place-changes/pch_1/undo").status == 404)
    }
  }

  @Test("an undo of a merge restores the visits that the user assigned to the place", arguments: StoreKind.tested)
  func assigned(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let anna = try #require(try server.server.store.read { try UserTable.user(named: "anna", $0) })
      let (device, _) = try await server.device("phone", of: anna)
      var day = Journey(at: "2026-05-04T06:00:00Z")
      day.stay(7200)
      day.go(4000, at: 8)
      _ = try await server.server.store.store(day.records, of: device, at: Date())
      try await server.server.processBacklog()
      let (home, gate) = (try scene.add("Home"), try scene.add("Gate", latitude: 46.0512))
      let arrival = try #require(scene.send("GET", "visits?device=phone").list("visits").first?["arrival"] as? String)
      let body = #"{"device":"phone","kind":"visit","action":"rename","start":"\#(arrival)","place":"\#(gate)"}"#
      #expect(scene.send("POST", "timeline/corrections", body).status == 201)
      #expect(scene.send("GET", "places/\(gate)/visits").list("visits").count == 1)
      #expect(scene.send("POST", "places/\(gate)/merge", #"{"into":"\#(home)"}"#).status == 200)
      #expect(scene.send("GET", "places/\(home)/visits").list("visits").count == 1)
      #expect(scene.undo().status == 200)
      #expect(scene.send("GET", "places/\(gate)/visits").list("visits").count == 1)
      #expect(scene.send("GET", "places/\(home)/visits").list("visits").isEmpty)
    }
  }

  @Test("a change can be undone for a week, and not by another user", arguments: StoreKind.tested)
  func limits(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let home = try scene.add("Home")
      scene.rename(home, "Flat")
      let id = try #require(scene.changes[0]["id"] as? String)
      let ben = try await server.session(of: try await server.user("ben"))
      #expect(server.send("GET", "/api/v1/place-changes", as: ben).list("changes").isEmpty)
      #expect(server.send("POST", "/api/v1/place-changes/\(id)/undo", as: ben).status == 404)
      #expect(server.send("DELETE", "/api/v1/place-changes/\(id)", as: ben).status == 404)
      try await server.run("UPDATE place_changes SET created = created - 8 * 86400000", [])
      #expect(scene.changes.isEmpty && scene.send("POST", "place-changes/\(id)/undo").status == 404)
      try await server.server.store.write { try PlaceChangeTable.removeExpired(at: Date(), $0) }
      #expect(try server.server.store.read { try $0.integer("SELECT count(*) FROM place_changes") } == 0)
    }
  }

  @Test("former names are in no response, backup, export or snapshot, and are deleted permanently", arguments: StoreKind.tested)
  func traces(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let (secret, other) = (try scene.add("Zanzibar"), try scene.add("Quito"))
      scene.rename(secret, "Tanzania")
      scene.rename(other, "Lima")
      #expect(scene.send("DELETE", "places/\(secret)").status == 200)
      let names = ["Zanzibar", "Tanzania", "Quito"]
      func expectGone(_ data: Data, _ place: String) {
        for name in names { #expect(data.range(of: Data(name.utf8)) == nil, "\(name) in \(place)") }
      }
      expectGone(Data(scene.send("GET", "places?totals=true").text.utf8), "places")
      expectGone(Data(scene.send("GET", "export/all").body), "the export")
      let archive = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: archive) }
      _ = try Backup(of: server.server.store, folder: nil).write(to: archive.path, at: walkStart)
      let tar = try TarReader(archive.path)
      // The audit log contains the names.
      while let file = try tar.next() {
        if !file.name.contains("audit_log") { expectGone(Data(file.bytes), file.name) }
      }
      if !kind.isPostgres {
        let copy = archive.path + ".sqlite"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        _ = try Snapshot.create(of: server.folder.path, to: copy, replaces: false, at: walkStart)
        let database = try Database(path: copy, access: .readOnly)
        #expect(try database.integer("SELECT count(*) FROM places WHERE name = 'Lima'") == 1)
        #expect(try database.integer("SELECT count(*) FROM place_changes") == 0)
      }
      // Deleting a change deletes the older changes of the same place.
      #expect(scene.kinds == ["removal", "edit", "edit"])
      #expect(scene.send("DELETE", "place-changes/\(scene.changes[0]["id"] as? String ?? "")").status == 200)
      #expect(scene.changes.map { $0["name"] as? String } == ["Quito"])
      #expect(scene.send("DELETE", "trash").status == 200)
      #expect(scene.changes.isEmpty)
    }
  }

  @Test("an undo of a removal is rejected at the maximum number of places")
  func full() async throws {
    try await AccountServer.with(on: .sqlite) { server in
      let scene = try await Scene(server)
      let home = try scene.add("Home")
      scene.send("DELETE", "places/\(home)")
      let anna = try #require(try server.server.store.read { try UserTable.user(named: "anna", $0) })
      let center = try #require(Coordinate(latitude: 1, longitude: 2))
      try await server.server.store.write { db in
        for index in 0..<PlaceEditor.maximum {
          _ = try PlaceEditor(db, at: walkStart).add(.init(name: "\(index)", center: center, radius: 20), of: anna.id)
        }
      }
      let rejected = scene.undo()
      #expect(rejected.status == 409 && rejected.text.contains("limit"), "\(rejected.text)")
      #expect(scene.kinds == ["removal"])
    }
  }
}
