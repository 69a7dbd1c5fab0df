import CoreLocation
import Foundation
import GodwitTesting
import Testing

/// Scenarios of beacons, streams, sessions and exactness, which need an app of their own.
@Suite("Scenarios: services of newer systems, and beacons")
struct SystemScenarioTests {
  private static let circle = CLMonitor.CircularGeographicCondition(
    center: CLLocationCoordinate2D(latitude: Route.home.latitude, longitude: Route.home.longitude), radius: 150)
  private static let house = UUID()

  /// Follows the device with live updates, and with a session that keeps it in use in the launches that `hasSession` names.
  private func following(_ diary: Diary, hasSession: @escaping @Sendable (LaunchReason) -> Bool) -> PhoneApp {
    PhoneApp { launch in
      diary.record("launched", at: launch.environment.now())
      let session = hasSession(launch.reason) ? CLBackgroundActivitySession() : nil
      for try await update in CLLocationUpdate.liveUpdates() {
        let text =
          update.serviceSessionRequired
          ? "no session" : update.isStationary ? "still" : update.location == nil ? "nothing" : "place"
        diary.record(text, at: launch.environment.now())
      }
      session?.invalidate()
      return nil
    }
  }

  @Test(
    "2: live updates pause at rest, and resume by themselves with motion",
    arguments: [SystemVersion.ios17, .ios26])
  func liveUpdates(system: SystemVersion) throws {
    let scenario = try Scenario(text: "title Live\ndrive 5m east\nstay 25m suburb\ndrive 10m east")
    let diary = Diary()
    _ = scenario.run(on: system, app: following(diary) { _ in true }, eventRecorder: EventRecorder())
    let places = diary.times("place")
    #expect(diary.times("still").count == 1, "\(diary.times("still"))")
    #expect(places.filter { $0 < 300 }.count > 280)
    #expect(places.filter { (1_200...1_790).contains($0) }.count < 20, "at rest")
    #expect(places.filter { (2_000...2_400).contains($0) }.count > 380, "on the way again")
  }

  @Test(
    "9b: a monitor that is created again at launch gets its condition's event, which is dropped without one",
    arguments: [true, false])
  func monitor(isMadeAgain: Bool) throws {
    let scenario = try Scenario(text: "title Monitor\nstay 10m\n08:10 kill\nwalk 30m north\nstay 10m\n08:40 kill\n08:45 open")
    let diary = Diary()
    let app = PhoneApp { launch in
      let manager = CLLocationManager()
      manager.requestAlwaysAuthorization()
      diary.record("launched \(launch.reason.rawValue)", at: launch.environment.now())
      guard launch.reason == .opened || isMadeAgain else { return manager }
      let monitor = await CLMonitor("Home")
      if await monitor.identifiers.isEmpty { await monitor.add(Self.circle, identifier: "home") }
      for try await event in await monitor.events { diary.record("\(event.state)", at: launch.environment.now()) }
      return manager
    }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("launched region").count == 1, "\(diary.entries)")
    #expect(diary.times("unsatisfied").isEmpty != isMadeAgain, "\(diary.entries)")
    // The first one is from before the person had answered.
    #expect(diary.times("unmonitored").count == (isMadeAgain ? 1 : 2), "\(diary.entries)")
  }

  @Test(
    "19: a beacon that advertises rarely flaps, with exits half a minute after the last sighting; one of every second does not",
    arguments: [1.0, 45])
  func beacon(interval: Double) throws {
    var scenario = try Scenario(text: "title Beacon\nstay 30m\nwalk 10m north")
    scenario.beacons = [SimulatedBeacon(uuid: Self.house, at: Route.home, interval: interval)]
    let diary = Diary()
    let app = PhoneApp { launch in
      Recorder(launch, diary) { manager in
        manager.startMonitoring(for: CLBeaconRegion(uuid: Self.house, identifier: "house"))
      }
    }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    let exits = diary.times("left house")
    #expect(interval > 30 ? exits.count > 3 : exits.count == 1, "\(diary.entries)")
    if interval == 1, let exit = exits.first { #expect((1_830...1_920).contains(exit), "\(exit)") }
  }

  @Test("29: temporary full accuracy ends when the app is left", arguments: [SystemVersion.ios14, .ios18, .ios26])
  func temporaryAccuracy(system: SystemVersion) throws {
    var scenario = try Scenario(
      text: "title Exact\ncloses never\ndrive 30m east\n08:05 precise off\n08:15 close\n08:25 open")
    scenario.declarations.fullAccuracyPurposes = ["Way"]
    let eventRecorder = EventRecorder()
    let diary = Diary()
    let app = PhoneApp { launch in
      let recorder = Recorder(launch, diary, eventRecorder: eventRecorder)
      recorder.manager.desiredAccuracy = kCLLocationAccuracyBest
      recorder.manager.startUpdatingLocation()
      // The phone's time, which costs none.
      try await launch.environment.sleep(600)
      try await recorder.manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Way")
      return recorder
    }
    let outcome = scenario.run(on: system, app: app, eventRecorder: eventRecorder)
    func exact(_ from: Double, _ to: Double) -> Int {
      outcome.track.part(.init(from: Route.morning + from, to: Route.morning + to)).fixes.count {
        ($0.horizontalAccuracy ?? 1e9) < 100
      }
    }
    #expect(exact(60, 290) > 200 && exact(330, 590) == 0)
    #expect(exact(610, 890) > 200, "given for the time that the app is used")
    #expect(exact(1_520, 1_790) == 0, "and over with it")
  }

  @Test("37: since iOS 18 an app that requires a session gets no positions without it")
  func noSession() throws {
    var scenario = try Scenario(text: "title Promised\nanswer while-using\nwalk 5m north")
    scenario.declarations.requiresServiceSession = true
    let diary = Diary()
    _ = scenario.run(app: following(diary) { _ in true }, eventRecorder: EventRecorder())
    #expect(diary.times("place").isEmpty && !diary.times("no session").isEmpty)
  }

  @Test(
    "38: an ended app continues if it creates its background session again at launch, and not otherwise",
    arguments: [true, false])
  func backgroundSession(isMadeAgain: Bool) throws {
    let scenario = try Scenario(text: "title Session\nanswer while-using\ndrive 20m east\n08:05 kill\n08:10 kill")
    let diary = Diary()
    let app = following(diary) { reason in reason == .opened || isMadeAgain }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("launched").count == (isMadeAgain ? 3 : 2))
    #expect(diary.times("place").filter { $0 > 900 }.isEmpty != isMadeAgain)
  }
}
