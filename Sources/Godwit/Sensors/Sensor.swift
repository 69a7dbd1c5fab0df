public import Foundation
public import GodwitEngine
public import GodwitModel

/// The source of a tracker's external events. ``LocationSensor`` is the implementation for Apple's systems and Linux. A program
/// with another source of positions implements its own, and imports `GodwitEngine` for the events and requests.
///
///     final class SerialReceiver: Sensor {
///       func connect(_ tell: @escaping @Sendable (Event) -> Void) { port.onFix { tell(.fixes([$0])) } }
///       func configure(_ request: LocationRequest?) { request == nil ? port.close() : port.open() }
///       func requestAuthorization(_ wanted: WantedAuthorization) {}
///     }
///
/// The tracker calls its methods from one thread at a time.
public protocol Sensor: Sendable {
  /// Connects the sensor to a tracker. The sensor reports events with `tell` from now on, from any thread.
  func connect(_ tell: @escaping @Sendable (Event) -> Void)
  /// Starts the requested services; `nil`: stops them.
  func configure(_ request: LocationRequest?)
  /// Holds the sessions that the system requires of an app that uses the location; `nil`: none. The method is called again with
  /// the same request when the app becomes active.
  func hold(_ sessions: SessionRequest?)
  /// Requests permission from the user.
  func requestAuthorization(_ wanted: WantedAuthorization)
  /// Requests one position. The result is one position, or one failure.
  func requestLocation()
  /// Reports `leftRegion` when the device is farther than `radius` metres from a place.
  func watchExit(of place: Coordinate, radius: Meters)
  /// Ends ``watchExit(of:radius:)``; `leftRegion` is no longer reported.
  func stopWatchingExit()
  /// Reports the activities between two times as `motionHistory`; it is empty without a motion chip.
  func askMotionHistory(from: Date, to: Date)
  /// The last position of the system, of any age; `nil`: none.
  var cachedFix: Fix? { get }
  /// Returns the number of steps that the pedometer counted between two times; `nil`: there is no pedometer, or no permission.
  func steps(from: Date, to: Date) async -> Int?
  /// Whether the sensor reads the motion chip, for which Apple's systems require a permission of the user.
  var usesMotion: Bool { get }
  /// The reason why a motion chip in use reports no motion, as a sentence; `nil`: no problem.
  var motionProblem: String? { get }
  /// Whether the sensor requests positions while the program is in the background.
  var updatesInBackground: Bool { get }
  /// Sets whether the screen stays on.
  func keepScreenOn(_ isOn: Bool)
  /// The part that monitors regions; `nil`: none.
  var regions: (any RegionSensor)? { get }
}

extension Sensor {
  /// Stops all services and ends all sessions.
  func release() {
    configure(nil)
    hold(nil)
  }

  /// Performs an effect of the engine that is meant for a sensor; ignores others.
  func perform(_ effect: Effect) {
    switch effect {
    case .configureLocation(let request): configure(request)
    case .requestAuthorization(let wanted): requestAuthorization(wanted)
    case .requestLocation: requestLocation()
    case .watchExit(let place, let radius): watchExit(of: place, radius: radius)
    case .stopWatchingExit: stopWatchingExit()
    case .askMotionHistory(let from, let to): askMotionHistory(from: from, to: to)
    case .keepScreenOn(let isOn): keepScreenOn(isOn)
    default: break
    }
  }
}

/// The defaults for a machine without a screen, a pedometer or a phone's services.
extension Sensor {
  public func hold(_ sessions: SessionRequest?) {}
  public func requestLocation() {}
  public func watchExit(of place: Coordinate, radius: Meters) {}
  public func stopWatchingExit() {}
  public func askMotionHistory(from: Date, to: Date) {}
  public var cachedFix: Fix? { nil }
  public func steps(from: Date, to: Date) async -> Int? { nil }
  public var usesMotion: Bool { false }
  public var motionProblem: String? { nil }
  public var updatesInBackground: Bool { false }
  public func keepScreenOn(_ isOn: Bool) {}
  public var regions: (any RegionSensor)? { nil }
}
