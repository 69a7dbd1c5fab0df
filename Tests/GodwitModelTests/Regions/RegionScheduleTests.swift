import Foundation
import GodwitModel
import TestTexts
import Testing

@Suite("Schedules of regions")
struct RegionScheduleTests {
  typealias Weekday = RegionSchedule.Weekday

  /// Returns the time `minutes` and `seconds` after 00:00 UTC of a Monday in 2026.
  static func time(_ minutes: Int, seconds: Double = 0) -> Date {
    Date(timeIntervalSince1970: 1_772_409_600 + Double(minutes) * 60 + seconds)
  }

  static func schedule(_ days: Set<Weekday>, _ from: Int, _ to: Int) -> RegionSchedule {
    RegionSchedule(windows: [RegionSchedule.Window(days: days, from: from, to: to)])
  }

  static let working: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]

  @Test(
    "a window includes its first minute and excludes its end",
    arguments: [
      // Monday.
      (8 * 60 + 59, false), (9 * 60, true), (16 * 60 + 59, true), (17 * 60, false),
      // Friday, Saturday.
      (4 * 1440 + 10 * 60, true), (5 * 1440 + 10 * 60, false),
    ])
  func window(_ minutes: Int, _ isActive: Bool) {
    let schedule = Self.schedule(Self.working, 9 * 60, 17 * 60)
    #expect(schedule.isActive(at: Self.time(minutes), utcOffset: 0) == isActive)
    // East of Greenwich the local time is later.
    #expect(schedule.isActive(at: Self.time(minutes - 120), utcOffset: 7_200) == isActive)
    #expect(schedule.isActive(at: Self.time(minutes + 300), utcOffset: -18_000) == isActive)
  }

  @Test(
    "a window across midnight belongs to the day of its start",
    arguments: [
      (6, 21 * 60 + 59, false), (6, 22 * 60, true), (7, 0, true), (7, 5 * 60 + 59, true), (7, 6 * 60, false), (0, 60, true),
      (7, 22 * 60, false),
    ])
  func overMidnight(_ day: Int, _ minute: Int, _ isActive: Bool) {
    // The window of Sunday ends in the next week.
    let schedule = Self.schedule([.sunday], 22 * 60, 6 * 60)
    #expect(schedule.isActive(at: Self.time(day * 1440 + minute), utcOffset: 0) == isActive)
  }

  @Test("a window that ends at its start time lasts a day")
  func wholeDay() {
    let schedule = Self.schedule([.tuesday], 9 * 60, 9 * 60)
    #expect(!schedule.isActive(at: Self.time(1440 + 539), utcOffset: 0))
    #expect(schedule.isActive(at: Self.time(1440 + 540), utcOffset: 0))
    #expect(schedule.isActive(at: Self.time(2880 + 539), utcOffset: 0))
    #expect(!schedule.isActive(at: Self.time(2880 + 540), utcOffset: 0))
  }

  @Test(
    "the next change is the next start or end, across nights and weeks",
    arguments: [
      (0, 9 * 60), (9 * 60, 17 * 60), (10 * 60, 17 * 60), (17 * 60, 1440 + 9 * 60), (4 * 1440 + 17 * 60, 7 * 1440 + 9 * 60),
      (6 * 1440, 7 * 1440 + 9 * 60),
    ])
  func nextChange(_ minutes: Int, _ expected: Int) {
    let schedule = Self.schedule(Self.working, 9 * 60, 17 * 60)
    #expect(schedule.nextChange(after: Self.time(minutes), utcOffset: 0) == Self.time(expected))
    #expect(schedule.nextChange(after: Self.time(minutes, seconds: 0.5), utcOffset: 0) == Self.time(expected))
    #expect(schedule.nextChange(after: Self.time(minutes - 330), utcOffset: 19_800) == Self.time(expected - 330))
  }

  @Test("windows that touch or overlap are one, without a change between them")
  func overlapping() {
    let schedule = RegionSchedule(windows: [
      .init(days: [.monday], from: 540, to: 720), .init(days: [.monday], from: 600, to: 900),
      .init(days: [.monday], from: 900, to: 1440), .init(days: [.tuesday], from: 0, to: 60),
    ])
    #expect(schedule.nextChange(after: Self.time(540), utcOffset: 0) == Self.time(1500))
    #expect(schedule.nextChange(after: Self.time(1500), utcOffset: 0) == Self.time(7 * 1440 + 540))
  }

  @Test("a schedule that is always open or never open has no change")
  func never() {
    let always = Self.schedule(Set(Weekday.allCases), 0, 1440)
    #expect(always.isActive(at: Self.time(777), utcOffset: 0) && always.nextChange(after: Self.time(777), utcOffset: 0) == nil)
    let round = Self.schedule(Set(Weekday.allCases), 600, 600)
    #expect(round.isActive(at: Self.time(777), utcOffset: 0) && round.nextChange(after: Self.time(777), utcOffset: 0) == nil)
    for nothing in [Self.schedule([], 0, 1440), RegionSchedule(windows: [])] {
      #expect(!nothing.isActive(at: Self.time(5), utcOffset: 0) && nothing.nextChange(after: Self.time(5), utcOffset: 0) == nil)
    }
  }

  @Test("times that are not finite are outside of every schedule", arguments: [Double.nan, .infinity, 1e300])
  func noTime(_ seconds: Double) {
    let always = Self.schedule(Set(Weekday.allCases), 0, 1440)
    let time = Date(timeIntervalSince1970: seconds)
    #expect(!always.isActive(at: time, utcOffset: 0) && always.nextChange(after: time, utcOffset: 0) == nil)
  }

  @Test("times before 1970 are handled like others")
  func before1970() {
    // 1969-12-29 was a Monday.
    let monday = Date(timeIntervalSince1970: -3 * 86_400)
    let schedule = Self.schedule([.monday], 0, 60)
    #expect(schedule.isActive(at: monday, utcOffset: 0))
    #expect(!schedule.isActive(at: monday - 0.5, utcOffset: 0))
    #expect(schedule.nextChange(after: monday - 0.5, utcOffset: 0) == monday)
  }

  // Ljubljana, 2026: one hour ahead of UTC, two from 29 March 01:00 UTC to 25 October 01:00 UTC, both Sundays.
  static let springForward = Date(timeIntervalSince1970: 1_774_746_000)
  static let fallBack = Date(timeIntervalSince1970: 1_792_890_000)

  @Test("when clocks go forward, a window in the missing hour is skipped and a window around it is an hour shorter")
  func spring() {
    let missing = Self.schedule([.sunday], 2 * 60, 3 * 60)
    #expect(!missing.isActive(at: Self.springForward - 1, utcOffset: 3_600))
    #expect(!missing.isActive(at: Self.springForward, utcOffset: 7_200))
    let around = Self.schedule([.sunday], 60, 4 * 60)
    #expect(around.isActive(at: Self.springForward - 1, utcOffset: 3_600))
    #expect(around.isActive(at: Self.springForward, utcOffset: 7_200))
    #expect(around.nextChange(after: Self.springForward, utcOffset: 7_200) == Self.springForward + 3_600)
  }

  @Test("when clocks go back, a window in the repeated hour occurs twice")
  func autumn() {
    let twice = Self.schedule([.sunday], 2 * 60, 3 * 60)
    #expect(twice.isActive(at: Self.fallBack - 1, utcOffset: 7_200))
    #expect(twice.isActive(at: Self.fallBack, utcOffset: 3_600))
    #expect(twice.isActive(at: Self.fallBack + 3_599, utcOffset: 3_600))
    #expect(!twice.isActive(at: Self.fallBack + 3_600, utcOffset: 3_600))
    #expect(twice.nextChange(after: Self.fallBack, utcOffset: 3_600) == Self.fallBack + 3_600)
  }

  @Test("the state is constant until the next change, and different at the change", arguments: 1...20)
  func agreement(_ seed: Int) throws {
    var random = SeededNumbers(UInt64(seed))
    let windows = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      RegionSchedule.Window(
        days: Set(Weekday.allCases.filter { _ in Bool.random(using: &random) }), from: .random(in: 0..<1440, using: &random),
        to: .random(in: 1...1440, using: &random))
    }
    let schedule = RegionSchedule(windows: windows)
    let offset = Int.random(in: -48...56, using: &random) * 900
    let start = Self.time(0) + Double.random(in: 0..<604_800, using: &random)
    let isActive = schedule.isActive(at: start, utcOffset: offset)
    let change = schedule.nextChange(after: start, utcOffset: offset)
    let end = change ?? start + 604_800
    for time in stride(from: start, to: end, by: 597) {
      #expect(schedule.isActive(at: time, utcOffset: offset) == isActive)
    }
    if let change {
      #expect(change > start && change <= start + 604_800)
      #expect(schedule.isActive(at: change, utcOffset: offset) != isActive)
    }
  }
}
