import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("The coverage log")
struct CoverageLogTests {
  /// The lines as text: minutes since the start, number of minutes, reason, number of fixes.
  private static func text(_ lines: [CoverageEntry]) -> [String] {
    lines.map { "\(Int($0.start.timeIntervalSince(start) / 60))+\($0.minutes) \($0.reason.rawValue) \($0.fixes)" }
  }

  /// All lines, sorted by start: the stored lines, the last one for each start, and the current line.
  private static func lines(_ engine: EngineUnderTest) -> [CoverageEntry] {
    var lines: [Date: CoverageEntry] = [:]
    for line in engine.effects.coverageLines + [engine.engine.coverageEntry].compactMap({ $0 }) { lines[line.start] = line }
    return lines.values.sorted { $0.start < $1.start }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var settings: [DesiredSetting] = []
    /// Events in minute 1.
    var events: [Event]
    /// The reason of minute 1, and of the minutes after it.
    var reasons: (CoverageEntry.Reason, CoverageEntry.Reason)
  }

  private static func set(_ name: String, _ value: String) -> DesiredSetting { DesiredSetting(name: name, value: .text(value)) }

  static let cases: [Case] = [
    Case(testDescription: "no events", events: [], reasons: (.noSignal, .noSignal)),
    Case(testDescription: "a fix", events: [.fixes([fix(70)])], reasons: (.recorded, .noSignal)),
    Case(
      testDescription: "an invalid position", events: [.fixes([fix(70, accuracy: -1)])], reasons: (.invalid, .noSignal)),
    Case(
      testDescription: "too inaccurate", settings: [set("main.max_accuracy", "10m")],
      events: [.fixes([fix(70, accuracy: 11)])], reasons: (.tooInaccurate, .noSignal)),
    Case(
      testDescription: "too near", settings: [set("main.min_distance", "500m")], events: [.fixes([fix(70)])],
      reasons: (.tooNear, .noSignal)),
    Case(
      testDescription: "too soon", settings: [set("main.min_time", "5m")], events: [.fixes([fix(70)])],
      reasons: (.tooSoon, .noSignal)),
    Case(
      testDescription: "a fix explains more than one that was dropped", settings: [set("main.max_accuracy", "10m")],
      events: [.fixes([fix(70, accuracy: 11), fix(71, accuracy: 5), fix(72, accuracy: 11)])],
      reasons: (.recorded, .noSignal)),
    Case(testDescription: "tracking off", events: [.stop], reasons: (.off, .off)),
    Case(testDescription: "no permission", events: [.authorizationChanged(.denied)], reasons: (.noPermission, .noPermission)),
    Case(testDescription: "restricted", events: [.authorizationChanged(.restricted)], reasons: (.noPermission, .noPermission)),
    Case(testDescription: "a pause", events: [.paused], reasons: (.paused, .paused)),
    Case(testDescription: "a pause that is over", events: [.paused, .resumed], reasons: (.noSignal, .noSignal)),
    Case(
      testDescription: "significant changes only", settings: [set("main.tracking_mode", "significant")], events: [],
      reasons: (.notAsked, .notAsked)),
    Case(
      testDescription: "nothing is tracked", settings: [set("main.tracking_mode", "off")], events: [], reasons: (.off, .off)),
    Case(
      testDescription: "only visits",
      settings: [
        set("main.tracking_mode", "off"), DesiredSetting(name: "main.visit_tracking", value: .flag(true)),
      ], events: [], reasons: (.notAsked, .notAsked)),
    Case(
      testDescription: "permission only while in use", events: [.authorizationChanged(.whenInUse)],
      reasons: (.noSignal, .noSignal)),
  ]

  @Test("every minute has its reason", arguments: cases)
  func reasons(_ example: Case) {
    var engine = EngineUnderTest()
    engine.fixes(5, accuracy: 5)
    engine.send(.tick, 60)
    engine.send(.settingsSet(example.settings), 61)
    for event in example.events { engine.send(event, 70) }
    engine.send(.tick, 120)
    engine.send(.tick, 300)
    let first = CoverageEntry.Reason.recorded
    var expected = ["0+1 recorded 1", "1+1 \(example.reasons.0.rawValue) ", "2+3 \(example.reasons.1.rawValue) 0"]
    expected[1] += example.reasons.0 == first ? "1" : "0"
    if example.reasons.0 == example.reasons.1 {
      expected = [expected[0], "1+4 \(example.reasons.0.rawValue) 0"]
    } else if example.reasons.0 == first {
      expected = ["0+2 recorded 2", expected[2]]
    }
    #expect(Self.text(Self.lines(engine)) == expected)
    #expect(engine.engine.coverageEntry?.end == at(300))
  }

  @Test("a run of minutes with one reason is one line, however long")
  func compressed() {
    var engine = EngineUnderTest()
    for second in stride(from: 0.0, to: day, by: 10) { engine.fixes(second) }
    engine.send(.paused, day)
    for minute in 1...600 { engine.send(.tick, day + Double(minute) * 60) }
    #expect(Self.text(Self.lines(engine)) == ["0+1440 recorded 8640", "1440+600 paused 0"])
  }

  @Test("a continuing run is written every five minutes, so that a later launch knows its length")
  func written() {
    var engine = EngineUnderTest()
    for minute in 1...4 { #expect(engine.send(.tick, Double(minute) * 60).coverageLines.isEmpty) }
    #expect(Self.text(engine.send(.tick, 300).coverageLines) == ["0+5 no_signal 0"])
    for minute in 6...9 { #expect(engine.send(.tick, Double(minute) * 60).coverageLines.isEmpty) }
    #expect(Self.text(engine.send(.tick, 600).coverageLines) == ["0+10 no_signal 0"])
  }

  @Test("a termination stores the log; the time until the relaunch has the reason killed, or off", arguments: [true, false])
  func relaunch(_ wasTracking: Bool) {
    var engine = EngineUnderTest()
    if !wasTracking { engine.send(.stop, 1) }
    engine.send(.tick, 120)
    #expect(engine.send(.willTerminate, 185).coverageLines.last?.end == at(180))
    var second = engine.relaunched(hour)
    second.send(.authorizationChanged(.always), hour)
    second.send(.tick, hour + 600)
    // The gap is stored as soon as the program runs again.
    #expect(Self.text(second.effects.coverageLines).first == (wasTracking ? "3+57 killed 0" : "3+57 off 0"))
    #expect(Self.text(Self.lines(second)) == (wasTracking ? ["3+57 killed 0", "60+10 no_signal 0"] : ["3+67 off 0"]))
  }

  @Test("a program that is killed in its first minute leaves no gap: its start is stored at once")
  func killedAtOnce() {
    let engine = EngineUnderTest()
    #expect(Self.text(engine.effects.coverageLines) == ["0+0 off 0"])
    var second = engine.relaunched(hour)
    second.send(.tick, hour + 60)
    #expect(Self.lines(second).first?.start == start)
  }

  @Test("a program that did not run although it should have reports it at the next run, with the duration")
  func gap() {
    func launched(after seconds: Double, wasTracking: Bool = true, notifies: Bool = true) -> Notice? {
      var settings = Settings()
      settings.notifies = notifies
      var engine = EngineUnderTest(unlaunched: settings)
      var launch = Launch(wasTracking: wasTracking, waiting: [:])
      launch.coverageEnd = at(0)
      return engine.send(.launched(launch), seconds).notice(.gap)
    }
    #expect(launched(after: 900) == nil)
    #expect(launched(after: 3000)?.body == "The tracker did not run for 50 minutes. Nothing was recorded in that time.")
    #expect(launched(after: 3 * hour)?.body.contains("for 3 hours") == true)
    #expect(launched(after: 5 * day)?.body.contains("for 5 days") == true)
    #expect(launched(after: 3000, wasTracking: false) == nil && launched(after: 3000, notifies: false) == nil)
  }

  @Test("a long time without events has the reason that applied before it")
  func asleep() {
    var engine = EngineUnderTest()
    engine.send(.paused, 30)
    engine.fixes(7 * hour)
    engine.send(.tick, 7 * hour + 60)
    #expect(Self.text(Self.lines(engine)) == ["0+420 paused 0", "420+1 recorded 1"])
  }

  @Test("no minute is stored twice after the clock was set back")
  func clock() {
    var engine = EngineUnderTest()
    engine.send(.tick, hour)
    engine.fixes(60)
    engine.send(.tick, 120)
    engine.send(.tick, hour + 120)
    #expect(Self.text(Self.lines(engine)) == ["0+60 no_signal 0", "60+1 recorded 1", "61+1 no_signal 0"])
  }

  @Test("the log continues after a clock that was years ahead is set back, also across a relaunch", arguments: [false, true])
  func ahead(_ isRelaunched: Bool) {
    var engine = EngineUnderTest()
    engine.send(.tick, hour)
    engine.send(.tick, 9000 * day)
    engine.send(.tick, 9000 * day + 600)
    if isRelaunched {
      var settings = Launch(wasTracking: true, waiting: [:])
      settings.coverageEnd = at(9000 * day + 600)
      engine = EngineUnderTest(unlaunched: Settings())
      engine.send(.launched(settings), 2 * hour)
    }
    let back = engine.send(.tick, 2 * hour).coverageLines
    #expect(Self.text((isRelaunched ? engine.effects.coverageLines : back).suffix(1)).first?.hasPrefix("120+0") == true)
    engine.fixes(2 * hour + 10)
    engine.send(.tick, 2 * hour + 600)
    #expect(engine.engine.coverageEntry?.end == at(2 * hour + 600))
    #expect(engine.effects.coverageLines.contains { $0.start == at(2 * hour) && $0.minutes == 1 })
  }

  @Test("a clock that is years behind for a while adds lines at its own time, and none that overlap existing lines")
  func behind() {
    var engine = EngineUnderTest()
    engine.send(.tick, hour)
    engine.send(.tick, -400 * day)
    engine.send(.tick, -400 * day + 300)
    let lines = engine.send(.tick, hour + 600).coverageLines
    #expect(lines.allSatisfy { $0.end <= at(-399 * day) || $0.start >= at(hour) })
    #expect(engine.engine.coverageEntry?.start == at(hour) && engine.engine.coverageEntry?.minutes == 10)
  }

  @Test("reasons are sorted by precedence")
  func order() {
    #expect(CoverageEntry.Reason.allCases == CoverageEntry.Reason.allCases.sorted())
    #expect(CoverageEntry.Reason.allCases.suffix(2) == [.recorded, .lost] && CoverageEntry.Reason.allCases.first == .off)
  }
}
