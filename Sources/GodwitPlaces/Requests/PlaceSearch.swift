internal import GodwitModel

/// A validated search with a rounded position. It is also the key of a cached response.
struct PlaceSearch: Sendable, Hashable {
  let point: LookupPoint
  /// Radius in whole metres, ≥ 1.
  let radius: Int
  let limit: Int

  init(
    near coordinate: Coordinate, radius: Meters, limit: Int, bounds: PlacesBounds, service: String
  ) throws(PlacesError) {
    // NaN fails every comparison, so it is rejected as well.
    guard radius > 0, radius <= bounds.radius else {
      throw PlacesError(
        .invalidSearch, service: service, reason: "a radius of \(radius) m cannot be searched",
        advice: "Use a radius above 0 and at most \(Int(bounds.radius)) m.")
    }
    guard limit >= 1, limit <= bounds.limit else {
      throw PlacesError(
        .invalidSearch, service: service, reason: "\(limit) places cannot be requested",
        advice: "Use a limit of 1…\(bounds.limit).")
    }
    self.point = LookupPoint(coordinate)
    self.radius = Int(radius.rounded(.up))
    self.limit = limit
  }
}
