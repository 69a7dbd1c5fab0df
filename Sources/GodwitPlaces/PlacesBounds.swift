public import GodwitModel

/// Limits of a service.
public struct PlacesBounds: Sendable, Hashable {
  /// Maximum radius in metres.
  public let radius: Meters
  /// Maximum number of places in a response.
  public let limit: Int
}
