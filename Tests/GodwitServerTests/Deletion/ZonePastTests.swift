import Foundation
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore

// Five points at home are stored before a zone is created there. A link whose window includes them must not show them.
@Suite("Private zones and stored points", .timeLimit(.minutes(20)))
struct ZonePastTests {
  private static let start = DeletionScene.start
  private static let home = (46.051_234_5, 14.501_234_5)
  private static let away = (46.2, 14.5)

  /// Uploads five points at home and one elsewhere, then creates the zone.
  private static func makeZone(_ scene: DeletionScene, _ action: String) throws -> Response {
    try scene.server.upload(
      scene.users.annasPhone.caller, Array(repeating: home, count: 5) + [away], from: start, extra: #","wifi":"home-network""#)
    return scene.server.send(
      "POST", "/api/v1/zones", as: scene.anna,
      body: #"{"name":"Home","center":{"latitude":46.05,"longitude":14.5},"radius":300,"inside":"\#(action)"}"#)
  }

  @Test(
    "the response contains the number of stored points in a new zone; links and friends no longer see their exact positions",
    arguments: StoreKind.tested, ["drop", "coarsen"])
  func hidden(_ kind: StoreKind, _ action: String) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      let made = try Self.makeZone(scene, action)
      #expect(made.status == 201 && made.object["stored_points_inside"] as? Int == 5, "\(made.text)")
      let link = server.send(
        "POST", "/api/v1/links", as: scene.anna, body: #"{"devices":["annas-phone"],"from":"2020-01-01","expires":"2100-01-01"}"#)
      let secret = try #require(link.object["token"] as? String)
      _ = server.send("POST", "/api/v1/friends", as: scene.ben, body: #"{"user":"anna"}"#)
      _ = server.send(
        "POST", "/api/v1/friends", as: scene.anna,
        body: #"{"user":"ben","direction":"show","access":"history","since":"2020-01-01"}"#)
      for (path, caller) in [
        ("/api/v1/shared/\(secret)", .anonymous), ("/api/v1/points?device=annas-phone", scene.ben),
        ("/api/v1/tracks?device=annas-phone", scene.ben), ("/api/v1/export?device=annas-phone&format=gpx", scene.ben),
        ("/api/v1/points?device=annas-phone&limit=2", scene.ben),
      ] as [(String, AccountServer.Caller)] {
        let response = server.send("GET", path, as: caller)
        #expect(response.status == 200 && !response.text.contains("46.0512"), "\(path): \(response.text)")
        if !path.contains("limit") { #expect(response.text.contains("46.2"), "\(path): \(response.text)") }
      }
      let page = server.send("GET", "/api/v1/points?device=annas-phone&limit=2", as: scene.ben)
      #expect(page.features.count == (action == "drop" ? 1 : 2))
      // The user of the points sees them.
      #expect(server.send("GET", "/api/v1/points?device=annas-phone", as: scene.anna).text.contains("46.0512"))
      // The newest point is at home.
      try await server.run("DELETE FROM points WHERE latitude = 462000000", [])
      for path in ["/api/v1/devices", "/api/v1/friends"] {
        #expect(!server.send("GET", path, as: scene.ben).text.contains("46.0512"), "\(path)")
      }
    }
  }

  @Test(
    "only the zone's user can apply it to stored points, and no precise position remains", arguments: StoreKind.tested,
    ["drop", "coarsen"])
  func applied(_ kind: StoreKind, _ action: String) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await DeletionScene(server)
      let place = try coordinate(Self.home.0, Self.home.1)
      let visit = Visit(
        time: Self.start, coordinate: place, arrival: Self.start, departure: Self.start.addingTimeInterval(240))
      _ = try await scene.store.store([Record(kind: .visit(visit))], of: scene.phone, at: Self.start)
      let made = try Self.makeZone(scene, action)
      let id = try #require(made.object["id"] as? String)
      try await scene.store.processBacklog()
      for caller in [scene.ben, scene.admin] {
        #expect(server.send("POST", "/api/v1/zones/\(id)/apply", as: caller).status == 404)
      }
      let ignored = server.send("POST", "/api/v1/zones/\(id)/apply", as: scene.anna, body: #"{"dry_run":true}"#)
      #expect(ignored.status == 422 && ignored.text.contains("in the query: dry_run"), "\(ignored.text)")
      let dry = server.send("POST", "/api/v1/zones/\(id)/apply?dry_run=true", as: scene.anna)
      let done = server.send("POST", "/api/v1/zones/\(id)/apply", as: scene.anna)
      #expect(done.status == 200 && scene.counts(done) == scene.counts(dry), "\(done.text) and \(dry.text)")
      let counts = scene.counts(done)
      #expect(counts[action == "drop" ? "points" : "blurred_points"] == 5 && counts["events"] == 1)
      let points = try scene.store.points(PointQuery(device: scene.phone.id, limit: 10))
      #expect(points.count == (action == "drop" ? 1 : 6))
      for point in points.dropLast() {
        let accuracy = try #require(point.fix.horizontalAccuracy)
        #expect(point.fix.coordinate != place && GreatCircle.distance(point.fix.coordinate, place) <= accuracy)
        #expect(point.record.context.wifi == nil)
      }
      #expect(points.last?.record.context.wifi == "home-network")
      let events = try scene.store.events(device: scene.phone.id, from: nil, to: nil)
      #expect(events.count == (action == "drop" ? 0 : 1))
      for path in [
        "/api/v1/visits?device=annas-phone", "/api/v1/points?device=annas-phone",
        "/api/v1/export?device=annas-phone&format=overland",
      ] {
        #expect(!server.send("GET", path, as: scene.anna).text.contains("46.0512"), "\(path)")
      }
      // A second application changes nothing, and points that the phone sends again are not stored.
      #expect(scene.counts(server.send("POST", "/api/v1/zones/\(id)/apply", as: scene.anna)).values.allSatisfy { $0 == 0 })
      try server.upload(scene.users.annasPhone.caller, Array(repeating: Self.home, count: 5), from: Self.start)
      #expect(try scene.store.points(PointQuery(device: scene.phone.id, limit: 10)).count == points.count)
      if !kind.isPostgres {
        let files = try FileManager.default.contentsOfDirectory(at: server.folder, includingPropertiesForKeys: nil)
        for file in files where file.lastPathComponent.hasPrefix("godwit.sqlite") {
          let bytes = try Data(contentsOf: file)
          #expect(bytes.range(of: Data("46.051234".utf8)) == nil)
          withUnsafeBytes(of: Int32(460_512_345).bigEndian) { #expect(bytes.range(of: Data($0)) == nil) }
        }
      }
    }
  }
}
