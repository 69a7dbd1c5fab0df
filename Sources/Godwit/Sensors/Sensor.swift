public import Foundation
public import GodwitEngine
public import GodwitModel

/// Where a tracker's events from the outside come from.
public protocol Sensor: Sendable {
  /// Tells events from now on, from any thread.
  func connect(_ tell: @escaping @Sendable (Event) -> Void)
  /// Does what is asked; `nil`: nothing.
  func configure(_ request: LocationRequest?)
  /// Asks the person for permission.
  func requestAuthorization(_ wanted: WantedAuthorization)
  /// One position, or one failure.
  func requestLocation()
  /// Tells `leftRegion` when the device is farther than so many metres from a place.
  func watchExit(of place: Coordinate, radius: Meters)
  func stopWatchingExit()
  /// Tells `motionHistory` for this time; one that has no motion chip tells it empty.
  func askMotionHistory(from: Date, to: Date)
  /// The place that the system knows of, however old.
  var cachedFix: Fix? { get }
  /// Steps that the pedometer counted; `nil`: there is none.
  func steps(from: Date, to: Date) async -> Int?
  /// Whether it reads the motion chip, for which Apple's systems ask the person.
  var usesMotion: Bool { get }
  /// Why no motion comes although it reads the motion chip, as a sentence.
  var motionProblem: String? { get }
  /// Whether it wants positions while the program is in the background.
  var updatesInBackground: Bool { get }
  /// Keeps the screen on.
  func keepScreenOn(_ isOn: Bool)
  /// Its part that watches over regions; `nil`: it has none.
  var regions: (any RegionSensor)? { get }
}

/// What a machine without a screen, a pedometer or a phone's services does.
extension Sensor {
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
