import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Pauses")
struct PauseTests {
  @Test(
    "a pause is recorded and notified if the settings require it, and all records are sent", arguments: [true, false])
  func pause(_ isWanted: Bool) {
    var engine = EngineUnderTest {
      $0.includesTrackingStats = isWanted
      $0.notifies = isWanted
    }
    engine.fixes(0)
    let effects = engine.send(.paused, 300)
    #expect(effects.actions == (isWanted ? ["paused_location_updates"] : []))
    #expect(effects.notices == (isWanted ? [.pause] : []))
    #expect(effects.uploads == [home])
    #expect(engine.engine.pausedSince == at(300))
    let resumed = engine.send(.resumed, 400)
    #expect(resumed.actions == (isWanted ? ["resumed_location_updates"] : []))
    #expect(resumed.notices == (isWanted ? [.pause] : []))
    #expect(engine.engine.pausedSince == nil)
  }

  @Test("the record of a pause has the last known position, if there is one")
  func place() {
    var engine = EngineUnderTest { $0.includesTrackingStats = true }
    #expect(engine.send(.paused, 1).records.first?.kind == .action(Action(time: at(1), name: "paused_location_updates")))
    engine.send(.resumed, 2)
    engine.fixes(3)
    let action = Action(time: at(4), name: "paused_location_updates", coordinate: fix(3).coordinate)
    #expect(engine.send(.paused, 4).records.first?.kind == .action(action))
  }

  @Test(
    "a region around the position is monitored, with the radius of the settings", arguments: [nil, 100.0, 200, 500, 1000, 2000])
  func region(_ radius: Double?) {
    var engine = EngineUnderTest { $0.main.resumeRadius = radius }
    engine.fixes(0, north: 30)
    let effects = engine.send(.paused, 300)
    #expect(effects.contains { if case .watchExit = $0 { true } else { false } } == (radius != nil))
    if let radius { #expect(effects.contains(.watchExit(fix(0, north: 30).coordinate, radius: radius))) }
  }

  @Test("without a position there is nothing to monitor")
  func noPlace() {
    var engine = EngineUnderTest { $0.main.resumeRadius = 100 }
    #expect(!engine.send(.paused, 1).contains { if case .watchExit = $0 { true } else { false } })
    #expect(engine.send(.leftRegion, 2).isEmpty)
  }

  @Test("leaving the region records an event, stops monitoring, and restarts location updates with the same settings")
  func leave() {
    var engine = EngineUnderTest {
      $0.main.resumeRadius = 100
      $0.main.desiredAccuracy = .best
      $0.includesTrackingStats = true
      $0.notifies = true
    }
    engine.fixes(0)
    engine.send(.paused, 300)
    let effects = engine.send(.leftRegion, 900)
    #expect(effects.actions == ["exited_pause_region"])
    #expect(effects.contains(.stopWatchingExit))
    #expect(effects.configurations == [LocationRequest(engine.engine.settings.main)])
    #expect(effects.notice(.pause)?.title == "Tracking resumed")
    #expect(engine.engine.pausedSince == nil)
    #expect(engine.send(.leftRegion, 901).isEmpty)
  }

  @Test("monitoring stops when the system resumes updates, when tracking is turned off, and when the setting is turned off")
  func stopsWatching() {
    for event in [Event.resumed, .stop, .settingsSet([DesiredSetting(name: "main.resume_with_geofence", value: .text("off"))])] {
      var engine = EngineUnderTest { $0.main.resumeRadius = 100 }
      engine.fixes(0)
      engine.send(.paused, 300)
      #expect(engine.send(event, 400).filter { $0 == .stopWatchingExit }.count == 1)
      #expect(engine.send(.leftRegion, 500).configurations.isEmpty)
    }
  }

  @Test("another radius applies at once during a pause")
  func otherRadius() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.paused, 300)
    for (word, radius) in [("100m", 100.0), ("2km", 2000)] {
      let effects = engine.send(.settingsSet([DesiredSetting(name: "main.resume_with_geofence", value: .text(word))]), 400)
      #expect(effects.contains(.watchExit(fix(0).coordinate, radius: radius)))
    }
  }

  @Test("a region that the system still monitors is recognised after a relaunch")
  func relaunch() {
    var engine = EngineUnderTest {
      $0.main.resumeRadius = 100
      $0.includesTrackingStats = true
    }
    engine.fixes(0)
    engine.send(.paused, 300)
    var second = engine.relaunched(hour)
    let effects = second.send(.leftRegion, hour + 1)
    #expect(effects.actions == ["exited_pause_region"] && effects.contains(.stopWatchingExit))
  }

  @Test("a repeated pause and a pause while tracking is off are ignored")
  func twice() {
    var engine = EngineUnderTest { $0.includesTrackingStats = true }
    engine.send(.paused, 1)
    #expect(engine.send(.paused, 2).isEmpty)
    #expect(engine.engine.pausedSince == at(1))
    engine.send(.stop, 3)
    #expect(engine.send(.paused, 4).isEmpty && engine.send(.resumed, 5).isEmpty)
    #expect(engine.engine.pausedSince == nil)
  }

  @Test("a pause does not shorten a server's Retry-After")
  func retryAfter() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    engine.send(.uploadFinished(home, .failed(reason: "busy", retryAfter: 900, jitter: 0)), 1)
    #expect(engine.send(.paused, 300).uploads.isEmpty)
    #expect(engine.send(.timerFired(.send(home)), 901).uploads == [home])
  }
}

@Suite("The reminder that tracking has stopped")
struct ReminderTests {
  private func engine(_ change: (inout Settings) -> Void = { _ in }) -> EngineUnderTest {
    EngineUnderTest {
      $0.notifies = true
      change(&$0)
    }
  }

  @Test("the reminder is scheduled when tracking begins, and postponed by every update: at least ten minutes without updates")
  func pushed() throws {
    var engine = engine()
    #expect(engine.effects.scheduled(.noPositions) == 610)
    var last = 610.0
    for second in 1...100 {
      last = engine.fixes(Double(second)).scheduled(.noPositions) ?? last
      #expect(last >= Double(second) + 600 && last <= Double(second) + 610)
    }
    #expect(
      engine.effects.filter { if case .notify(let notice, _) = $0 { notice.kind == .noPositions } else { false } }.count <= 11)
    #expect(engine.effects.notice(.noPositions)?.title == "Tracking has stopped")
  }

  @Test("fixes that are filtered out are updates as well")
  func filtered() {
    var engine = engine { $0.main.minimumDistance = 500 }
    engine.fixes(0)
    #expect(engine.fixes(300).scheduled(.noPositions) == 910)
  }

  @Test("a relaunched program postpones the reminder that the former process scheduled")
  func relaunch() {
    #expect(engine().relaunched(100).effects.scheduled(.noPositions) == 710)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var event: Event
    var back: Event?
  }

  @Test(
    "while no updates are expected the reminder is withdrawn, and afterwards it is scheduled again",
    arguments: [
      Case(testDescription: "a pause", event: .paused, back: .resumed),
      Case(testDescription: "tracking off", event: .stop, back: .start),
      Case(
        testDescription: "significant changes only",
        event: .settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("significant"))]),
        back: .settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("both"))])),
      Case(
        testDescription: "visits only", event: .settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("off"))]),
        back: .startTrip(nil)),
      Case(
        testDescription: "no notices", event: .settingsSet([DesiredSetting(name: "notifications", value: .flag(false))]),
        back: .settingsSet([DesiredSetting(name: "notifications", value: .flag(true))])),
    ])
  func withdrawn(_ example: Case) throws {
    var engine = engine()
    engine.fixes(10)
    #expect(engine.send(example.event, 100).contains(.withdraw(.noPositions)))
    #expect(engine.send(.tick, 160).scheduled(.noPositions) == nil)
    #expect(engine.send(try #require(example.back), 200).scheduled(.noPositions) == 810)
  }

  @Test("the end of a trip withdraws the reminder if tracking is turned off or returns to significant changes")
  func tripEnd() {
    var off = engine()
    off.send(.stop, 1)
    #expect(off.send(.startTrip(nil), 10).scheduled(.noPositions) == 620)
    #expect(off.finishTrip(at: 60).contains(.withdraw(.noPositions)))
    var significant = engine { $0.main.trackingMode = .significant }
    #expect(significant.send(.startTrip(nil), 10).scheduled(.noPositions) == 620)
    #expect(significant.finishTrip(at: 60).contains(.withdraw(.noPositions)))
  }

  @Test("without notices nothing is ever scheduled or shown")
  func offline() {
    var engine = EngineUnderTest {
      $0.main.tracksVisits = true
      $0.main.resumeRadius = 100
    }
    let visit = Visit(time: at(30), coordinate: fix(0).coordinate, arrival: at(20))
    let events: [Event] = [
      .fixes([fix(1)]), .startTrip(nil), .visit(visit, cached: nil), .paused, .leftRegion, .paused, .timerFired(.tripGrace),
      .stepsCounted(1), .authorizationChanged(.denied), .sendNow, .uploadFinished(home, .rejected(reason: "no", count: 1)),
      .settingsOffered(home, [DesiredSetting(name: "trip_mode", value: .text("walk"))]), .timerFired(.rollout), .stop,
    ]
    for (index, event) in events.enumerated() { engine.send(event, Double(index) * day) }
    #expect(!engine.effects.contains { if case .notify = $0 { true } else { false } })
  }
}

@Suite("Notices")
struct NoticeTests {
  @Test(
    "a missing permission is notified once, and withdrawn when it is granted", arguments: [Authorization.denied, .restricted])
  func permission(_ authorization: Authorization) {
    var engine = EngineUnderTest { $0.notifies = true }
    #expect(engine.send(.authorizationChanged(authorization), 1).notices == [.authorization])
    #expect(engine.send(.authorizationChanged(authorization), 2).notices.isEmpty)
    #expect(engine.engine.locationProblem != nil)
    #expect(engine.send(.authorizationChanged(.whenInUse), 3).contains(.withdraw(.authorization)))
    #expect(engine.engine.locationProblem == nil)
  }

  @Test("a server's rejection is notified once for each reason, and withdrawn after a success")
  func delivery() {
    var engine = EngineUnderTest { $0.notifies = true }
    engine.send(.fixes((0..<10).map { fix(Double($0)) }), 0)
    engine.send(.sendNow, 1)
    #expect(engine.send(.uploadFinished(home, .unauthorized(reason: "who?", jitter: 0)), 2).notices == [.delivery])
    for round in 0..<5 {
      engine.send(.sendNow, 10 + Double(round))
      #expect(engine.send(.uploadFinished(home, .unauthorized(reason: "who?", jitter: 0)), 10 + Double(round)).notices.isEmpty)
    }
    engine.send(.sendNow, 20)
    #expect(
      engine.send(.uploadFinished(home, .rejected(reason: "bad record", count: 1)), 21).notice(.delivery)?.body == "bad record")
    engine.send(.uploadFinished(home, .quarantined(remaining: 9, jitter: 0)), 22)
    #expect(engine.accept(at: 23).contains(.withdraw(.delivery)))
    engine.fixes(30)
    engine.send(.sendNow, 30)
    #expect(!engine.accept(at: 31).contains(.withdraw(.delivery)))
  }

  @Test("a network failure is not notified")
  func network() {
    var engine = EngineUnderTest { $0.notifies = true }
    engine.fixes(0)
    engine.send(.sendNow, 1)
    #expect(engine.send(.uploadFinished(home, .failed(reason: "no network", retryAfter: nil, jitter: 0)), 2).notices.isEmpty)
  }
}
