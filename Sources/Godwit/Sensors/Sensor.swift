public import GodwitEngine

/// Where a tracker's events from the outside come from.
public protocol Sensor: Sendable {
  /// Tells events from now on, from any thread.
  func connect(_ tell: @escaping @Sendable (Event) -> Void)
  /// Does what is asked; `nil`: nothing.
  func configure(_ request: LocationRequest?)
  /// Asks the person for permission.
  func requestAuthorization()
}
