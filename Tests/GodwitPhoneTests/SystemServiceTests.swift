import CoreLocation
import CoreMotion
import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

/// The observations of an app, with the seconds after midnight on the clock of its phone.
private final class Notes: Sendable {
  private let lines = Mutex<[(at: Double, text: String)]>([])

  func add(_ text: String, _ launch: AppContext) {
    let seconds = launch.environment.now().timeIntervalSince(midnight.date)
    lines.withLock { $0.append((seconds, text)) }
  }

  var all: [(at: Double, text: String)] { lines.withLock { $0 } }
  var texts: [String] { all.map(\.text) }
  func times(_ text: String) -> [Double] { all.filter { $0.text == text }.map(\.at) }
}

private let homeCircle = CLMonitor.CircularGeographicCondition(
  center: CLLocationCoordinate2D(latitude: home.latitude, longitude: home.longitude), radius: 150)
private let house = UUID()

/// Reports the region events of a beacon and the beacons nearby, with the interface of iOS 8.
private final class BeaconWatcher: NSObject, CLLocationManagerDelegate, Sendable {
  private let manager = CLLocationManager()
  private let note: @Sendable (String) -> Void

  init(_ note: @escaping @Sendable (String) -> Void) {
    self.note = note
    super.init()
    manager.delegate = self
    manager.requestAlwaysAuthorization()
  }

  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    guard manager.authorizationStatus == .authorizedAlways, manager.monitoredRegions.isEmpty,
      CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self)
    else { return }
    manager.startMonitoring(for: CLBeaconRegion(uuid: house, identifier: "house"))
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    note("in \(region.identifier)")
    guard let region = region as? CLBeaconRegion else { return }
    manager.startRangingBeacons(satisfying: region.beaconIdentityConstraint)
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { note("out \(region.identifier)") }

  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    note("near " + beacons.map { "\($0.major).\($0.minor)" }.joined(separator: " "))
  }
}

@Suite("Core Location and Core Motion on the simulated phone")
struct SystemServiceTests {
  private func phone(
    _ script: String = "", system: SystemVersion = .usual, response: SimulatedPhone.PermissionResponse = .always,
    beacons: [SimulatedBeacon] = [], declarations: AppDeclarations = AppDeclarations(), app: PhoneApp
  ) throws -> SimulatedPhone {
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.system = system
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    configuration.response = response
    configuration.beacons = beacons
    configuration.declarations = declarations
    return SimulatedPhone(configuration, app: app, server: NoServer())
  }

  @Test("the beacon at home launches an ended app, which ranges it as long as the app runs")
  func beacon() throws {
    let notes = Notes()
    let app = PhoneApp { launch in
      notes.add("launched \(launch.reason.rawValue)", launch)
      return BeaconWatcher { notes.add($0, launch) }
    }
    let beacon = SimulatedBeacon(uuid: house, major: 1, minor: 2, at: home)
    let phone = try phone("+1h kill", beacons: [beacon], app: app)
    phone.run(until: at(86_400))
    let log = phone.finishLog(policy: "", route: "", day: "")
    phone.end()
    let crossings = notes.texts.filter { !$0.hasPrefix("near") }
    #expect(crossings == ["launched opened", "in house", "launched region", "out house", "in house"])
    // Away at 1.3 m/s from 08:00, and half a minute without a sighting; back at 15 m/s until 18:02:36.
    let (out, back) = (try #require(notes.times("out house").first), try #require(notes.times("in house").last))
    #expect((28_850...28_950).contains(out) && (64_930...64_970).contains(back))
    // The app runs for ten seconds in the background.
    let near = notes.times("near 1.2").filter { $0 > 60_000 }
    #expect((5...11).contains(near.count), "\(near)")
    let used = zip(EnergyPart.allCases, log.energy).first { $0.0 == .beacons }?.1 ?? .zero
    #expect(used > .joules(0.002 * 80_000) && used < .joules(0.003 * 86_400))
  }

  @Test(
    "a killed app is launched again by a significant change, a visit or a region, as requested",
    arguments: [LaunchReason.significantChange, .visit, .region])
  func relaunched(by reason: LaunchReason) throws {
    let notes = Notes()
    let app = PhoneApp { launch in
      notes.add(launch.reason.rawValue, launch)
      let sensor = LocationSensor(manager: CLLocationManager())
      sensor.connect { [weak sensor] event in
        guard case .authorizationChanged(.always) = event else { return }
        var settings = LocationSettings()
        settings.trackingMode = reason == .significantChange ? .significant : .off
        settings.tracksVisits = reason == .visit
        sensor?.configure(LocationRequest(settings))
        if reason == .region { sensor?.watchExit(of: home, radius: 200) }
      }
      sensor.requestAuthorization(.always)
      return sensor
    }
    let phone = try phone("+3h kill", app: app)
    phone.run(until: at(86_400))
    phone.end()
    #expect(notes.texts.prefix(2) == ["opened", reason.rawValue], "\(notes.texts)")
  }

  /// An app that monitors the circle at home with a `CLMonitor`.
  private static func monitoring(_ notes: Notes, forgets: Bool = false) -> PhoneApp {
    PhoneApp { launch in
      notes.add("launched \(launch.reason.rawValue)", launch)
      let manager = CLLocationManager()
      manager.requestAlwaysAuthorization()
      if forgets, launch.reason != .opened { return manager }
      let monitor = await CLMonitor("Home")
      if await monitor.identifiers.isEmpty { await monitor.add(homeCircle, identifier: "home") }
      for try await event in await monitor.events {
        let last = await monitor.record(for: "home")?.lastEvent.state
        notes.add("\(last ?? .unknown) → \(event.state)", launch)
      }
      return manager
    }
  }

  @Test(
    "a monitor's conditions and last events survive suspension, an end, and a reboot",
    arguments: ["", "+3h kill", "+3h reboot\n+3h05m unlock"])
  func monitor(script: String) throws {
    let notes = Notes()
    let phone = try phone(script, app: Self.monitoring(notes))
    phone.run(until: at(86_400))
    phone.end()
    let events = notes.texts.filter { $0.contains("→") }
    // The first event precedes the response to the permission request.
    #expect(events == ["unknown → unmonitored", "unmonitored → satisfied", "satisfied → unsatisfied", "unsatisfied → satisfied"])
    #expect(notes.texts.contains("launched region") == !script.isEmpty)
  }

  @Test("a condition is dropped if its monitor is not created in the launch that it caused")
  func lapse() throws {
    let notes = Notes()
    let phone = try phone("+3h kill\n+12h kill\n+20h open", app: Self.monitoring(notes, forgets: true))
    phone.run(until: at(86_400))
    phone.end()
    #expect(
      notes.texts == [
        "launched opened", "unknown → unmonitored", "unmonitored → satisfied", "launched region", "launched opened",
        "satisfied → unmonitored",
      ])
  }

  /// An app that follows the device with live updates, with or without sessions.
  private static func following(_ notes: Notes, background: Bool, session: Bool = false) -> PhoneApp {
    PhoneApp { launch in
      notes.add("launched \(launch.reason.rawValue)", launch)
      let sessions: [NSObject] =
        (background ? [CLBackgroundActivitySession()] : []) + (session ? [CLServiceSession(authorization: .whenInUse)] : [])
      for try await update in CLLocationUpdate.liveUpdates() {
        if update.serviceSessionRequired { notes.add("no session", launch) }
        if update.insufficientlyInUse { notes.add("not in use", launch) }
        if update.isStationary { notes.add("still", launch) } else if update.location != nil { notes.add("place", launch) }
      }
      return SessionBox(sessions: sessions)
    }
  }

  /// `@unchecked Sendable`: its contents are never read.
  private final class SessionBox: @unchecked Sendable {
    let sessions: [NSObject]
    init(sessions: [NSObject]) { self.sessions = sessions }
  }

  @Test(
    "live updates continue in the background while a session keeps the app in use; they pause at rest and continue after a kill",
    arguments: [SystemVersion.ios17, .ios18, .ios26])
  func live(system: SystemVersion) throws {
    let notes = Notes()
    let phone = try phone(
      "+9h kill", system: system, response: .whileUsing, app: Self.following(notes, background: true))
    phone.run(until: at(86_400))
    let log = phone.finishLog(policy: "", route: "", day: "")
    phone.end()
    #expect(notes.texts.filter { $0.hasPrefix("launched") } == ["launched opened", "launched liveUpdates"])
    #expect(try #require(notes.times("launched liveUpdates").first) - 32_400 < 10)
    let places = notes.times("place")
    #expect(places.filter { $0 > 32_420 && $0 < 34_000 }.count > 1_400, "after the kill")
    #expect(places.filter { $0 > 62_000 && $0 < 64_900 }.count > 2_500, "on the way back, without the user")
    #expect(places.filter { $0 > 1_800 && $0 < 28_700 }.count < 100, "at rest")
    #expect(notes.times("still").count >= 2)
    let used = zip(EnergyPart.allCases, log.energy).first { $0.0 == .satellites }?.1 ?? .zero
    #expect(used < .wattHours(1.5), "\(used.milliwattHours) mWh")
  }

  @Test("without a session, live updates stop in the background, and the foreground receives the reason")
  func notInUse() throws {
    let notes = Notes()
    let phone = try phone(
      "+9h open\n+9h02m close", response: .whileUsing, app: Self.following(notes, background: false))
    phone.run(until: at(86_400))
    phone.end()
    #expect(notes.texts.contains("not in use"))
    let places = notes.times("place")
    #expect(places.allSatisfy { $0 < 20 || (32_399...32_530).contains($0) }, "\(places.filter { $0 > 33_000 }.count)")
    #expect(places.filter { $0 > 32_399 }.count > 100)
  }

  @Test("an app that requires a session receives no positions without it", arguments: [true, false])
  func required(session: Bool) throws {
    var declarations = AppDeclarations()
    declarations.requiresServiceSession = true
    let notes = Notes()
    let phone = try phone(
      response: .whileUsing, declarations: declarations, app: Self.following(notes, background: true, session: session))
    phone.run(until: at(600))
    phone.end()
    #expect(notes.texts.contains("no session") == !session)
    #expect(notes.times("place").isEmpty == !session)
  }

  @Test("the motion chip keeps its history across launches, counts steps, and returns an error without permission")
  func motion() throws {
    let notes = Notes()
    let app = PhoneApp { launch in
      let now = launch.environment.now()
      let chip = CMMotionActivityManager()
      do {
        let seen = try await chip.queryActivityStarting(from: now - 7_200, to: now, to: .main)
        notes.add(seen.map { $0.walking ? "walking" : $0.automotive ? "driving" : "still" }.joined(separator: " "), launch)
      } catch {
        notes.add("error \((error as NSError).code)", launch)
      }
      CMPedometer().queryPedometerData(from: now - 7_200, to: now) { data, error in
        notes.add(data.map { "\($0.numberOfSteps) steps" } ?? "error \((error as NSError?)?.code ?? 0)", launch)
      }
      return nil
    }
    let phone = try phone("+9h kill\n+9h10m open\n+9h20m motion off\n+9h21m kill\n+9h22m open", app: app)
    phone.run(until: at(36_000))
    phone.end()
    try #require(notes.texts.count == 6)
    #expect(notes.texts[2].split(separator: " ").filter { $0 != "still" } == ["walking", "driving"])
    let steps = try #require(Int(notes.texts[3].dropLast(" steps".count)))
    // Half an hour of walking.
    #expect((3_000...3_400).contains(steps))
    #expect(Array(notes.texts.suffix(2)) == ["error 105", "error 105"])
  }

  // iOS ends an app that reads the pedometer without NSMotionUsageDescription.
  @Test("a sensor without motion never reads the pedometer, a sensor with motion does", arguments: [true, false])
  func pedometer(isRead: Bool) throws {
    let notes = Notes()
    let app = PhoneApp { launch in
      let now = launch.environment.now()
      let sensor = LocationSensor(manager: CLLocationManager(), motion: isRead ? CMMotionActivityManager() : nil)
      notes.add("\(await sensor.steps(from: now - 7_200, to: now) ?? -1)", launch)
      return nil
    }
    let phone = try phone("+9h kill\n+9h10m open", app: app)
    phone.run(until: at(36_000))
    phone.end()
    let steps = notes.texts.compactMap { Int($0) }
    #expect(steps.count == 2 && (steps.last ?? -1 > 0) == isRead, "\(steps)")
    if !isRead { #expect(steps == [-1, -1]) }
  }

  @Test("the app receives the reports of a flickering chip unchanged")
  func flicker() throws {
    let notes = Notes()
    let app = PhoneApp { launch in
      let chip = CMMotionActivityManager()
      chip.startActivityUpdates(to: .main) { activity in
        guard let activity, !(activity.stationary && !activity.automotive) else { return }
        notes.add("\(activity.automotive) \(activity.stationary) \(activity.unknown)", launch)
      }
      return chip
    }
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.start = midnight
    configuration.closesAfter = nil
    configuration.hazards = try HazardScript(text: "+60s flicker driving+stationary 20s\n+120s flicker unknown 5s")
    let phone = SimulatedPhone(configuration, app: app, server: NoServer())
    phone.run(until: at(600))
    phone.end()
    #expect(notes.all.map { Int($0.at) } == [60, 120] && notes.texts == ["true true false", "false false true"])
  }

  @Test("location services that are off for all apps are reported as denied globally", arguments: [true, false])
  func switchedOff(isOff: Bool) throws {
    let notes = Notes()
    let app = PhoneApp { launch in
      notes.add("\(CLLocationManager.locationServicesEnabled())", launch)
      let session = CLServiceSession(authorization: .whenInUse)
      for try await diagnostic in session.diagnostics where !diagnostic.authorizationRequestInProgress {
        notes.add("\(diagnostic.authorizationDenied) \(diagnostic.authorizationDeniedGlobally)", launch)
      }
      return nil
    }
    let phone = try phone(isOff ? "+60s services off" : "+60s permission denied", app: app)
    phone.run(until: at(30))
    phone.apply(.open)
    phone.run(until: at(100))
    phone.end()
    #expect(notes.texts == ["true", "false false", "true \(isOff)"])
  }

  @Test("the rules of a phone apply to any position source", .timeLimit(.minutes(20)), arguments: [SystemVersion.ios18, .linux])
  func rules(system: SystemVersion) async {
    let daemon = LocationDaemon(source: OnePlace(), system: system, authorization: .authorizedAlways)
    let (states, continuation) = AsyncStream<CLRegionState>.makeStream()
    let delegate = StateWatcher { continuation.yield($0) }
    let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "rules"))
    manager.delegate = delegate
    manager.startUpdatingLocation()
    await daemon.finished()
    manager.requestState(for: CLCircularRegion(center: homeCircle.center, radius: 10, identifier: "small"))
    for await state in states {
      // A phone enlarges a radius of less than 100 m to 100 m.
      #expect(state == (system == .linux ? .outside : .inside))
      break
    }
  }

  /// A source of one position, 90 m from home.
  private struct OnePlace: PositionSource {
    var isSimulated: Bool { true }
    func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
      await tell(.positions([sample(0, north: 90)]))
      await tell(.finished)
    }
  }

  private final class StateWatcher: NSObject, CLLocationManagerDelegate {
    private let tell: (CLRegionState) -> Void
    init(_ tell: @escaping (CLRegionState) -> Void) { self.tell = tell }
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
      tell(state)
    }
  }
}
