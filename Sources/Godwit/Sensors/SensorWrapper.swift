package import Foundation
package import GodwitEngine
package import GodwitModel

/// A sensor that wraps another one and forwards every call that it does not handle itself. The forwarding is in one place,
/// because the defaults of ``Sensor`` do nothing: without a forwarding method a call would be lost without a compiler error.
package protocol SensorWrapper: Sensor {
  var sensor: any Sensor { get }
}

extension SensorWrapper {
  package func configure(_ request: LocationRequest?) { sensor.configure(request) }
  package func hold(_ sessions: SessionRequest?) { sensor.hold(sessions) }
  package func requestAuthorization(_ wanted: WantedAuthorization) { sensor.requestAuthorization(wanted) }
  package func requestLocation() { sensor.requestLocation() }
  package func watchExit(of place: Coordinate, radius: Meters) { sensor.watchExit(of: place, radius: radius) }
  package func stopWatchingExit() { sensor.stopWatchingExit() }
  package func askMotionHistory(from: Date, to: Date) { sensor.askMotionHistory(from: from, to: to) }
  package var cachedFix: Fix? { sensor.cachedFix }
  package func steps(from: Date, to: Date) async -> Int? { await sensor.steps(from: from, to: to) }
  package var usesMotion: Bool { sensor.usesMotion }
  package var motionProblem: String? { sensor.motionProblem }
  package var updatesInBackground: Bool { sensor.updatesInBackground }
  package func keepScreenOn(_ isOn: Bool) { sensor.keepScreenOn(isOn) }
  package var regions: (any RegionSensor)? { sensor.regions }
}

extension Sensor {
  /// Requests significant changes and visits, for a launch before the first unlock, when no file can be read. It requests no
  /// permission, because it is not known yet whether tracking is on.
  /// - Parameter settings: the settings of the tracker that will connect, as far as they are known.
  package func watchUntilUnlock(_ settings: LocationSettings = LocationSettings()) {
    var wanted = settings
    wanted.trackingMode = .significant
    wanted.tracksVisits = true
    hold(SessionRequest(authorization: nil))
    configure(LocationRequest(wanted))
  }
}
