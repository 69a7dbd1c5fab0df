import Foundation
import GodwitEngine
import GodwitModel
import Testing

@testable import Godwit
@testable import GodwitStatus

private let now = Date(timeIntervalSince1970: 1_795_163_400)

private func status(_ change: (inout Tracker.Status) -> Void = { _ in }) throws -> Tracker.Status {
  let coordinate = try #require(Coordinate(latitude: 46, longitude: 14))
  var status = Tracker.Status(
    isTracking: true, authorization: .always, lastFix: Fix(time: now, coordinate: coordinate), lastFixReceived: now,
    motion: [], locationProblem: nil, endpoints: [], invalidFixes: 0, thinnedFixes: 0, unwritten: 0, lost: 0, quarantined: 0,
    journalProblem: nil, trip: nil, tripModes: [], pausedSince: nil, placeName: nil, coverageEntry: nil, rollout: nil,
    rejectedSettings: [], heartbeat: now)
  change(&status)
  return status
}

@Suite("Contents of the panel")
struct PanelValueTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var change: @Sendable (inout Tracker.Status) -> Void
    var settings: @Sendable (inout Settings) -> Void = { _ in }
    var level: StatusReport.StatusSummary.Level
    var title: String
  }

  static let cases: [Case] = [
    Case(testDescription: "fixes are received", change: { _ in }, level: .good, title: "Recording"),
    Case(
      testDescription: "a fix two minutes ago", change: { $0.lastFixReceived = now.addingTimeInterval(-119) }, level: .good,
      title: "Recording"),
    Case(
      testDescription: "no fix for longer", change: { $0.lastFixReceived = now.addingTimeInterval(-121) }, level: .warning,
      title: "No signal"),
    Case(
      testDescription: "an old fix that was received just now",
      change: { $0.lastFix?.time = Date(timeIntervalSince1970: 0) }, level: .good, title: "Recording"),
    Case(
      testDescription: "no fix yet", change: { $0.lastFixReceived = nil }, level: .warning, title: "Waiting for a position"),
    Case(
      testDescription: "no fix for long with significant changes", change: { $0.lastFixReceived = nil },
      settings: { $0.main.trackingMode = .significant }, level: .quiet, title: "At rest"),
    Case(
      testDescription: "no service requested", change: { _ in }, settings: { $0.main.trackingMode = .off },
      level: .quiet, title: "On, no positions requested"),
    Case(testDescription: "off", change: { $0.isTracking = false }, level: .off, title: "Tracking is off"),
    Case(testDescription: "denied", change: { $0.authorization = .denied }, level: .bad, title: "No permission"),
    Case(
      testDescription: "permission not requested", change: { $0.authorization = .notDetermined }, level: .warning,
      title: "No permission yet"),
    Case(testDescription: "paused", change: { $0.pausedSince = now }, level: .quiet, title: "Paused"),
    Case(
      testDescription: "the receiver is disconnected", change: { $0.locationProblem = "gpsd is away." }, level: .bad,
      title: "No position"),
    Case(
      testDescription: "the disk is full", change: { $0.journalProblem = "The disk is full." }, level: .bad,
      title: "Cannot record"),
    Case(
      testDescription: "no event for minutes", change: { $0.heartbeat = now.addingTimeInterval(-151) }, level: .bad,
      title: "Not responding"),
  ]

  @Test("the summary shows whether the tracker works", arguments: cases)
  func decision(_ test: Case) throws {
    var settings = Settings()
    test.settings(&settings)
    let decision = StatusReport(try status(test.change), settings, now: now).summary
    #expect(decision.level == test.level && decision.title == test.title && !decision.detail.isEmpty)
  }

  @Test("a problem with the regions is shown, independent of the summary")
  func regions() throws {
    let problem = "The regions could not be copied: no route. There is no copy of them yet."
    #expect(try StatusReport(status { $0.regionProblem = problem }, Settings(), now: now).alerts.map(\.text) == [problem])
    #expect(try StatusReport(status(), Settings(), now: now).alerts.isEmpty)
  }

  @Test("the slider goes from a second to half an hour and off; a longer interval is a stop while it is set")
  func stops() throws {
    var settings = Settings()
    let usual = StatusReport(try status(), settings, now: now)
    #expect(usual.sendIntervals.map(\.text) == ["1s", "5s", "10s", "15s", "30s", "1m", "2m", "5m", "10m", "30m", "off"])
    settings.sendInterval = 10800
    let long = StatusReport(try status(), settings, now: now)
    #expect(long.sendInterval == "3h")
    #expect(long.sendIntervals.map(\.label).suffix(3) == ["30 min", "3 h", "Off"])
  }

  @Test(
    "an endpoint is shown without its secrets",
    arguments: [
      ("https://example.org/in?token=secret", "example.org/in"), ("https://me:secret@example.org/", "example.org"),
      ("http://127.0.0.1:8080/api/overland#secret", "127.0.0.1:8080/api/overland"), ("home", "home"),
    ])
  func names(_ name: String, _ label: String) {
    let names = EndpointLabels([EndpointID(name)])
    #expect(names.label(EndpointID(name)) == label)
    #expect(names.plain("\(name) receives records only over wifi.") == "\(label) receives records only over wifi.")
  }

  @Test(
    "a value of the table is shown with its unit",
    arguments: [
      ("main.min_distance", "10m", "10 m"), ("main.min_time", "5m", "5 min"), ("send_interval", "1s", "1 s"),
      ("retention", "1d", "1 day"), ("retention", "30d", "30 days"), ("main.desired_accuracy", "1km", "1 km"),
      ("main.desired_accuracy", "nav", "Nav"), ("authorization", "when_in_use", "When in use"), ("main.min_time", "1s", "1 s"),
    ])
  func words(_ name: String, _ word: String, _ label: String) throws {
    #expect(StatusLabels.label(word, of: try #require(Settings.entry(name))) == label)
  }

  @Test("the report has the number of quarantined records under the name of the status in JSON")
  func quarantined() throws {
    let report = StatusReport(try status { $0.quarantined = 3 }, Settings(), now: now)
    let object = try #require(JSONSerialization.jsonObject(with: JSONEncoder().encode(report)) as? [String: Any])
    #expect(object["quarantined"] as? Int == 3 && object["setAside"] == nil, "\(object)")
  }

  @Test("every setting is in the form once, with the control for its kind")
  func fields() {
    let page = SettingsForm(Settings(), [], EndpointLabels([]))
    let fields = page.sections.flatMap(\.fields)
    #expect(fields.map(\.name).sorted() == Settings.table.map(\.name).sorted())
    for (field, entry) in fields.map({ ($0, Settings.entry($0.name)) }) {
      switch entry?.kind {
      case .choice(let words): #expect(field.kind == .choice && field.labels.count == words.count)
      case .number(let numbers): #expect(field.kind == .number && field.labels.count == numbers.count)
      case .flag: #expect(field.kind == .flag)
      case .text(let length): #expect(field.kind == .text && field.length == length)
      case .list(let form): #expect(field.kind == .list && field.form == form)
      case nil: Issue.record("\(field.name) is in no table")
      }
    }
    #expect(page.presets.map(\.name) == Preset.allCases.map(\.rawValue))
  }

  private func line(_ minute: Int, _ minutes: Int, _ reason: CoverageEntry.Reason, fixes: Int = 0) -> CoverageEntry {
    CoverageEntry(start: now.addingTimeInterval(Double(minute) * 60), minutes: minutes, reason: reason, fixes: fixes)
  }

  @Test("the coverage log covers a day, joins runs that a relaunch divided, and ends with the current run")
  func coverage() {
    let written = [
      line(-1500, 100, .off, fixes: 10), line(-1400, 60, .recorded, fixes: 5), line(-1340, 40, .recorded, fixes: 2),
      line(-10, 5, .paused),
    ]
    let coverage = CoverageDay(written, current: line(-10, 8, .paused), now: now)
    #expect(coverage.to.timeIntervalSince(coverage.from) == 86400)
    #expect(coverage.lines.map(\.reason) == ["off", "recorded", "paused"])
    #expect(coverage.lines.map(\.minutes) == [40, 100, 8])
    // Of the first run, only the last 40 minutes belong to the day.
    #expect(coverage.lines.map(\.fixes) == [4, 7, 0])
    #expect(coverage.lines.first?.start == coverage.from)
  }
}
