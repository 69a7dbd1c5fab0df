public import GodwitEngine

/// Where a region manager's news come from, and who does what it wants.
public protocol RegionSensor: Sendable {
  /// Tells news from now on, from any thread: first of all `RegionInput.launched`.
  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void)
  /// Monitors, ranges, or asks for fixes. Answers come as news, never before this returns.
  func perform(_ effect: RegionEffect)
  /// Metres of the largest circle that can be monitored; `nil`: not known.
  var largestRadius: Double? { get }
}

extension RegionSensor {
  public var largestRadius: Double? { nil }
}
