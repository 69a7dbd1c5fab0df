public import GodwitModel

/// Reports what is around a place. One type a service: ``OpenStreetMapPlaces`` needs no key and is the one to begin with.
///
/// A lookup reveals a position to a third party. Look up where a visit or a trip ended, not every fix. The services
/// here send the position rounded to four decimals, which is 11 m, and never more than that.
public protocol PlacesService: Sendable {
  /// Places around a coordinate, the nearest first.
  /// - Parameters:
  ///   - coordinate: the middle of the search.
  ///   - radius: metres, above 0, at most what the service allows (its `bounds`); rounded up to whole metres.
  ///   - limit: how many at most: 1 … what the service allows.
  /// - Returns: at most `limit` places; none is an answer, and no error. A place whose outline touches the circle may
  ///   have its middle outside.
  /// - Throws: ``PlacesError``; a radius or a limit outside the bounds is an error before anything is sent.
  ///   `CancellationError` when the task is cancelled.
  func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place]
}
