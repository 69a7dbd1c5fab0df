import CoreLocation
import Foundation
import Testing

/// Classes of iOS apps with a manager, compiled without changes. Only the tests use a daemon.
@Suite("Classes of iOS apps with a location manager")
@MainActor
struct UnchangedDelegateTests {
  /// Monitors a region and requests its state.
  @MainActor
  private final class HomeWatcher: NSObject, CLLocationManagerDelegate {
    private(set) var log: [String] = []
    private let manager = CLLocationManager()
    private let home = CLCircularRegion(
      center: CLLocationCoordinate2D(latitude: 45, longitude: 14), radius: 150, identifier: "home")

    override init() {
      super.init()
      manager.delegate = self
      manager.pausesLocationUpdatesAutomatically = false
      manager.requestAlwaysAuthorization()
      if CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self) {
        manager.startMonitoring(for: home)
      }
      manager.requestState(for: home)
    }

    func askAgain() { manager.requestState(for: home) }
    var watched: [String] { manager.monitoredRegions.map(\.identifier) }
    private func record(_ line: String) { log.append(line) }

    nonisolated func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
      MainActor.assumeIsolated { record("watching \(region.identifier)") }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
      MainActor.assumeIsolated { record("state \(state)") }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
      MainActor.assumeIsolated { record("entered") }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
      MainActor.assumeIsolated { record("left") }
    }
  }

  /// Returns after all calls that were enqueued on the main queue before have run.
  private func drainMainQueue() async {
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
  }

  @Test("a crossing is reported with the new state, and the state on request", .timeLimit(.minutes(20)))
  func region() async {
    let daemon = LocationDaemon(source: Script(north: [0, 50, 400, 500, 600, 700, 300, 0, 0, 0, 0]))
    await daemon.serve {
      let watcher = HomeWatcher()
      await daemon.finished()
      watcher.askAgain()
      await drainMainQueue()
      #expect(
        watcher.log == [
          "watching home", "state unknown", "left", "state outside", "entered", "state inside", "state inside",
        ])
      #expect(watcher.watched == ["home"])
    }
  }

  /// Uses features for which this machine lacks the hardware.
  @MainActor
  private final class MissingHardware: NSObject, CLLocationManagerDelegate {
    private(set) var errors: [String: Int] = [:]
    private(set) var temporary: [Bool] = []
    private let manager = CLLocationManager()

    override init() {
      super.init()
      manager.delegate = self
      manager.headingFilter = kCLHeadingFilterNone
      manager.headingOrientation = .landscapeLeft
      manager.startUpdatingHeading()
      let uuid = UUID()
      let region = CLBeaconRegion(uuid: uuid, identifier: "shop")
      region.notifyEntryStateOnDisplay = true
      manager.startMonitoring(for: region)
      manager.startRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
      manager.startRangingBeacons(in: region)
      manager.startMonitoring(
        for: CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 100, identifier: "nowhere"))
      manager.startMonitoring(
        for: CLCircularRegion(
          center: CLLocationCoordinate2D(latitude: 0, longitude: 0),
          radius: manager.maximumRegionMonitoringDistance * 2, identifier: "half the world"))
      manager.allowDeferredLocationUpdates(untilTraveled: CLLocationDistanceMax, timeout: CLTimeIntervalMax)
      manager.disallowDeferredLocationUpdates()
      manager.stopRangingBeacons(satisfying: CLBeaconIdentityConstraint(uuid: uuid))
      manager.stopUpdatingHeading()
    }

    func ask() async {
      do {
        try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "Navigation")
        temporary.append(true)
      } catch CLError.denied {
        temporary.append(false)
      } catch {
        record("temporary", error)
      }
    }

    var state: String { "\(manager.rangedBeaconConstraints.count) \(manager.monitoredRegions.count) \(manager.heading as Any)" }
    private func record(_ what: String, _ error: any Error) {
      errors["\(what) \((error as? CLError)?.code.rawValue ?? -1)", default: 0] += 1
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      MainActor.assumeIsolated { record("heading", error) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
      let identifier = region?.identifier ?? ""
      MainActor.assumeIsolated { record(identifier, error) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {
      MainActor.assumeIsolated { record("ranging", error) }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {
      MainActor.assumeIsolated { record("ranging in", error) }
    }
  }

  @Test(
    "impossible regions are reported as one error each, and nothing is monitored", .timeLimit(.minutes(20)),
    arguments: [(CLAuthorizationStatus.authorizedAlways, [true]), (.denied, [false])])
  func absent(_ status: CLAuthorizationStatus, _ temporary: [Bool]) async {
    await LocationDaemon(source: Script(north: []), authorization: status).serve {
      let client = MissingHardware()
      await client.ask()
      await drainMainQueue()
      #expect(
        client.errors == [
          "heading 3": 1, "shop 5": 1, "nowhere 5": 1, "half the world 5": 1, "ranging 16": 1, "ranging in 16": 1,
        ])
      #expect(client.temporary == temporary)
      #expect(client.state == "0 0 nil")
    }
  }

  /// A class that was written for iOS 8.
  @MainActor
  private final class OldDelegate: NSObject, CLLocationManagerDelegate {
    private(set) var statuses: [CLAuthorizationStatus] = []
    private let manager = CLLocationManager()

    override init() {
      super.init()
      manager.delegate = self
      if CLLocationManager.authorizationStatus() == .notDetermined { manager.requestWhenInUseAuthorization() }
    }

    nonisolated func locationManager(
      _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
    ) {
      MainActor.assumeIsolated { statuses.append(status) }
    }
  }

  @Test("the old method about permission is called if the new one is not implemented", .timeLimit(.minutes(20)))
  func oldMethod() async {
    await LocationDaemon(source: Script(north: [])).serve {
      let delegate = OldDelegate()
      await drainMainQueue()
      #expect(delegate.statuses.last == .authorizedWhenInUse)
      #expect(CLLocationManager.authorizationStatus() == .authorizedWhenInUse)
    }
  }

  /// Has two methods with slightly wrong names, which are never called, as on Apple's systems.
  @MainActor
  private final class Misspelt: NSObject, CLLocationManagerDelegate {
    private(set) var counts = ["right": 0, "wrong": 0]
    private let manager = CLLocationManager()

    override init() {
      super.init()
      manager.delegate = self
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      MainActor.assumeIsolated { counts["right", default: 0] += 1 }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocation locations: [CLLocation]) {
      MainActor.assumeIsolated { counts["wrong", default: 0] += 1 }
    }

    nonisolated func locationManagerDidChangeAuthorisation(_ manager: CLLocationManager) {
      MainActor.assumeIsolated { counts["wrong", default: 0] += 1 }
    }
  }

  @Test("an optional method whose name is misspelt is never called", .timeLimit(.minutes(20)))
  func misspelt() async {
    let daemon = LocationDaemon(source: Script(north: [0, 10, 20]))
    await daemon.serve {
      let misspelt = Misspelt()
      await daemon.finished()
      await drainMainQueue()
      #expect(misspelt.counts == ["right": 3, "wrong": 0])
    }
  }

  @Test("code inside a daemon's scope uses that daemon, and code outside does not", .timeLimit(.minutes(20)))
  func scope() async {
    let daemon = LocationDaemon(source: Script(north: []), authorization: .restricted)
    // Outside, the current daemon depends on tests that run at the same time. CallTests checks it in a separate process.
    #expect(LocationDaemon.current !== daemon)
    await daemon.serve {
      #expect(LocationDaemon.current === daemon)
      #expect(await Task { LocationDaemon.current === daemon }.value)
      #expect(CLLocationManager().authorizationStatus == .restricted)
    }
    #expect(LocationDaemon.current !== daemon)
  }
}
