public import GodwitModel

/// What a service takes.
public struct PlacesBounds: Sendable, Hashable {
  /// Largest radius in metres.
  public let radius: Meters
  /// Most places in an answer.
  public let limit: Int
}
