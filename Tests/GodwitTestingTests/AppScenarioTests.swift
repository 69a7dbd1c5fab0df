import CoreLocation
import GodwitTesting
import Testing

/// Scenarios of apps other than the tracker, which use Core Location directly.
@Suite("Scenarios: other apps")
struct AppScenarioTests {
  @Test(
    "3: since iOS 16.4 an app with a distance filter is suspended at each traffic light", arguments: SystemVersion.phones)
  func filteredUpdates(system: SystemVersion) throws {
    let scenario = try Scenario(
      text: """
        title   Lights
        08:00   home
        drive   3m east
        stay    100s suburb
        drive   3m east
        expect  app suspended at 08:04 on ios16 ios17 ios18 ios26
        expect  app running at 08:04 on ios12 ios13 ios14 ios15 ios15.3
        # The first position that passes the filter wakes the app.
        expect  position within 200 m at 08:07
        """)
    let eventRecorder = EventRecorder()
    let app = PhoneApp { launch in
      let recorder = Recorder(launch, Diary(), eventRecorder: eventRecorder)
      recorder.record(filter: 10)
      return recorder
    }
    let outcome = scenario.run(on: system, app: app, eventRecorder: eventRecorder)
    #expect(outcome.failures.isEmpty, "\(outcome)")
  }

  @Test(
    "7: an app launched by a significant change receives no positions unless it starts the service again",
    arguments: [false, true])
  func restartsService(startsAgain: Bool) throws {
    let scenario = try Scenario(text: "title Forgetful\nstay 5m\n08:05 kill\ndrive 30m east\nexpect launches at least 1")
    let diary = Diary()
    let eventRecorder = EventRecorder()
    let app = PhoneApp { launch in
      guard launch.reason == .opened || startsAgain else { return nil }
      let recorder = Recorder(launch, diary, eventRecorder: launch.reason == .opened ? nil : eventRecorder)
      recorder.manager.startMonitoringSignificantLocationChanges()
      return recorder
    }
    let outcome = scenario.run(app: app, eventRecorder: eventRecorder)
    #expect(outcome.failures.isEmpty, "\(outcome)")
    #expect(eventRecorder.fixes.isEmpty != startsAgain)
  }

  @Test("20: the departure of a stay that began before monitoring has no arrival date")
  func departureAlone() throws {
    let scenario = try Scenario(text: "title Late\nstay 40m\ndrive 20m east\nstay 1m")
    let diary = Diary()
    let app = PhoneApp { launch in
      let recorder = Recorder(launch, diary)
      recorder.record()
      // Half an hour on the clock of the simulated phone.
      try await launch.environment.sleep(1_800)
      recorder.manager.startMonitoringVisits()
      return recorder
    }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.entries.map(\.text).filter { $0.contains("arriv") } == ["departed, arrival ?"])
  }

  @Test("42: one of two managers pauses and the other continues, and both receive the visit")
  func twoManagers() throws {
    let scenario = try Scenario(text: "title Two\ndrive 5m east\n08:04 pause\nstay 20m suburb")
    let diary = Diary()
    let app = PhoneApp { launch in
      let (first, second) = (Recorder(launch, diary, name: "first"), Recorder(launch, diary, name: "second"))
      first.record(pauses: true)
      second.record()
      second.manager.startMonitoringVisits()
      return [first, second]
    }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("first paused").count == 1 && diary.times("second paused").isEmpty)
    #expect((diary.times("first simulated").max() ?? 0) < 245)
    #expect((diary.times("second simulated").max() ?? 0) > 1_490)
    #expect(diary.times("first arrived").count == 1 && diary.times("second arrived").count == 1)
  }

  @Test("45: positions of the simulated phone are marked as simulated by software")
  func simulated() throws {
    let diary = Diary()
    let app = PhoneApp { launch in
      let recorder = Recorder(launch, diary)
      recorder.record()
      return recorder
    }
    _ = try Scenario(text: "title Flag\nwalk 1m north").run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("simulated").count > 50 && diary.times("measured").isEmpty)
  }
}
