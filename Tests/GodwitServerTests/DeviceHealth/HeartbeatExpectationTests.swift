import Foundation
import Testing

@testable import GodwitIntake
@testable import GodwitServer

/// 2023-11-14T22:13:20Z, the time of the last contact in these tests.
private let contact = ManualClock.start
private let today = Int64(contact.timeIntervalSince1970) / 86400

@Suite("The time after which a device is offline")
struct HeartbeatExpectationTests {
  /// The longest pause of each of the last days, newest first.
  private static func days(_ seconds: [TimeInterval], hour: Int = 22) -> [Habits.Hour] {
    seconds.enumerated().map { Habits.Hour(day: today - Int64($0.offset), hour: hour, maximum: $0.element) }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var habits: Habits
    var origin: GodwitIntake.HeartbeatExpectation.Origin
    var threshold: TimeInterval?
    var testDescription: String { name }
  }

  static let cases = [
    Case(name: "no data", habits: Habits(), origin: .unknown, threshold: 86400),
    Case(name: "two days are not enough", habits: Habits(hours: days([600, 700])), origin: .unknown, threshold: 86400),
    Case(
      name: "a few days: one and a half times the longest pause", habits: Habits(hours: days([1200, 2400, 600])), origin: .rhythm,
      threshold: 3600),
    Case(
      name: "a pause on one of ten days is ignored", habits: Habits(hours: days([999_999] + Array(repeating: 1200, count: 9))),
      origin: .rhythm, threshold: 1800),
    Case(
      name: "pauses on two of ten days are used", habits: Habits(hours: days([9000, 8000] + Array(repeating: 1200, count: 8))),
      origin: .rhythm, threshold: 12000),
    Case(
      name: "the hours before and after midnight are adjacent",
      habits: Habits(hours: days([1200, 1200, 1200], hour: 23) + days([50000, 50000, 50000], hour: 1)), origin: .rhythm,
      threshold: 1800),
    Case(
      name: "without data for the hour all hours are used", habits: Habits(hours: days([1200, 2400, 1200], hour: 9)),
      origin: .rhythm, threshold: 3600),
    Case(name: "at least 15 minutes", habits: Habits(hours: days([0, 0, 70])), origin: .rhythm, threshold: 900),
    Case(
      name: "at most two weeks", habits: Habits(hours: days([2e6, 2e6, 2e6])), origin: .rhythm, threshold: 14 * 86400),
    Case(
      name: "data older than three weeks is ignored",
      habits: Habits(hours: (30...40).map { Habits.Hour(day: today - $0, hour: 22, maximum: 60) }), origin: .unknown,
      threshold: 86400),
    Case(name: "six times the interval in the settings", habits: Habits(interval: 600), origin: .settings, threshold: 3600),
    Case(
      name: "settings with longer pauses than the history", habits: Habits(hours: days([600, 600, 600]), interval: 1800),
      origin: .settings, threshold: 10800),
    Case(
      name: "settings with shorter pauses are ignored", habits: Habits(hours: days([7200, 7200, 7200]), interval: 60),
      origin: .rhythm, threshold: 10800),
    Case(name: "significant changes only", habits: Habits(mode: .significant), origin: .settings, threshold: 86400),
    Case(
      name: "the history has precedence over the mode", habits: Habits(hours: days([600, 600, 600]), mode: .significant),
      origin: .rhythm, threshold: 900),
    Case(
      name: "a staying device", habits: Habits(hours: days([60, 60, 60]), isStaying: true), origin: .stay, threshold: 86400),
    Case(name: "tracking is off", habits: Habits(interval: 60, mode: .off, isStaying: true), origin: .off, threshold: nil),
  ]

  @Test("the threshold is computed from the history and the settings", arguments: cases)
  func thresholds(_ example: Case) {
    let expectation = example.habits.expectation(after: contact)
    #expect(expectation.origin == example.origin && expectation.threshold == example.threshold, "\(expectation)")
    #expect(!expectation.text.isEmpty)
  }

  @Test(
    "a duration is formatted with its unit",
    arguments: [(40, "40 s"), (89, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "2 h"), (86400, "24 h"), (172_800, "2 days")]
      as [(TimeInterval, String)])
  func words(_ seconds: TimeInterval, _ words: String) { #expect(GodwitIntake.HeartbeatExpectation.describe(seconds) == words) }

  @Test("an outage of the server does not count as time without contact")
  func outages() {
    func at(_ seconds: Double) -> Date { contact.addingTimeInterval(seconds) }
    let outages = [(-50.0, 10.0), (100, 200), (290, 999)].map { HeartbeatTables.Outage(began: at($0.0), ended: at($0.1)) }
    #expect(OfflineMonitor.counted(contact, at(300), outages) == 300 - 10 - 100 - 10)
    #expect(OfflineMonitor.counted(contact, at(300), []) == 300)
  }
}
