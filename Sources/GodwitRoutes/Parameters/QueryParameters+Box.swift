package import GodwitHTTP
package import GodwitStore

extension QueryParameters {
  /// The argument `bbox`.
  package func box() throws(Problem) -> BoundingBox? {
    try edges().map { BoundingBox(west: $0.west, south: $0.south, east: $0.east, north: $0.north) }
  }
}
