import Foundation
import GodwitAccess
import GodwitAccounts
import GodwitHistory
import GodwitModel
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Timeline corrections over HTTP", .timeLimit(.minutes(20)))
struct CorrectionAPITests {
  /// A day: home, work, home.
  private static func day(at start: String = "2026-05-04T06:00:00Z") -> Journey {
    var journey = Journey(at: start)
    journey.stay(3600)
    journey.go(4000, at: 13)
    journey.stay(3600 * 4)
    journey.go(3000, at: 13, north: true)
    journey.stay(3600 * 3)
    return journey
  }

  /// A server with a device that has a day of points, and requests of its user.
  private struct Scene {
    let server: AccountServer
    let anna: AccountServer.Caller
    let device: Device

    init(_ server: AccountServer) async throws {
      self.server = server
      let user = try await server.user("anna")
      anna = try await server.session(of: user)
      (device, _) = try await server.device("phone", of: user)
      try await add(CorrectionAPITests.day())
    }

    func add(_ journey: Journey) async throws {
      _ = try await server.server.store.store(journey.records, of: device, at: Date())
      try await server.server.processBacklog()
    }

    func send(_ method: String, _ path: String, _ body: String = "") -> Response {
      server.send(method, "/api/v1/\(path)", as: anna, body: body)
    }

    var visits: [[String: Any]] { send("GET", "visits?device=phone").list("visits") }
    var trips: [[String: Any]] { send("GET", "trips?device=phone").list("trips") }
    var names: [String?] { visits.map { $0["name"] as? String } }

    /// Corrects a visit or a trip.
    /// - Parameter members: further JSON members, each with a leading comma.
    @discardableResult
    func correct(_ entry: [String: Any], _ action: String, _ members: String = "") -> Response {
      let kind = entry["arrival"] == nil ? "trip" : "visit"
      let start = entry["arrival"] ?? entry["start"] ?? ""
      let end = (entry["departure"] as? String ?? entry["end"] as? String).map { #","end":"\#($0)""# } ?? ""
      return send(
        "POST", "timeline/corrections",
        #"{"device":"phone","kind":"\#(kind)","action":"\#(action)","start":"\#(start)"\#(end)\#(members)}"#)
    }
  }

  private static func time(_ value: Any?) -> Date? { (value as? String).flatMap { RFC3339.date($0) } }

  @Test(
    "a corrected visit stays corrected after an import of the same days, a restart, and another time zone",
    arguments: StoreKind.tested)
  func stays(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      try #require(scene.visits.count == 3)
      #expect(scene.correct(scene.visits[1], "rename", #","name":"Dentist""#).status == 201)
      #expect(scene.correct(scene.trips[1], "mode", #","mode":"boat""#).status == 201)
      #expect(scene.names == [nil, "Dentist", nil])
      #expect(scene.visits[1]["confidence"] as? Double == 1 && scene.visits[1]["confirmed"] as? Bool == true)
      // The same day from another receiver, with other positions and times.
      var other = Journey(at: "2026-05-04T05:50:00Z", seed: 9)
      other.stay(4300, every: 47)
      other.go(4000, at: 7.5, every: 7)
      other.stay(3600 * 4 - 300, every: 53)
      other.go(3000, at: 8.5, every: 7, north: true)
      other.stay(3600 * 3, every: 41)
      try await scene.add(other)
      #expect(scene.names == [nil, "Dentist", nil])
      #expect(scene.trips.last?["mode"] as? String == "boat")
      #expect(scene.send("PUT", "devices/phone/time-zone", #"{"time_zone":"Pacific/Auckland"}"#).status == 200)
      try await server.server.processBacklog()
      #expect(scene.names == [nil, "Dentist", nil])
      try server.restart()
      #expect(scene.names == [nil, "Dentist", nil])
      #expect(scene.trips.last?["mode"] as? String == "boat")
    }
  }

  @Test("a trip is corrected that ended on an earlier date than it began", arguments: StoreKind.tested)
  func pastMidnight(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      // At 02:00 on 5 March 2010, 15:00 UTC, the clocks of the station Casey were set back to 23:00.
      try await scene.add(CorrectionAPITests.day(at: "2010-03-04T13:57:30Z"))
      #expect(scene.send("PUT", "devices/phone/time-zone", #"{"time_zone":"Antarctica/Casey"}"#).status == 200)
      try await server.server.processBacklog()
      let trip = try #require(scene.trips.first)
      #expect(scene.correct(trip, "mode", #","mode":"boat""#).status == 201)
      let total = scene.send("GET", "statistics?device=phone&month=2010-03").object["total"] as? [String: Any]
      #expect((total?["modes"] as? [String: Any])?["boat"] != nil)
    }
  }

  @Test("corrections of consecutive entries are listed with their state, and apply to their own day", arguments: StoreKind.tested)
  func consecutiveCorrections(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      for day in 5..<12 { try await scene.add(CorrectionAPITests.day(at: String(format: "2026-05-%02dT06:00:00Z", day))) }
      let (visits, trips) = (scene.visits, scene.trips)
      // Each entry is adjacent to the next one.
      for entry in visits + trips { #expect(scene.correct(entry, "confirm").status == 201) }
      scene.correct(visits[0], "delete")
      let listed = scene.send("GET", "timeline/corrections?device=phone").list("corrections")
      let states = Dictionary(grouping: listed.compactMap { $0["state"] as? String }) { $0 }.mapValues(\.count)
      #expect(states == ["applied": visits.count + trips.count + 1])
      #expect(scene.visits.count == visits.count - 1 && scene.trips.count == trips.count)
      let day = scene.send("GET", "trips?device=phone&from=2026-05-07T00:00:00Z&to=2026-05-08T00:00:00Z").list("trips")
      #expect(day.count >= 2 && day.allSatisfy { $0["confirmed"] as? Bool == true })
    }
  }

  @Test("a correction is listed, and undone for a week", arguments: StoreKind.tested)
  func undo(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let before = scene.visits
      let made = scene.correct(before[1], "delete")
      let id = try #require(made.object["id"] as? String)
      #expect(scene.visits.count == 2)
      let listed = scene.send("GET", "timeline/corrections?device=phone").list("corrections")
      #expect(listed.map { $0["state"] as? String } == ["applied"] && listed[0]["action"] as? String == "delete")
      #expect(scene.send("DELETE", "timeline/corrections/\(id)").object["state"] as? String == "undone")
      #expect(scene.visits as NSArray == before as NSArray)
      #expect(scene.send("DELETE", "timeline/corrections/\(id)").status == 409)
      #expect(scene.send("DELETE", "timeline/corrections/fix_999").status == 404)
      scene.correct(before[1], "confirm")
      try await server.run("UPDATE timeline_corrections SET created = created - 8 * 86400000", [])
      #expect(scene.send("DELETE", "timeline/corrections/fix_2").status == 409)
      let all = scene.send("GET", "timeline/corrections?device=phone&limit=1")
      let next = try #require(all.object["next_cursor"] as? String)
      let rest = scene.send("GET", "timeline/corrections?device=phone&limit=1&cursor=\(next)").list("corrections")
      #expect(rest.map { $0["state"] as? String } == ["undone"])
    }
  }

  @Test("a visit is moved, split and merged", arguments: StoreKind.tested)
  func shapes(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let (work, arrival) = (scene.visits[1], try #require(Self.time(scene.visits[1]["arrival"])))
      #expect(scene.correct(work, "move", #","latitude":46.06,"longitude":14.6"#).status == 201)
      #expect(scene.visits[1]["latitude"] as? Double == 46.06 && scene.visits[1]["longitude"] as? Double == 14.6)
      let later = RFC3339.string(arrival.addingTimeInterval(600))
      #expect(scene.correct(work, "move", #","new_start":"\#(later)""#).status == 201)
      #expect(Self.time(scene.visits[1]["arrival"]) == arrival.addingTimeInterval(600))
      #expect(Self.time(scene.trips[0]["end"]) == arrival.addingTimeInterval(600), "the previous trip ends when the visit begins")
      let noon = RFC3339.string(arrival.addingTimeInterval(7200))
      #expect(scene.correct(scene.visits[1], "split", #","at":"\#(noon)""#).status == 201)
      #expect(scene.visits.count == 4 && scene.visits[1]["departure"] as? String == scene.visits[2]["arrival"] as? String)
      let both: [String: Any] = [
        "arrival": scene.visits[1]["arrival"] ?? "", "departure": scene.visits[3]["seen"] ?? "",
      ]
      #expect(scene.correct(both, "merge").status == 201)
      #expect(scene.visits.count == 2 && scene.trips.count == 1)
      #expect(scene.visits[1]["departure"] is NSNull, "the last visit still continues")
    }
  }

  @Test("statistics and places are based on the corrected timeline", arguments: StoreKind.tested)
  func sums(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      func total() -> [String: Any] {
        scene.send("GET", "statistics?device=phone&year=2026").object["total"] as? [String: Any] ?? [:]
      }
      func modes() -> [String: Any] { total()["modes"] as? [String: Any] ?? [:] }
      let distance = total()["distance"] as? Double ?? 0
      #expect(modes().keys.sorted() == ["car"])
      scene.correct(scene.trips[0], "mode", #","mode":"train""#)
      #expect(modes()["train"] != nil && modes().count == 2)
      #expect(abs((total()["distance"] as? Double ?? 0) - distance) < 1)
      scene.correct(scene.trips[1], "delete")
      #expect(modes().keys.sorted() == ["train"] && total()["distance"] as? Double ?? 0 < distance - 2000)
      let visit = scene.visits[1]
      let place = scene.send("POST", "places", #"{"device":"phone","name":"Sea","latitude":10,"longitude":10}"#)
      let id = try #require(place.object["id"] as? String)
      #expect(scene.correct(visit, "rename", #","place":"\#(id)""#).status == 201)
      #expect((scene.visits[1]["place"] as? [String: Any])?["name"] as? String == "Sea")
      let places = scene.send("GET", "statistics?device=phone&year=2026").list("places")
      #expect(places.contains { $0["name"] as? String == "Sea" })
      #expect(scene.send("DELETE", "places/\(id)").status == 200)
      #expect(scene.visits[1]["place"] is NSNull, "the place is deleted, and the visit remains")
    }
  }

  @Test(
    "a mode that was corrected twice applies to the same trip on the third day, until the corrections are undone",
    arguments: StoreKind.tested)
  func learned(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      for day in 5...6 { try await scene.add(Self.day(at: "2026-05-0\(day)T06:00:00Z")) }
      let user = try #require(try server.server.store.read { try UserTable.user(named: "anna", $0) })
      let (tablet, _) = try await server.device("tablet", of: user)
      _ = try await server.server.store.store(Self.day(at: "2026-05-07T06:00:00Z").records, of: tablet, at: Date())
      try await server.server.processBacklog()
      func modes(_ device: String = "phone") -> [String?] {
        scene.send("GET", "trips?device=\(device)").list("trips").map { $0["mode"] as? String }
      }
      func distance(_ mode: String) -> Double? {
        let total = scene.send("GET", "statistics?device=phone&year=2026").object["total"] as? [String: Any]
        return ((total?["modes"] as? [String: Any])?[mode] as? [String: Any])?["distance"] as? Double
      }
      let before = scene.send("GET", "trips?device=phone").text
      try #require(modes() == ["car", "car", "car", "car", "car", "car"])
      let made = [0, 2].map { scene.correct(scene.trips[$0], "mode", #","mode":"train""#).object["id"] as? String }
      #expect(modes() == ["train", "car", "train", "car", "train", "car"])
      let third = scene.trips[4]
      let segments = try #require(third["segments"] as? [[String: Any]])
      #expect(segments.map { $0["learned"] as? Bool } == [true])
      #expect(third["confirmed"] as? Bool == false && (third["corrections"] as? [String])?.isEmpty == true)
      #expect(abs((distance("train") ?? 0) - (distance("car") ?? 0) * 4 / 3) < 600, "sums have the shown modes")
      #expect(modes("tablet") == ["car", "car"])
      // A read of one day gives the same trip.
      let page = scene.send("GET", "trips?device=phone&from=2026-05-06&to=2026-05-07").list("trips")
      #expect(page.first as NSDictionary? == third as NSDictionary)
      // A correction of the third trip itself has precedence, and is another example.
      let own = scene.correct(third, "mode", #","mode":"car""#).object["id"] as? String
      #expect(modes() == ["train", "car", "train", "car", "car", "car"])
      for id in [own] + made { #expect(scene.send("DELETE", "timeline/corrections/\(id ?? "")").status == 200) }
      #expect(scene.send("GET", "trips?device=phone").text == before)
      #expect(distance("train") == nil)
    }
  }

  @Test("the corrections of a deleted device do not apply to a new device with its name", arguments: StoreKind.tested)
  func learnedAndDeleted(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      #expect(scene.correct(scene.trips[0], "mode", #","mode":"train""#).status == 201)
      #expect(scene.send("DELETE", "devices/phone").status == 200)
      let user = try #require(try server.server.store.read { try UserTable.user(named: "anna", $0) })
      let (phone, _) = try await server.device("phone", of: user)
      _ = try await server.server.store.store(Self.day().records, of: phone, at: Date())
      try await server.server.processBacklog()
      #expect(scene.trips.map { $0["mode"] as? String } == ["car", "car"])
    }
  }

  @Test("reading page by page gives the same corrected entries as one read", arguments: StoreKind.tested)
  func pages(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      for day in 5...9 { try await scene.add(Self.day(at: "2026-05-0\(day)T06:00:00Z")) }
      let visits = scene.visits
      for (index, visit) in visits.enumerated() {
        switch index % 5 {
        case 0: scene.correct(visit, "delete")
        case 1: scene.correct(visit, "rename", #","name":"Number \#(index)""#)
        case 2:
          let at = (Self.time(visit["arrival"]) ?? Date()).addingTimeInterval(1800)
          scene.correct(visit, "split", #","at":"\#(RFC3339.string(at))""#)
        default: break
        }
      }
      for (path, list) in [("visits", "visits"), ("trips", "trips")] {
        let whole = scene.send("GET", "\(path)?device=phone").list(list)
        for limit in [1, 2, 7] {
          var parts: [[String: Any]] = []
          var next: String? = ""
          while let after = next {
            let response = scene.send("GET", "\(path)?device=phone&limit=\(limit)&cursor=\(after)")
            parts += response.list(list)
            next = response.object["next_cursor"] as? String
          }
          #expect(parts as NSArray == whole as NSArray && whole.count > 5, "\(path) by \(limit)")
        }
      }
      // A read of one day gives the same visits as a read of all days.
      let whole = scene.visits.filter { ($0["arrival"] as? String)?.hasPrefix("2026-05-06") == true }
      let day = scene.send("GET", "visits?device=phone&from=2026-05-06&to=2026-05-07").list("visits")
      #expect(day.suffix(whole.count) as NSArray == whole as NSArray)
    }
  }

  @Test("only the device's user and an administrator can correct entries and see corrections", arguments: StoreKind.tested)
  func access(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let ben = try await server.session(of: try await server.user("ben"))
      let ada = try await server.session(of: try await server.user("ada", .admin))
      let arrival = scene.visits[1]["arrival"] ?? ""
      let body = #"{"device":"phone","kind":"visit","action":"confirm","start":"\#(arrival)"}"#
      func send(_ method: String, _ path: String, _ caller: AccountServer.Caller, _ body: String = "") -> Int {
        server.send(method, "/api/v1/timeline/corrections\(path)", as: caller, body: body).status
      }
      #expect(send("POST", "", ben, body) == 404)
      #expect(send("POST", "", ada, body) == 201)
      #expect(send("GET", "?device=phone", ben) == 404)
      #expect(send("DELETE", "/fix_1", ben) == 404)
      #expect(send("DELETE", "/fix_1", scene.anna) == 200)
    }
  }

  @Test("an invalid correction is rejected with the reason", arguments: StoreKind.tested)
  func invalid(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let (visit, trip) = (scene.visits[1], scene.trips[0])
      let cases: [(entry: [String: Any], action: String, members: String, status: Int)] = [
        (visit, "rename", "", 422), (visit, "rename", #","name":"a","place":"place_1""#, 422),
        (visit, "rename", #","place":"place_7""#, 422), (visit, "mode", #","mode":"car""#, 422),
        (trip, "rename", #","name":"a""#, 422),
        (visit, "confirm", #","name":"a""#, 422), (visit, "move", "", 422), (visit, "move", #","latitude":46"#, 422),
        (trip, "move", #","latitude":46,"longitude":14"#, 422), (visit, "move", #","new_start":"2026-01-01T00:00:00Z""#, 422),
        (visit, "move", #","new_end":"2026-05-04T06:00:00Z""#, 422), (visit, "split", "", 422),
        (visit, "split", #","at":"2026-05-04T23:00:00Z""#, 422), (visit, "merge", "", 422), (trip, "mode", "", 422),
        (["arrival": "2020-01-01T00:00:00Z"], "confirm", "", 404), (visit, "explode", "", 422),
      ]
      for given in cases {
        let response = scene.correct(given.entry, given.action, given.members)
        #expect(response.status == given.status, "\(given.action)\(given.members): \(response.text)")
      }
      #expect(scene.send("GET", "timeline/corrections?device=phone").list("corrections").isEmpty)
    }
  }

  @Test(
    "deleting points deletes the corrections of their time, and an undo restores them", arguments: StoreKind.tested)
  func deletion(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      try await scene.add(Self.day(at: "2026-05-06T06:00:00Z"))
      for visit in scene.visits.prefix(6) { scene.correct(visit, "rename", #","name":"Secret""#) }
      let before = scene.send("GET", "timeline/corrections?device=phone")
      let deleted = scene.send("DELETE", "devices/phone/points?from=2026-05-06&to=2026-05-07")
      #expect(deleted.status == 200, "\(deleted.text)")
      let rest = scene.send("GET", "timeline/corrections?device=phone").list("corrections")
      #expect(rest.count < before.list("corrections").count)
      #expect(rest.allSatisfy { ($0["start"] as? String)?.hasPrefix("2026-05-04") == true })
      let entry = try #require(deleted.object["trash"] as? String)
      #expect(scene.send("POST", "trash/\(entry)/undo").status == 200)
      try await server.server.processBacklog()
      #expect(scene.send("GET", "timeline/corrections?device=phone").text == before.text)
    }
  }

  @Test(
    "merging a device moves its corrections, and an undo moves them back", arguments: StoreKind.tested
  )
  func merge(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let scene = try await Scene(server)
      let visit = try #require(scene.visits.first)
      #expect(scene.correct(visit, "rename", #","name":"Old flat""#).status == 201)
      let before = scene.send("GET", "timeline/corrections?device=phone").text
      let user = try #require(try server.server.store.read { try UserTable.user(named: "anna", $0) })
      _ = try await server.device("tablet", of: user)
      let merged = scene.send("POST", "devices/phone/merge", #"{"into":"tablet"}"#)
      #expect(merged.status == 200, "\(merged.text)")
      try await server.server.processBacklog()
      #expect(scene.send("GET", "visits?device=tablet").list("visits").first?["name"] as? String == "Old flat")
      let entry = try #require(merged.object["trash"] as? String)
      #expect(scene.send("POST", "trash/\(entry)/undo").status == 200)
      try await server.server.processBacklog()
      #expect(scene.send("GET", "timeline/corrections?device=phone").text == before)
      #expect(scene.send("GET", "timeline/corrections?device=tablet").list("corrections").isEmpty)
    }
  }
}
