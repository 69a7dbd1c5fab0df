import CoreLocation
import GodwitTesting
import Testing

/// Scenarios 11 to 18 and 57: an app that monitors circles.
@Suite("Scenarios: regions of an app")
struct RegionScenarioTests {
  /// Runs a scenario with an app that monitors circles as soon as the user permits the location.
  private func run(_ text: String, on system: SystemVersion = .ios18, _ circles: [CLCircularRegion]) throws -> Diary {
    let scenario = try Scenario(text: "title circles\n" + text)
    let diary = Diary()
    let app = PhoneApp { launch in
      Recorder(launch, diary) { manager in
        manager.startMonitoringSignificantLocationChanges()
        for circle in circles { manager.startMonitoring(for: circle) }
      }
    }
    let outcome = scenario.run(on: system, app: app, eventRecorder: EventRecorder())
    #expect(outcome.failures.isEmpty, "\(outcome)")
    #expect(circles.count > 20 || !diary.entries.contains { $0.text.hasPrefix("failed") }, "\(diary.entries)")
    return diary
  }

  @Test(
    "11: a short trip within the cushion causes no exit, nor does one that ends within twenty seconds",
    arguments: SystemVersion.phones)
  func shortErrand(system: SystemVersion) throws {
    let text = "stay 10m\nwalk 150s at 1.4 m/s north\nwalk 150s at 1.4 m/s south\nstay 20m"
    let diary = try run(text, on: system, [Recorder.circle("home", radius: 200)])
    #expect(diary.times("left home").isEmpty, "\(diary.entries)")
  }

  @Test("12: an exit is reported once, beyond the boundary and minutes after the crossing", arguments: SystemVersion.phones)
  func lateExit(system: SystemVersion) throws {
    let diary = try run("stay 10m\nwalk 30m at 1.4 m/s north", on: system, [Recorder.circle("home", radius: 150)])
    let exits = diary.times("left home")
    let exit = try #require(exits.first)
    #expect(exits.count == 1 && diary.times("entered home").isEmpty)
    // The distance beyond the boundary, and the seconds since the crossing, at the time of the report.
    #expect((exit - 600) * 1.4 - 150 > 50)
    #expect((20...600).contains(exit - 600 - 150 / 1.4), "\(exit)")
  }

  @Test("13: a circle of 20 m is monitored as one of 100 m, so its events are reported outside of it")
  func smallCircle() throws {
    let near = try run("stay 10m\nwalk 60s at 1.2 m/s north\nstay 30m", [Recorder.circle("door", radius: 20)])
    #expect(near.times("left door").isEmpty)
    let back = "stay 10m\nwalk 10m at 1.4 m/s north\nstay 10m\nwalk 10m at 1.4 m/s south\nstay 20m"
    let far = try run(back, [Recorder.circle("door", radius: 20)])
    #expect(far.times("left door").count == 1 && far.times("entered door").count == 1, "\(far.entries)")
  }

  @Test("14: a phone at rest has an exit and an entry with cell positions only, and none with Wi-Fi")
  func falseExit() throws {
    let circle = Recorder.circle("home", radius: 200)
    #expect(try run("stay 4h", [circle]).times("left home").isEmpty)
    let diary = try run("stay 30m\n08:15 wifi off\n09:00 wifi on\nstay 3h30m", [circle])
    #expect(diary.times("left home").count == 1 && diary.times("entered home").count == 1, "\(diary.entries)")
  }

  @Test("16: the twenty-first circle fails, and the twenty others are monitored")
  func tooMany() throws {
    let circles = (1...21).map { Recorder.circle("\($0)", radius: 400, north: Double($0) * 1_000) }
    let diary = try run("stay 10m\nwalk 25m at 1.4 m/s north\nstay 10m", circles)
    #expect(diary.entries.map(\.text).filter { $0.hasPrefix("failed") } == ["failed 21 5"])
    #expect(diary.times("entered 1").count == 1 && diary.times("entered 2").count == 1, "\(diary.entries)")
  }

  @Test("18: monitoring a circle around the device causes no entry, and a state request reports inside")
  func insideAlready() throws {
    let scenario = try Scenario(text: "title inside\ncloses never\nstay 20m")
    let diary = Diary()
    let app = PhoneApp { launch in
      let recorder = Recorder(launch, diary)
      recorder.record()
      // Two minutes on the clock of the simulated phone.
      try await launch.environment.sleep(120)
      let circle = Recorder.circle("home", radius: 200)
      recorder.manager.startMonitoring(for: circle)
      recorder.manager.requestState(for: circle)
      return recorder
    }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("entered home").isEmpty)
    #expect(diary.times("inside home").count == 1, "\(diary.entries.filter { $0.text != "measured" && $0.text != "simulated" })")
  }

  @Test("57: positions on both sides of a circle's edge cause no repeated entries and exits")
  func atTheEdge() throws {
    let diary = try run("stay 4h", [Recorder.circle("office", radius: 150, north: 150)])
    let crossings = diary.entries.filter { $0.text.hasPrefix("left") || $0.text.hasPrefix("entered") }
    #expect(crossings.count <= 2, "\(crossings)")
  }
}
