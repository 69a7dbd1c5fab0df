package import Foundation
package import GodwitModel

/// A position as visits and trips are made of, in the units of the store.
package struct TimelinePoint: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var time: Int64
  /// 1e-7 degrees.
  package var latitude: Int32
  package var longitude: Int32
  /// Metres that it may be off, 0: not known.
  package var accuracy: Int32 = 0
  /// What the device's motion chip saw, as ``Motion``'s raw value.
  package var motion: UInt8 = 0
  /// Not measured, but an end of a visit that the device reported.
  package var isReported = false
  /// It is the end of such a visit at which the device left; `nil`: no.
  package var isDeparture: Bool?

  /// Where.
  package var coordinate: Coordinate {
    // Never nil: what is read of the store is looked at first, and so is what a test makes.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  package var date: Date { Date(millisecondsSince1970: time) }

  /// Seconds from another one.
  package func seconds(since other: TimelinePoint) -> Double { Double(time - other.time) / 1000 }

  /// Metres to another one.
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

/// A trip as a device reported it: it knows best how it was moved.
package struct TripReport: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var start: Int64
  package var end: Int64
  /// The device's word.
  package var mode: String
}

/// One thing after the other, as a timeline is made of.
package enum TimelineElement: Sendable, Hashable {
  case point(TimelinePoint)
  /// A point that its owner said is right, whatever it looks like.
  case trusted(TimelinePoint)
  /// A point from a time that had not come yet when it arrived.
  case early(TimelinePoint)
  case trip(TripReport)

  package var time: Int64 {
    switch self {
    case .point(let point), .trusted(let point), .early(let point): point.time
    case .trip(let report): report.start
    }
  }
}
