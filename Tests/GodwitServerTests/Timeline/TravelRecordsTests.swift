import Foundation
import GodwitAccess
import GodwitModel
import TestClient
import Testing

@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitVisits

@Suite("Records and sums of all years", .timeLimit(.minutes(20)))
struct TravelRecordsTests {
  private static func segment(
    _ mode: TravelMode, _ start: Int64, _ seconds: Double, _ distance: Double, top: Double
  ) -> FoundTrip.Segment {
    FoundTrip.Segment(
      mode: mode, confidence: 1, isReported: false, start: start, end: start + Int64(seconds * 1000), distance: distance,
      moving: seconds, topSpeed: top)
  }

  private static func trip(_ segments: FoundTrip.Segment...) -> FoundTrip {
    FoundTrip(
      start: segments.first?.start ?? 0, end: segments.last?.end ?? 0, from: [460_500_000, 145_000_000],
      to: [461_000_000, 145_000_000], segments: segments)
  }

  private static func visit(_ arrival: Int64, hours: Int64, _ latitude: Double, _ longitude: Double) -> FoundVisit {
    FoundVisit(
      arrival: arrival, departure: arrival + hours * 3_600_000, seen: arrival + hours * 3_600_000,
      latitude: Int32(latitude * 1e7), longitude: Int32(longitude * 1e7), radius: 20, points: 10, isReported: false)
  }

  private static let day = DayLength.milliseconds

  private static func records(
    visits: [FoundVisit] = [], trips: [FoundTrip] = [], shares: [(Int64, TravelMode, Double)] = [],
    days: Range<Int64> = 0..<1000
  ) -> TravelRecords {
    TravelRecords(
      visits: visits.map { ShownVisit($0) }, trips: trips,
      shares: shares.map { (DayShare.Key(localDay: $0.0, mode: $0.1), DayShare(distance: $0.2, seconds: 60, moving: 60)) },
      days: days, zone: .gmt, finder: PlaceFinder([]))
  }

  @Test("a stored trip is read with the same values as by Foundation's decoder")
  func reading() throws {
    let segments = [
      Self.segment(.walk, 1_777_881_600_123, 600.1, 1234.567, top: 1.9),
      Self.segment(.plane, 1_777_882_200_223, 1e4, 1.5e6, top: 1 / 3),
    ]
    var trips = [Self.trip(segments[0]), Self.trip(segments[0], segments[1])]
    trips[1].from = [-900_000_000, -1_800_000_000]
    for trip in trips {
      let text = try TimelineCoding.text(trip)
      #expect(try TripReader.trip(text) == trip)
      #expect(try TripReader.trip(text) == TimelineCoding.value(FoundTrip.self, text))
    }
    for text in [
      "", "{}", "[]", "null", #"{"start":1}"#, #"{"start":1.5,"end":2,"from":[],"to":[],"segments":[]}"#, "{\"start\":",
    ] {
      #expect(throws: (any Error).self) { try TripReader.trip(text) }
    }
  }

  @Test("the longest day excludes flights and days outside the range")
  func longestDay() {
    let records = Self.records(shares: [(3, .car, 500), (3, .plane, 9e6), (4, .car, 300), (4, .train, 400), (5, .car, 700)])
    #expect(records.longestDay == TravelRecords.Day(day: 4, distance: 700))
    #expect(Self.records(shares: [(3, .plane, 9e6)]).longestDay == nil)
    #expect(Self.records(shares: [(3, .car, 500), (2000, .car, 900)]).longestDay?.day == 3, "a day outside the range")
  }

  @Test("a streak needs a kilometre of walking, running or cycling each day, and ends with a gap")
  func streak() {
    let days: [(Int64, TravelMode, Double)] = [
      (1, .walk, 1500), (2, .walk, 600), (2, .cycle, 500), (3, .car, 90_000), (4, .run, 1000), (5, .walk, 999), (7, .walk, 5000),
      (8, .walk, 5000), (9, .cycle, 5000), (11, .walk, 5000),
    ]
    #expect(Self.records(shares: days).activeStreak == TravelRecords.Streak(first: 7, last: 9))
    #expect(Self.records(shares: days).activeStreak?.days == 3)
    #expect(Self.records().activeStreak == nil)
  }

  @Test("each mode has its longest and its fastest trip, and the speed of a short segment is ignored")
  func modes() {
    let long = Self.trip(Self.segment(.car, Self.day, 7200, 150_000, top: 30))
    let fast = Self.trip(
      Self.segment(.walk, 2 * Self.day, 300, 400, top: 1.5), Self.segment(.car, 2 * Self.day + 300_000, 600, 20_000, top: 40))
    let noise = Self.trip(
      Self.segment(.car, 3 * Self.day, 30, 2000, top: 66), Self.segment(.car, 3 * Self.day + 30_000, 120, 400, top: 70))
    let records = Self.records(trips: [long, fast, noise])
    #expect(records.modes[.car]?.longest == long && records.modes[.car]?.fastest == fast && records.modes[.car]?.topSpeed == 40)
    #expect(records.modes[.walk]?.longest == nil && records.modes[.walk]?.fastest == nil)
    #expect(Self.records(trips: [long, fast], days: 2..<3).modes[.car]?.longest == fast)
  }

  @Test("the speed of a part that contains another mode is ignored")
  func otherMode() {
    let walk = Self.trip(Self.segment(.walk, Self.day, 3600, 4000, top: 3))
    let ride = Self.trip(Self.segment(.walk, 2 * Self.day, 3600, 6000, top: 12.2))
    let records = Self.records(trips: [walk, ride])
    #expect(records.modes[.walk]?.longest == ride && records.modes[.walk]?.fastest == walk && records.modes[.walk]?.topSpeed == 3)
  }

  @Test("the distance of the furthest place is measured from the home of its year")
  func furthest() throws {
    // 1970 in Ljubljana with a trip to Vienna; 1971 in Vienna with a trip to Ljubljana and one to Graz.
    let (ljubljana, vienna, graz) = ((46.05, 14.5), (48.21, 16.37), (47.07, 15.44))
    let visits = [
      Self.visit(0, hours: 2000, ljubljana.0, ljubljana.1), Self.visit(100 * Self.day, hours: 50, graz.0, graz.1),
      Self.visit(366 * Self.day, hours: 2000, vienna.0, vienna.1), Self.visit(500 * Self.day, hours: 50, graz.0, graz.1),
    ]
    let all = try #require(Self.records(visits: visits).furthest)
    #expect(all.visit.visit == visits[3] && abs(all.distance - 145_000) < 3000, "\(all.distance)")
    let first = try #require(Self.records(visits: visits, days: 0..<365).furthest)
    #expect(first.visit.visit == visits[1] && abs(first.home.center.latitude - 46.05) < 0.01)
    #expect(Self.records(visits: [visits[0]]).furthest == nil, "the home is not a furthest place")
  }

  @Test("all years are listed, including years without data between others")
  func years() {
    let days = [0, 1, 365, 365 + 366 * 2].map { Int64($0) }
    let shares = days.flatMap { day in
      [
        (DayShare.Key(localDay: day, mode: nil), DayShare(points: 10)),
        (DayShare.Key(localDay: day, mode: .car), DayShare(distance: 100, seconds: 20, moving: 10)),
      ]
    }
    let years = YearSums.all(shares)
    #expect(years.map(\.year) == [1970, 1971, 1972, 1973] && years.map(\.days) == [2, 1, 0, 1])
    #expect(years[0].points == 20 && years[0].modes[.car]?.distance == 200 && years[2].modes.isEmpty)
    #expect(YearSums.all([]).isEmpty)
  }

  @Test("years and records are available over HTTP, for the user's own devices only", arguments: StoreKind.tested)
  func http(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let anna = try await server.user("anna")
      let caller = try await server.session(of: anna)
      let (device, _) = try await server.device("phone", of: anna)
      let journey = TimelineStoreTests.randomTrack(3, days: 20)
      _ = try await server.server.store.store(journey.records, of: device, at: Date())
      try await server.server.processBacklog()
      let years = server.send("GET", "/api/v1/statistics/years?device=phone", as: caller)
      let year = try #require(years.list("years").first)
      #expect(years.list("years").count == 1 && year["year"] as? Int == 2026 && years.object["pending"] as? Int == 0)
      let sums = server.send("GET", "/api/v1/statistics?device=phone&year=2026", as: caller)
      let total = try #require(sums.object["total"] as? [String: Any])
      #expect(year["points"] as? Int == total["points"] as? Int && year["days"] as? Int == sums.list("days").count)
      #expect(abs((year["distance"] as? Double ?? 0) - (total["distance"] as? Double ?? 1)) < 0.2)

      let records = server.send("GET", "/api/v1/statistics/records?device=phone&year=2026", as: caller)
      #expect(records.status == 200, "\(records.text)")
      let trips = server.send("GET", "/api/v1/trips?device=phone&limit=1000", as: caller).list("trips")
      var compared = 0
      for mode in records.list("modes") {
        guard let longest = mode["longest"] as? [String: Any] else { continue }
        let best = trips.filter { $0["mode"] as? String == mode["mode"] as? String }.compactMap { $0["distance"] as? Double }
          .max()
        #expect(longest["distance"] as? Double == best)
        compared += 1
      }
      #expect(compared > 0)
      let furthest = try #require(records.object["furthest"] as? [String: Any])
      #expect(furthest["distance"] as? Int ?? 0 > 50_000 && furthest["home"] is [String: Any])
      #expect((records.object["longest_day"] as? [String: Any])?["day"] is String)
      let empty = server.send("GET", "/api/v1/statistics/records?device=phone&year=2020", as: caller)
      #expect(empty.object["furthest"] is NSNull && empty.list("modes").isEmpty && empty.object["longest_day"] is NSNull)

      let bob = try await server.session(of: try await server.user("bob"))
      for path in ["years?device=phone", "records?device=phone", "records?device=nothing"] {
        #expect(server.send("GET", "/api/v1/statistics/\(path)", as: bob).status == 404)
      }
      #expect(server.send("GET", "/api/v1/statistics/records?device=phone&year=12", as: caller).status == 400)
      #expect(server.send("GET", "/api/v1/statistics/years", as: caller).status == 400)
    }
  }
}
