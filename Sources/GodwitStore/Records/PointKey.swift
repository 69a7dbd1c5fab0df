/// The key of a point within its device.
package struct PointKey: Sendable, Hashable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// 1e-7 degrees.
  package var latitude: Int64
  package var longitude: Int64

  package init(time: Int64, latitude: Int64, longitude: Int64) {
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension PointKey: Comparable {
  /// The order of a device's points in the database.
  package static func < (left: PointKey, right: PointKey) -> Bool {
    (left.time, left.latitude, left.longitude) < (right.time, right.latitude, right.longitude)
  }
}
