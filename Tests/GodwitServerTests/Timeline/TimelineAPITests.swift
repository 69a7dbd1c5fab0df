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

@Suite("Visits, trips, places and flags over HTTP", .timeLimit(.minutes(20)))
struct TimelineAPITests {
  /// A day in UTC: home, work, home; with one spike.
  private static func day() -> Journey {
    var journey = Journey()
    journey.stay(3600)
    journey.go(4000, at: 8)
    journey.stay(3600 * 4)
    journey.stay(5, every: nil)
    journey.measure()
    journey.stay(5, every: nil)
    journey.stray(north: 1200, east: 100)
    journey.stay(5, every: nil)
    journey.measure()
    journey.go(3000, at: 8, north: true)
    journey.stay(3600 * 3)
    return journey
  }

  private static func add(_ journey: Journey, to server: AccountServer, _ device: Device) async throws {
    _ = try await server.server.store.store(journey.records, of: device, at: Date())
    try await server.server.processBacklog()
  }

  @Test(
    "a day has visits, trips and sums; visits get the name of a place, and a rename applies to them", arguments: StoreKind.tested
  )
  func names(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let caller = try await server.session(of: anna)
      let (device, _) = try await server.device("phone", of: anna)
      try await Self.add(Self.day(), to: server, device)
      var visits = server.send("GET", "/api/v1/visits?device=phone", as: caller).list("visits")
      try #require(visits.count == 3)
      #expect(visits.allSatisfy { $0["place"] is NSNull } && visits[2]["departure"] is NSNull)
      let trips = server.send("GET", "/api/v1/trips?device=phone", as: caller)
      #expect(trips.list("trips").count == 2 && trips.object["pending"] as? Int == 0)
      let work = visits[1]
      let place =
        #"{"device":"phone","name":"Work","latitude":\#(work["latitude"] ?? 0),"longitude":\#(work["longitude"] ?? 0),"radius":80}"#
      let made = server.send("POST", "/api/v1/places", as: caller, body: place)
      #expect(made.status == 201)
      let id = try #require(made.object["id"] as? String)
      visits = server.send("GET", "/api/v1/visits?device=phone", as: caller).list("visits")
      #expect(visits.map { ($0["place"] as? [String: Any])?["name"] as? String } == [nil, "Work", nil])
      let renamed =
        #"{"name":"Office","latitude":\#(work["latitude"] ?? 0),"longitude":\#(work["longitude"] ?? 0),"radius":80}"#
      #expect(server.send("PUT", "/api/v1/places/\(id)", as: caller, body: renamed).status == 200)
      let sums = server.send("GET", "/api/v1/statistics?device=phone&year=2026", as: caller)
      let places = sums.list("places")
      #expect(places.first?["name"] as? String == "Office")
      let total = try #require(sums.object["total"] as? [String: Any])
      let distance = try #require(total["distance"] as? Double)
      #expect(abs(distance - 7000) < 400, "\(distance)")
      #expect(sums.list("days").count == 1 && sums.list("months").count == 1)
      let learned = server.send("GET", "/api/v1/places?device=phone&learned=true", as: caller)
      #expect(learned.list("places").count == 1 && learned.list("learned").count == 2)
      #expect(server.send("DELETE", "/api/v1/places/\(id)", as: caller).status == 200)
      #expect(server.send("DELETE", "/api/v1/places/\(id)", as: caller).status == 404)
    }
  }

  @Test(
    "visits, places and sums have the town, the state and the country, and places can be searched by them",
    arguments: StoreKind.tested)
  func localities(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let caller = try await server.session(of: anna)
      let (device, _) = try await server.device("phone", of: anna)
      try await Self.add(Self.day(), to: server, device)
      let visits = server.send("GET", "/api/v1/visits?device=phone", as: caller).list("visits")
      try #require(visits.count == 3)
      let town = try #require(visits[0]["town"] as? String)
      let country = try #require(visits[0]["country"] as? String)
      let code = try #require(visits[0]["country_code"] as? String)
      #expect(code.count == 2)
      #expect(visits[0]["state"] is String)
      let sums = server.send("GET", "/api/v1/statistics?device=phone&year=2026", as: caller)
      let countries = sums.list("countries")
      #expect(countries.count == 1)
      #expect(countries.first?["code"] as? String == code)
      #expect(countries.first?["name"] as? String == country)
      #expect(countries.first?["days"] as? Int == 1)
      let seconds = visits.reduce(0) { $0 + ($1["duration"] as? Double ?? 0) }
      #expect(abs((countries.first?["seconds"] as? Double ?? 0) - seconds) <= 2)
      #expect(sums.list("towns").contains { $0["name"] as? String == town && $0["country_code"] as? String == code })
      func learned(_ text: String) -> Int {
        let query = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return server.send("GET", "/api/v1/places?device=phone&learned=true&search=\(query)", as: caller).list("learned").count
      }
      #expect(learned("") == 3)
      #expect(learned(country.uppercased()) == 3)
      #expect(learned(town.lowercased()) >= 1)
      #expect(learned("nowhere in the world") == 0)
    }
  }

  @Test("reading page by page gives the same entries as one read", arguments: StoreKind.tested)
  func pages(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      for name in ["a", "b"] {
        let (device, _) = try await server.device(name, of: nil)
        try await Self.add(Self.day(), to: server, device)
      }
      for (path, list) in [("visits", "visits"), ("trips", "trips"), ("outliers", "outliers")] {
        let whole = server.send("GET", "/api/v1/\(path)").list(list)
        var parts: [[String: Any]] = []
        var next: String? = ""
        while let after = next {
          let response = server.send("GET", "/api/v1/\(path)?limit=1&cursor=\(after)")
          #expect(response.status == 200 && response.list(list).count == 1)
          parts += response.list(list)
          next = response.object["next_cursor"] as? String
        }
        #expect(parts as NSArray == whole as NSArray && whole.count >= 2)
      }
    }
  }

  @Test("a time range returns the entries that overlap it", arguments: StoreKind.tested)
  func window(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let (device, _) = try await server.device("phone", of: nil)
      try await Self.add(Self.day(), to: server, device)
      let at = server.send("GET", "/api/v1/visits?from=2026-05-04T09:00:00Z&to=2026-05-04T09:00:01Z").list("visits")
      #expect(at.count == 1, "a range within a visit")
      #expect(server.send("GET", "/api/v1/visits?from=2026-05-03&to=2026-05-04").list("visits").isEmpty)
      #expect(server.send("GET", "/api/v1/visits?from=2026-06-03&to=2026-06-04").list("visits").count == 1, "the stay continues")
    }
  }

  @Test("friends see the points of a device, and no visits, trips, sums or flags", arguments: StoreKind.tested)
  func friends(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let (device, _) = try await server.device("phone", of: anna)
      try await Self.add(Self.day(), to: server, device)
      try await server.run(
        """
        INSERT INTO friendships (subject, viewer, requested_by, access, since, created, accepted) VALUES (?1, ?2, ?1, 'history', 0, 0, 1)
        """, [.integer(anna.id), .integer(ben.id)])
      server.server.pipeline.admission.access.invalidate()
      let caller = try await server.session(of: ben)
      #expect(!server.send("GET", "/api/v1/points?device=phone", as: caller).features.isEmpty)
      for path in ["visits", "trips", "outliers"] {
        #expect(server.send("GET", "/api/v1/\(path)", as: caller).list(path).isEmpty)
        #expect(server.send("GET", "/api/v1/\(path)?device=phone", as: caller).status == 404)
      }
      #expect(server.send("GET", "/api/v1/statistics?device=phone&year=2026", as: caller).status == 404)
      #expect(server.send("GET", "/api/v1/places?device=phone", as: caller).status == 404)
    }
  }

  @Test("a spike is omitted from reads, and the user's flag has priority over the server's", arguments: StoreKind.tested)
  func outliers(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let (device, _) = try await server.device("phone", of: nil)
      let journey = Self.day()
      try await Self.add(journey, to: server, device)
      func count(_ query: String) -> Int { server.send("GET", "/api/v1/points?limit=10000&device=phone\(query)").features.count }
      #expect(count("") == journey.points.count - 1 && count("&marked=true") == journey.points.count)
      let flag = try #require(server.send("GET", "/api/v1/outliers?device=phone").list("outliers").first)
      #expect(flag["reason"] as? String == "spike" && flag["manual"] as? Bool == false)
      func body(_ marked: String) -> String {
        #"{"device":"phone","time":"\#(flag["time"] ?? "")","latitude":\#(flag["latitude"] ?? 0),"longitude":\#(flag["longitude"] ?? 0)\#(marked)}"#
      }
      let kept = server.send("PUT", "/api/v1/outliers", body: body(#","marked":false"#))
      #expect(kept.status == 200 && kept.object["manual"] as? Bool == true, "\(kept.text)")
      let invalid = server.send("PUT", "/api/v1/outliers", body: body(#","marked":7"#))
      #expect(invalid.status == 422 && invalid.object["title"] as? String == "Not a flag", "\(invalid.text)")
      try await server.server.processBacklog()
      #expect(count("") == journey.points.count, "the user's flag remains after a recomputation")
      #expect(server.send("DELETE", "/api/v1/outliers", body: body("")).status == 200)
      try await server.server.processBacklog()
      #expect(count("") == journey.points.count - 1, "the server flags the point again")
      // The user can flag any point.
      let point = journey.points[30]
      let place = (Double(point.latitude) / 1e7, Double(point.longitude) / 1e7)
      let host =
        #"{"device":"phone","time":"\#(RFC3339.string(point.date))","latitude":\#(place.0),"longitude":\#(place.1)}"#
      #expect(server.send("PUT", "/api/v1/outliers", body: host).status == 200)
      try await server.server.processBacklog()
      #expect(count("") == journey.points.count - 2)
      #expect(server.send("PUT", "/api/v1/outliers", body: host.replacing("phone", with: "none")).status == 404)
    }
  }

  @Test("days are those of the device's time zone", arguments: StoreKind.tested)
  func zones(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind, asAdministrator: true) { server in
      let (device, _) = try await server.device("phone", of: nil)
      try await Self.add(Self.day(), to: server, device)
      func days() -> [String] {
        server.send("GET", "/api/v1/statistics?device=phone&month=2026-05").list("days").compactMap { $0["day"] as? String }
      }
      #expect(days() == ["2026-05-04"])
      let wrong = server.send("PUT", "/api/v1/devices/phone/time-zone", body: #"{"time_zone":"Mars/Olympus"}"#)
      #expect(wrong.status == 422)
      // Some of these zones are not in Foundation's list of known time zones.
      for zone in ["Asia/Kolkata", "UTC", "Pacific/Auckland"] {
        let set = server.send("PUT", "/api/v1/devices/phone/time-zone", body: #"{"time_zone":"\#(zone)"}"#)
        #expect(set.status == 200, "\(zone)")
      }
      try await server.server.processBacklog()
      #expect(days() == ["2026-05-04", "2026-05-05"], "the track began in the evening there")
      let response = server.send("GET", "/api/v1/statistics?device=phone&from=2026-05-04&to=2026-05-05")
      #expect((response.object["begins"] as? String)?.hasPrefix("2026-05-03T12:00:00") == true)
      let zone = server.send("GET", "/api/v1/devices/phone/time-zone").object["time_zone"] as? String
      #expect(zone == "Pacific/Auckland")
    }
  }

  @Test("the visits of a place are listed by date, and two places are merged", arguments: StoreKind.tested)
  func places(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let caller = try await server.session(of: anna)
      let (device, _) = try await server.device("phone", of: anna)
      try await Self.add(Self.day(), to: server, device)
      var again = Journey(at: "2026-05-06T06:00:00Z")
      again.stay(3600)
      again.go(9000, at: 8)
      try await Self.add(again, to: server, device)
      func send(_ method: String, _ path: String, _ body: String = "") -> Response {
        server.send(method, "/api/v1/places\(path)", as: caller, body: body)
      }
      let ids = try [("Home", 46.05, 14.5), ("Gate", 46.0508, 14.5)].map { name, latitude, longitude in
        let made = send("POST", "", #"{"name":"\#(name)","latitude":\#(latitude),"longitude":\#(longitude),"radius":50}"#)
        return try #require(made.object["id"] as? String, "\(made.text)")
      }
      let totals = send("GET", "?totals=true").list("places").first { $0["id"] as? String == ids[0] }?["totals"] as? [String: Any]
      #expect(totals?["visits"] as? Int == 2 && totals?["seconds"] as? Int ?? 0 > 7000, "\(totals ?? [:])")
      let visits = send("GET", "/\(ids[0])/visits").list("visits")
      #expect(visits.count == 2 && (visits[0]["arrival"] as? String ?? "") > (visits[1]["arrival"] as? String ?? ""))
      let page = send("GET", "/\(ids[0])/visits?limit=1")
      let next = try #require(page.object["next_cursor"] as? String)
      #expect(send("GET", "/\(ids[0])/visits?limit=1&cursor=\(next)").list("visits") as NSArray == [visits[1]] as NSArray)
      // A correction assigns the visit to the gate.
      let arrival = visits[0]["arrival"] as? String ?? ""
      let body = #"{"device":"phone","kind":"visit","action":"rename","start":"ARRIVAL","place":"GATE"}"#
        .replacing("ARRIVAL", with: arrival).replacing("GATE", with: ids[1])
      #expect(server.send("POST", "/api/v1/timeline/corrections", as: caller, body: body).status == 201)
      #expect(send("GET", "/\(ids[0])/visits").list("visits").count == 1)
      let merged = send("POST", "/\(ids[1])/merge", #"{"into":"HOME"}"#.replacing("HOME", with: ids[0]))
      #expect(merged.status == 200 && merged.object["name"] as? String == "Home", "\(merged.text)")
      let radius = merged.object["radius"] as? Double ?? 0
      #expect((90...100).contains(radius), "a circle around both: \(radius)")
      #expect(send("GET", "/\(ids[0])/visits").list("visits").count == 2 && send("GET", "/\(ids[1])/visits").status == 404)
      #expect(send("POST", "/\(ids[0])/merge", #"{"into":"HOME"}"#.replacing("HOME", with: ids[0])).status == 422)
      let far = send("POST", "", #"{"name":"Far","latitude":47,"longitude":14,"radius":50}"#).object["id"] as? String ?? ""
      #expect(send("POST", "/\(far)/merge", #"{"into":"HOME"}"#.replacing("HOME", with: ids[0])).status == 409)
      let other = try await server.session(of: try await server.user("ben"))
      #expect(server.send("GET", "/api/v1/places/\(ids[0])/visits", as: other).status == 404)
    }
  }
}
