public import GodwitModel

/// A service that finds the places around a position. ``OpenStreetMapPlaces`` needs no key and is recommended to start with.
///
/// A lookup discloses a position to a third party. Look up the end of a visit or trip, and not every fix. The services of this
/// module send the position rounded to four decimals, which is 11 m.
public protocol PlacesService: Sendable {
  /// Finds the places around a coordinate.
  /// - Parameters:
  ///   - coordinate: Centre of the search.
  ///   - radius: Metres, above 0 and at most the radius of the service's `bounds`; rounded up to whole metres.
  ///   - limit: Maximum number of places, from 1 to the limit of the service's `bounds`.
  /// - Returns: At most `limit` places, nearest first; empty if there are none. The centre of an area that touches the circle can
  ///   be outside the circle.
  /// - Throws: ``PlacesError``, for a radius or limit outside the bounds without sending a request. `CancellationError` if the task
  ///   is cancelled.
  func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place]
}
