public import Foundation
public import GodwitEngine
public import GodwitModel

/// The source of a tracker's external events. ``LocationSensor`` is the one of a phone and of Linux; a program with
/// another source of positions implements its own, and imports `GodwitEngine` for the events and requests.
///
///     final class SerialReceiver: Sensor {
///       func connect(_ tell: @escaping @Sendable (Event) -> Void) { port.onFix { tell(.fixes([$0])) } }
///       func configure(_ request: LocationRequest?) { request == nil ? port.close() : port.open() }
///       func requestAuthorization(_ wanted: WantedAuthorization) {}
///     }
///
/// The tracker calls it from one thread at a time.
public protocol Sensor: Sendable {
  /// Reports events from now on, from any thread.
  func connect(_ tell: @escaping @Sendable (Event) -> Void)
  /// Starts the requested services; `nil`: stops them.
  func configure(_ request: LocationRequest?)
  /// Holds the sessions that a system requires of an app that uses the location; `nil`: none. Called again with the same request
  /// when the app becomes active.
  func hold(_ sessions: SessionRequest?)
  /// Requests permission from the user.
  func requestAuthorization(_ wanted: WantedAuthorization)
  /// Requests one position. The result is one position, or one failure.
  func requestLocation()
  /// Reports `leftRegion` when the device is farther than `radius` metres from a place.
  func watchExit(of place: Coordinate, radius: Meters)
  /// Ends ``watchExit(of:radius:)``; `leftRegion` is no longer reported.
  func stopWatchingExit()
  /// Reports `motionHistory` for this time; it is empty without a motion chip.
  func askMotionHistory(from: Date, to: Date)
  /// The last position of the system, of any age.
  var cachedFix: Fix? { get }
  /// Returns the steps that the pedometer counted; `nil`: there is none.
  func steps(from: Date, to: Date) async -> Int?
  /// Whether it reads the motion chip, for which Apple's systems ask the user.
  var usesMotion: Bool { get }
  /// Why a motion chip in use reports no motion, as a sentence.
  var motionProblem: String? { get }
  /// Whether it requests positions while the program is in the background.
  var updatesInBackground: Bool { get }
  /// Keeps the screen on.
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

  /// Carries out an effect that concerns a sensor.
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
