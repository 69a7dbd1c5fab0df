import Foundation
import GodwitModel

@testable import CoreLocation

/// A simulated system with an app: a test drives both on its own thread.
///
/// `@unchecked Sendable`: used on the test's thread only.
final class ManualHost: LocationHost, @unchecked Sendable {
  private(set) var now = Phone.start
  private(set) var isListening = true
  private(set) var outputs: [LocationServices.Output] = []
  private var calls: [@Sendable () -> Void] = []
  private var timers: [Date] = []
  private(set) var daemon: LocationDaemon!  // Set in `init`, after `self` is initialised.

  init(
    _ profile: OSProfile = ManualHost.prompt, _ status: CLAuthorizationStatus = .authorizedAlways,
    declarations: AppDeclarations = AppDeclarations()
  ) {
    daemon = LocationDaemon(
      host: self, services: LocationServices(authorization: status, profile: profile, declarations: declarations))
  }

  /// iOS 18, whose regions are reported without delay.
  static var prompt: OSProfile {
    var profile = OSProfile.ios18
    (profile.regionLatency, profile.regionCushion) = (0, 50)
    return profile
  }

  func perform(_ call: @escaping @Sendable () -> Void) { calls.append(call) }
  func receive(_ output: LocationServices.Output) {}
  func asked() {}
  func carryOut(_ output: LocationServices.Output) {
    outputs.append(output)
    if case .wake(let time) = output { timers.append(time) }
  }

  /// Makes all pending calls into the app.
  func settle() {
    while !calls.isEmpty {
      let waiting = calls
      calls = []
      for call in waiting { call() }
    }
  }

  func send(_ input: LocationServices.Input) {
    daemon.notify(input)
    settle()
  }

  /// Advances the time to `seconds` after the start, and fires all requested timers.
  func wait(until seconds: Double) {
    let end = Phone.start.addingTimeInterval(seconds)
    while let next = timers.min(), next <= end {
      timers.removeAll { $0 == next }
      now = max(now, next)
      send(.timer)
    }
    now = max(now, end)
  }

  /// Advances the time and sends a position `north` metres north of the origin.
  func at(_ seconds: Double, _ north: Double, accuracy: Double = 5) {
    wait(until: seconds)
    send(.positions([Phone.fix(seconds, north, accuracy: accuracy)]))
  }

  /// Terminates the app without a call. Its objects must not be used afterwards.
  func kill() {
    calls = []
    send(.app(.terminated))
  }

  /// Runs `body`, for example the release of the app's objects, while inputs of the app are ignored.
  func whileTerminated(_ body: () -> Void) {
    isListening = false
    body()
    isListening = true
  }

  func manager(_ delegate: Calls) -> CLLocationManager {
    let manager = CLLocationManager(daemon: daemon, queue: .main)
    manager.delegate = delegate
    settle()
    return manager
  }

  var launches: [AppLaunch.Reason] {
    outputs.compactMap { if case .launchApp(let launch) = $0 { launch.reason } else { nil } }
  }
}

/// A delegate that logs every call about regions and beacons.
final class Calls: NSObject, CLLocationManagerDelegate {
  private(set) var log: [String] = []
  private(set) var regions: [CLRegion] = []

  private func record(_ word: String, _ region: CLRegion?) {
    log.append("\(word) \(region?.identifier ?? "none")")
    if let region { regions.append(region) }
  }

  func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) { record("watching", region) }
  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { record("in", region) }
  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { record("out", region) }
  func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
    record("\(state)", region)
  }
  func locationManager(
    _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
  ) {
    record("failed \((error as? CLError)?.code.rawValue ?? -1)", region)
  }
  func locationManager(
    _ manager: CLLocationManager, didRange beacons: [CLBeacon], satisfying beaconConstraint: CLBeaconIdentityConstraint
  ) {
    log.append("range " + beacons.map { "\($0.minor) \($0.proximity)" }.joined(separator: ", "))
  }
  func locationManager(
    _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
  ) {
    log.append("no range \((error as? CLError)?.code.rawValue ?? -1)")
  }
  func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
    log.append("range in \(region.identifier) " + beacons.map { "\($0.minor)" }.joined(separator: ", "))
  }
  func locationManager(
    _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
  ) {
    log.append("no range in \(region.identifier)")
  }

  func discard() { (log, regions) = ([], []) }
}
