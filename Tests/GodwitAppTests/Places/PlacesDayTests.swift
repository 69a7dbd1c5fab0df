import Foundation
import GodwitModel
import Testing

@testable import GodwitApp

@Suite("Days of the map")
struct PlacesDayTests {
  @Test(
    "a day begins and ends at midnight of the time zone, also on days with a clock change",
    arguments: [
      ("Europe/Ljubljana", "2026-11-20T12:00:00Z", "2026-11-19T23:00:00Z", 24.0),
      ("Europe/Ljubljana", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", 23),
      ("Europe/Ljubljana", "2026-10-25T00:30:00Z", "2026-10-24T22:00:00Z", 25),
      ("Europe/Ljubljana", "2026-10-25T22:59:59Z", "2026-10-24T22:00:00Z", 25),
      ("Europe/Ljubljana", "2026-10-25T23:00:00Z", "2026-10-25T23:00:00Z", 24),
      ("America/Los_Angeles", "2026-11-01T08:30:00Z", "2026-11-01T07:00:00Z", 25),
      ("Australia/Lord_Howe", "2026-04-05T03:00:00Z", "2026-04-04T13:00:00Z", 24.5),
      // Clocks change from midnight to 01:00 there.
      ("Africa/Cairo", "2026-04-24T12:00:00Z", "2026-04-23T22:00:00Z", 23),
      ("Asia/Kathmandu", "2026-11-20T18:14:59Z", "2026-11-19T18:15:00Z", 24),
    ])
  func intervals(zone: String, time: String, start: String, hours: Double) throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: zone))
    let day = MapDay(try #require(RFC3339.date(time)), calendar)
    let interval = day.interval(calendar)
    #expect(RFC3339.string(interval.start) == start && interval.duration == hours * 3600)
    let (before, after) = (day.adding(-1, calendar), day.adding(1, calendar))
    #expect(before.interval(calendar).end == interval.start && after.interval(calendar).start == interval.end)
    #expect(before.adding(1, calendar) == day && after.adding(-1, calendar) == day)
  }

  @Test("the days are those of the phone's time zone, which can change while the app runs")
  func zone() {
    #expect(AppServices(journalPath: "", files: .memory(), credentials: .memory()).timeZone == .autoupdatingCurrent)
  }

  @Test("the history fills gaps of the phone's own record, despite rounded times, and no position is shown twice")
  func merged() throws {
    let own = path(from: noon, count: 100)
    let elsewhere = own[0].coordinate
    let same = own.enumerated().map { index, point in
      DayPoint(time: point.time.addingTimeInterval(index % 2 == 0 ? 0.0005 : -0.0005), coordinate: elsewhere)
    }
    let between = own.map { DayPoint(time: $0.time.addingTimeInterval(4), coordinate: elsewhere) }
    let (before, after) = (
      path(from: noon.addingTimeInterval(-600), count: 60), path(from: noon.addingTimeInterval(1_100), count: 60)
    )
    let track = DayTrack(own: own, history: (after + same + between.dropLast() + before + after).reversed())
    #expect(track.points == before + own + after)
    #expect(DayTrack(own: [], history: same + same).points.count == 100)
    #expect(DayTrack(own: []).lines.isEmpty && DayTrack(own: own).points == own)
    // A gap of more than 15 minutes in the phone's own positions is filled.
    let sparse = [own[0], DayPoint(time: noon.addingTimeInterval(901), coordinate: elsewhere)]
    #expect(DayTrack(own: sparse, history: own).points.count == 2 + 99)
  }

  @Test("lines break at gaps of more than 15 minutes, and are simplified")
  func lines() throws {
    let (first, second) = (path(from: noon, count: 1_000), path(from: noon.addingTimeInterval(10_891), count: 500))
    let track = DayTrack(own: first, history: second)
    #expect(track.lines.map(\.points.count) == [2, 2] && track.lines.map(\.isHistory) == [false, true])
    let length = track.lines.map(\.length).reduce(0, +)
    #expect(abs(length - 149_800) < 1)
    let whole = DayTrack(own: first + path(from: noon.addingTimeInterval(10_889), count: 500))
    #expect(whole.lines.count == 1)
    // The simplified points break into the same lines.
    let stored = DayTrack(own: track.simplified())
    #expect(stored.lines.map(\.points) == track.lines.map(\.points) && stored.points.count < 40)
  }

  @Test("position errors of a device at rest add no line")
  func rest() throws {
    let start = path(from: noon, count: 1)[0].coordinate
    let jitter = (0..<720).map { number in
      let place = GreatCircle.destination(from: start, course: Double(number * 77 % 360), distance: Double(number % 15))
      return DayPoint(time: noon.addingTimeInterval(Double(number) * 10), coordinate: place, accuracy: 20)
    }
    let settled = DayTrack.withoutJitter(jitter)
    #expect(settled.count == 24 && settled.allSatisfy { $0.coordinate == start })
    #expect(DayTrack.withoutJitter(path(from: noon, count: 50)).count == 50)
  }

  @Test("the last days are cached for use without a network, the oldest are dropped, and a damaged file is ignored")
  func cache() throws {
    let files = AppFiles.memory()
    let cache = DayCache(files: files)
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let first = MapDay(noon, calendar)
    let points = path(from: noon, count: 3)
    for number in 0..<20 { cache.store(points, of: first.adding(number, calendar), from: "home", at: noon) }
    #expect(cache.day(first.adding(5, calendar), of: "home") == nil)
    let kept = try #require(cache.day(first.adding(6, calendar), of: "home"))
    #expect(kept.read == noon && kept.points.map(\.time) == points.map(\.time))
    #expect(zip(kept.points, points).allSatisfy { GreatCircle.distance($0.coordinate, $1.coordinate) < 0.2 })
    #expect(cache.day(first.adding(6, calendar), of: "other") == nil, "the day is that of another server")
    try files.write("map-\(first.adding(7, calendar).name).json", Data("{".utf8))
    #expect(cache.day(first.adding(7, calendar), of: "home") == nil)
    try files.write(
      "map-\(first.adding(8, calendar).name).json", Data(#"{"server":"home","read":0,"numbers":[1,95000000,3,4]}"#.utf8))
    #expect(cache.day(first.adding(8, calendar), of: "home")?.points.isEmpty == true)
    try cache.removeAll()
    #expect(cache.day(first.adding(19, calendar), of: "home") == nil)
    cache.store(path(from: noon, count: DayCache.maximumPoints + 1), of: first, from: "home", at: noon)
    #expect(cache.day(first, of: "home") == nil)
  }
}
