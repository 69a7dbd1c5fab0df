import CoreLocation
import Foundation
import GodwitTesting
import Testing

/// Scenarios of beacons, streams, sessions and accuracy, of apps that use Core Location directly.
@Suite("Scenarios: services of newer systems, and beacons")
struct SystemScenarioTests {
  private static let circle = CLMonitor.CircularGeographicCondition(
    center: CLLocationCoordinate2D(latitude: Route.home.latitude, longitude: Route.home.longitude), radius: 150)
  private static let house = UUID()

  /// An app that follows the device with live updates. It holds a background session in the launches for which `hasSession` is true.
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
    "2: live updates pause at rest and resume with motion",
    arguments: [SystemVersion.ios17, .ios26])
  func liveUpdates(system: SystemVersion) throws {
    let scenario = try Scenario(text: "title Live\ndrive 5m east\nstay 25m suburb\ndrive 10m east")
    let diary = Diary()
    _ = scenario.run(on: system, app: following(diary) { _ in true }, eventRecorder: EventRecorder())
    let places = diary.times("place")
    #expect(diary.times("still").count == 1, "\(diary.times("still"))")
    #expect(places.filter { $0 < 300 }.count > 280)
    #expect(places.filter { (1_200...1_790).contains($0) }.count < 20, "at rest")
    #expect(places.filter { (2_000...2_400).contains($0) }.count > 380, "in motion again")
  }

  @Test(
    "9b: a monitor created at the launch receives the event of its condition; without it, the condition is dropped",
    arguments: [true, false])
  func monitor(isRecreated: Bool) throws {
    let scenario = try Scenario(text: "title Monitor\nstay 10m\n08:10 kill\nwalk 30m north\nstay 10m\n08:40 kill\n08:45 open")
    let diary = Diary()
    let app = PhoneApp { launch in
      let manager = CLLocationManager()
      manager.requestAlwaysAuthorization()
      diary.record("launched \(launch.reason.rawValue)", at: launch.environment.now())
      guard launch.reason == .opened || isRecreated else { return manager }
      let monitor = await CLMonitor("Home")
      if await monitor.identifiers.isEmpty { await monitor.add(Self.circle, identifier: "home") }
      for try await event in await monitor.events { diary.record("\(event.state)", at: launch.environment.now()) }
      return manager
    }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("launched region").count == 1, "\(diary.entries)")
    #expect(diary.times("unsatisfied").isEmpty != isRecreated, "\(diary.entries)")
    // The first event precedes the response to the permission request.
    #expect(diary.times("unmonitored").count == (isRecreated ? 1 : 2), "\(diary.entries)")
  }

  @Test(
    "19: a beacon with a long interval causes repeated exits, and one with a short interval a single exit",
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

  @Test("29: temporary full accuracy ends in the background", arguments: [SystemVersion.ios14, .ios18, .ios26])
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
      // Ten minutes on the clock of the simulated phone.
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
    #expect(exact(610, 890) > 200, "granted while the app is in use")
    #expect(exact(1_520, 1_790) == 0, "ended in the background")
  }

  @Test("37: since iOS 18 an app that requires a session receives no positions without it")
  func noSession() throws {
    var scenario = try Scenario(text: "title Promised\nanswer while-using\nwalk 5m north")
    scenario.declarations.requiresServiceSession = true
    let diary = Diary()
    _ = scenario.run(app: following(diary) { _ in true }, eventRecorder: EventRecorder())
    #expect(diary.times("place").isEmpty && !diary.times("no session").isEmpty)
  }

  @Test(
    "38: a killed app continues only if it creates its background session again at launch",
    arguments: [true, false])
  func backgroundSession(isRecreated: Bool) throws {
    let scenario = try Scenario(text: "title Session\nanswer while-using\ndrive 20m east\n08:05 kill\n08:10 kill")
    let diary = Diary()
    let app = following(diary) { reason in reason == .opened || isRecreated }
    _ = scenario.run(app: app, eventRecorder: EventRecorder())
    #expect(diary.times("launched").count == (isRecreated ? 3 : 2))
    #expect(diary.times("place").filter { $0 > 900 }.isEmpty != isRecreated)
  }
}
