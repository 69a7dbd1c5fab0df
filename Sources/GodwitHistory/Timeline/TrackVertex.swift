package import GodwitModel

/// A position of a line: a subset of a fix, in the units of the store.
package struct TrackVertex: Sendable, Hashable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// 1e-7 degrees.
  package var latitude: Int32
  package var longitude: Int32
  /// The altitude in metres; `nil` if unknown.
  package var altitude: Int32?

  /// - Returns: `nil` if the coordinate is invalid.
  package init?(time: Int64, latitude: Int64, longitude: Int64, centimetres altitude: Int64?) {
    guard abs(latitude) <= 900_000_000, abs(longitude) <= 1_800_000_000 else { return nil }
    self.time = time
    self.latitude = Int32(latitude)
    self.longitude = Int32(longitude)
    self.altitude = altitude.flatMap { Int32(exactly: ($0 / 100)) }
  }

  /// Restores a position that is known to be valid.
  /// - Parameters:
  ///   - time: milliseconds since 1970.
  ///   - latitude: −900,000,000…900,000,000.
  ///   - longitude: −1,800,000,000…1,800,000,000.
  ///   - altitude: metres; `nil` if unknown.
  package init(time: Int64, latitude: Int32, longitude: Int32, altitude: Int32?) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }

  /// The coordinate.
  package var coordinate: Coordinate {
    // Never `nil`, because both initializers receive valid coordinates.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }
}
