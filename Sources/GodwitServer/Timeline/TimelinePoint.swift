internal import Foundation
internal import GodwitModel

/// A position as visits and trips are made of, in the units of the store.
struct TimelinePoint: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  var time: Int64
  /// 1e-7 degrees.
  var latitude: Int32
  var longitude: Int32
  /// Metres that it may be off, 0: not known.
  var accuracy: Int32 = 0
  /// What the device's motion chip saw, as ``Motion``'s raw value.
  var motion: UInt8 = 0
  /// Not measured, but an end of a visit that the device reported.
  var isReported = false
  /// It is the end of such a visit at which the device left; `nil`: no.
  var isDeparture: Bool?

  /// Where.
  var coordinate: Coordinate {
    // Never nil: what is read of the store is looked at first, and so is what a test makes.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  var date: Date { Date(millisecondsSince1970: time) }

  /// Seconds from another one.
  func seconds(since other: TimelinePoint) -> Double { Double(time - other.time) / 1000 }

  /// Metres to another one.
  func distance(to other: TimelinePoint) -> Meters { GreatCircle.distance(coordinate, other.coordinate) }

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
struct TripReport: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  var start: Int64
  var end: Int64
  /// The device's word.
  var mode: String
}

/// One thing after the other, as a timeline is made of.
enum TimelineElement: Sendable, Hashable {
  case point(TimelinePoint)
  /// A point that its owner said is right, whatever it looks like.
  case trusted(TimelinePoint)
  /// A point from a time that had not come yet when it arrived.
  case early(TimelinePoint)
  case trip(TripReport)

  var time: Int64 {
    switch self {
    case .point(let point), .trusted(let point), .early(let point): point.time
    case .trip(let report): report.start
    }
  }
}
