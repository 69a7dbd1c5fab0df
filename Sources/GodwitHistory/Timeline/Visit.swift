internal import Foundation
package import GodwitModel

/// A time that a device spent at one place, as the server found it.
package struct FoundVisit: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var arrival: Int64
  /// `nil`: still there, as far as is known.
  package var departure: Int64?
  /// Of the last position there.
  package var seen: Int64
  /// 1e-7 degrees, the middle of all positions.
  package var latitude: Int32
  package var longitude: Int32
  /// Metres round it within which nearly all of them lie.
  package var radius: Meters
  /// How many there were.
  package var points: Int
  /// The device reported a visit as well.
  package var isReported: Bool

  package var coordinate: Coordinate {
    // Never nil: made of a coordinate.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  /// How sure it is that the device was there all the time, 0…1: the part of it that was watched, more where the device says so.
  package var confidence: Double {
    let length = Double((departure ?? seen) - arrival)
    let watched = length > 0 ? min(1, Double(seen - arrival) / length) : 1
    let sure = 0.5 + 0.45 * watched
    return isReported ? max(sure, 0.95) : points >= 3 ? sure : min(sure, 0.6)
  }
}

/// A trip with its parts.
package struct FoundTrip: Sendable, Hashable, Codable {
  /// A part of one mode.
  package struct Segment: Sendable, Hashable, Codable {
    package var mode: TravelMode
    /// 0…1.
    package var confidence: Double
    /// The device said how it was moved.
    package var isReported: Bool
    /// Milliseconds since 1970.
    package var start: Int64
    package var end: Int64
    package var distance: Meters
    /// Seconds faster than standing.
    package var moving: Double
    /// Speed that was not reached in 95 % of the moving time, metres per second.
    package var topSpeed: MetersPerSecond

    private enum CodingKeys: String, CodingKey {
      case mode, confidence, start, end, distance, moving
      case isReported = "reported"
      case topSpeed = "top_speed"
    }
  }
  /// Milliseconds since 1970.
  package var start: Int64
  package var end: Int64
  /// 1e-7 degrees: latitude and longitude of the first position and of the last.
  package var from: [Int32]
  package var to: [Int32]
  package var segments: [Segment]

  package var distance: Meters { segments.reduce(0) { $0 + $1.distance } }
  package var moving: Double { segments.reduce(0) { $0 + $1.moving } }
  package var topSpeed: MetersPerSecond { segments.map(\.topSpeed).max() ?? 0 }
  /// The one that most of the way was made with.
  package var mode: TravelMode {
    var metres: [TravelMode: Meters] = [:]
    for segment in segments { metres[segment.mode, default: 0] += segment.distance }
    // Of equal ways the first in the order of the modes, so that it is always the same.
    return TravelMode.allCases.max { metres[$0, default: -1] < metres[$1, default: -1] } ?? .unknown
  }
  /// Of the way as a whole, 0…1.
  package var confidence: Double {
    let whole = distance
    return whole > 0 ? segments.reduce(0) { $0 + $1.confidence * $1.distance } / whole : 0
  }
}

/// The mode of a trip.
package enum TravelMode: String, Sendable, Hashable, Codable, CaseIterable {
  case walk, run, cycle, car, train, plane, boat, unknown

  /// What an app's word stands for: Overland's `trip_mode` and what others say.
  package init?(word: String) {
    switch word.lowercased() {
    case "walk", "walking", "hiking", "on_foot", "foot": self = .walk
    case "run", "running", "jogging": self = .run
    case "bicycle", "bike", "cycle", "cycling", "biking": self = .cycle
    case "car", "driving", "automotive", "taxi", "bus", "car2go", "motorcycle", "scooter", "in_vehicle", "truck": self = .car
    case "train", "tram", "metro", "subway", "light rail", "bullet train", "rail": self = .train
    case "plane", "airplane", "flight", "flying": self = .plane
    case "boat", "ferry", "sail", "sailing", "ship", "kayak": self = .boat
    default: return nil
    }
  }

  /// What a motion chip says, where it says one thing.
  package init?(_ motion: Motion) {
    switch motion.subtracting(.stationary) {
    case .walking: self = .walk
    case .running: self = .run
    case .cycling: self = .cycle
    case .driving: self = .car
    default: return nil
    }
  }
}
