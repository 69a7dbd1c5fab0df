/// The source of a region manager's inputs, which also performs its effects.
public protocol RegionSensor: Sendable {
  /// Reports inputs from now on, from any thread; the first is `RegionInput.launched`.
  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void)
  /// Monitors, ranges, or requests fixes. Results arrive as inputs, never before this returns.
  func perform(_ effect: RegionEffect)
  /// Metres of the largest circle that can be monitored; `nil`: unknown.
  var largestRadius: Double? { get }
}

extension RegionSensor {
  /// `nil`: the maximum is unknown.
  public var largestRadius: Double? { nil }
}
