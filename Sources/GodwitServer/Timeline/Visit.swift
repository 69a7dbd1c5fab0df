internal import Foundation
internal import GodwitModel

/// A time that a device spent at one place, as the server found it.
struct FoundVisit: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  var arrival: Int64
  /// `nil`: still there, as far as is known.
  var departure: Int64?
  /// Of the last position there.
  var seen: Int64
  /// 1e-7 degrees, the middle of all positions.
  var latitude: Int32
  var longitude: Int32
  /// Metres round it within which nearly all of them lie.
  var radius: Meters
  /// How many there were.
  var points: Int
  /// The device reported a visit as well.
  var isReported: Bool

  var coordinate: Coordinate {
    // Never nil: made of a coordinate.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  /// How sure it is that somebody was there all the time, 0…1: the part of it that was watched, more where the device says so.
  var confidence: Double {
    let length = Double((departure ?? seen) - arrival)
    let watched = length > 0 ? min(1, Double(seen - arrival) / length) : 1
    let sure = 0.5 + 0.45 * watched
    return isReported ? max(sure, 0.95) : points >= 3 ? sure : min(sure, 0.6)
  }
}

/// A trip with its parts.
struct FoundTrip: Sendable, Hashable, Codable {
  /// A part of one mode.
  struct Segment: Sendable, Hashable, Codable {
    var mode: TravelMode
    /// 0…1.
    var confidence: Double
    /// The device said how it was moved.
    var isReported: Bool
    /// Milliseconds since 1970.
    var start: Int64
    var end: Int64
    var distance: Meters
    /// Seconds faster than standing.
    var moving: Double
    /// Speed that was not reached in 95 % of the moving time, metres per second.
    var topSpeed: MetersPerSecond

    private enum CodingKeys: String, CodingKey {
      case mode, confidence, start, end, distance, moving
      case isReported = "reported"
      case topSpeed = "top_speed"
    }
  }
  /// Milliseconds since 1970.
  var start: Int64
  var end: Int64
  /// 1e-7 degrees: latitude and longitude of the first position and of the last.
  var from: [Int32]
  var to: [Int32]
  var segments: [Segment]

  var distance: Meters { segments.reduce(0) { $0 + $1.distance } }
  var moving: Double { segments.reduce(0) { $0 + $1.moving } }
  var topSpeed: MetersPerSecond { segments.map(\.topSpeed).max() ?? 0 }
  /// The one that most of the way was made with.
  var mode: TravelMode {
    var metres: [TravelMode: Meters] = [:]
    for segment in segments { metres[segment.mode, default: 0] += segment.distance }
    // Of equal ways the first in the order of the modes, so that it is always the same.
    return TravelMode.allCases.max { metres[$0, default: -1] < metres[$1, default: -1] } ?? .unknown
  }
  /// Of the way as a whole, 0…1.
  var confidence: Double {
    let whole = distance
    return whole > 0 ? segments.reduce(0) { $0 + $1.confidence * $1.distance } / whole : 0
  }
}

/// How somebody was moved.
enum TravelMode: String, Sendable, Hashable, Codable, CaseIterable {
  case walk, run, cycle, car, train, plane, boat, unknown

  /// What an app's word stands for: Overland's `trip_mode` and what others say.
  init?(word: String) {
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
  init?(_ motion: Motion) {
    switch motion.subtracting(.stationary) {
    case .walking: self = .walk
    case .running: self = .run
    case .cycling: self = .cycle
    case .driving: self = .car
    default: return nil
    }
  }
}
