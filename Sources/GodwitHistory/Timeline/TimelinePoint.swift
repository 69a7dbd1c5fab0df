package import Foundation
package import GodwitModel

/// A position as input for visits and trips, in the units of the store.
package struct TimelinePoint: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// 1e-7 degrees.
  package var latitude: Int32
  package var longitude: Int32
  /// The uncertainty in metres; 0 if unknown.
  package var accuracy: Int32 = 0
  /// The activity that the device's motion chip detected, as the raw value of ``Motion``.
  package var motion: UInt8 = 0
  /// Whether the point is an end of a visit that the device reported, and not measured.
  package var isReported = false
  /// Whether the point is the departure of a reported visit.
  package var isDeparture: Bool?

  /// - Parameters:
  ///   - time: milliseconds since 1970.
  ///   - latitude: 1e-7 degrees.
  ///   - longitude: 1e-7 degrees.
  package init(
    time: Int64, latitude: Int32, longitude: Int32, accuracy: Int32 = 0, motion: UInt8 = 0, isReported: Bool = false,
    isDeparture: Bool? = nil
  ) {
    (self.time, self.latitude, self.longitude, self.accuracy) = (time, latitude, longitude, accuracy)
    (self.motion, self.isReported, self.isDeparture) = (motion, isReported, isDeparture)
  }

  /// The coordinate.
  package var coordinate: Coordinate {
    // Never `nil`, because stored values are validated.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  package var date: Date { Date(millisecondsSince1970: time) }

  /// Returns the seconds between two positions.
  package func seconds(since other: TimelinePoint) -> Double { Double(time - other.time) / 1000 }

  /// Returns the metres between two positions.
  package func distance(to other: TimelinePoint) -> Meters { GreatCircle.distance(coordinate, other.coordinate) }

  private enum CodingKeys: String, CodingKey {
    case time = "t"
    case latitude = "y"
    case longitude = "x"
    case accuracy = "a"
    case motion = "m"
    case isReported = "r"
    case isDeparture = "d"
  }
}

/// A trip that a device reported. Its mode has precedence over a computed one.
package struct TripReport: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var start: Int64
  package var end: Int64
  /// The mode as reported.
  package var mode: String
}

/// An element of the input of a timeline.
package enum TimelineElement: Sendable, Hashable {
  case point(TimelinePoint)
  /// A point that a user flagged as valid.
  case trusted(TimelinePoint)
  /// A point whose time was in the future at its receipt.
  case early(TimelinePoint)
  case trip(TripReport)

  package var time: Int64 {
    switch self {
    case .point(let point), .trusted(let point), .early(let point): point.time
    case .trip(let report): report.start
    }
  }
}
