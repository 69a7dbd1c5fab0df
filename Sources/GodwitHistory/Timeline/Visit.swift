internal import Foundation
package import GodwitModel

/// A visit that the server computed from points.
package struct FoundVisit: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var arrival: Int64
  /// `nil` while the visit continues.
  package var departure: Int64?
  /// The time of the last position in the visit.
  package var seen: Int64
  /// The mean of all positions, in 1e-7 degrees.
  package var latitude: Int32
  package var longitude: Int32
  /// The radius in metres of a circle with nearly all positions.
  package var radius: Meters
  /// The number of positions.
  package var points: Int
  /// Whether the device reported a visit, too.
  package var isReported: Bool

  package var coordinate: Coordinate {
    // Never `nil`, because the values are from a coordinate.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  /// The departure; the time of the last position while the visit continues.
  package var end: Int64 { departure ?? seen }

  /// The confidence that the device was there all the time, 0…1. It depends on the share of the time that is covered by positions.
  /// A report of the device increases it.
  package var confidence: Double {
    let length = Double((departure ?? seen) - arrival)
    let watched = length > 0 ? min(1, Double(seen - arrival) / length) : 1
    let sure = 0.5 + 0.45 * watched
    return isReported ? max(sure, 0.95) : points >= 3 ? sure : min(sure, 0.6)
  }
}

/// A trip with its parts.
package struct FoundTrip: Sendable, Hashable, Codable {
  /// A part of a trip with one mode.
  package struct Segment: Sendable, Hashable, Codable {
    package var mode: TravelMode
    /// 0…1.
    package var confidence: Double
    /// Whether the device reported the mode.
    package var isReported: Bool
    /// Milliseconds since 1970.
    package var start: Int64
    package var end: Int64
    package var distance: Meters
    /// Seconds in motion.
    package var moving: Double
    /// The 95 % quantile of the speed in motion, in m/s.
    package var topSpeed: MetersPerSecond
    /// The first position of the part, in the form of ``FoundTrip/from``; `nil` for the first part of a trip.
    package var from: [Int32]?
    /// The probabilities of walking, cycling and motorized travel; `nil` if neither positions nor the motion chip determined the mode.
    package var probabilities: [Double]?
    /// Whether the mode is learned from corrected trips between the same places. It is not stored.
    package var isLearned = false

    private enum CodingKeys: String, CodingKey {
      case mode, confidence, start, end, distance, moving, from, probabilities
      case isReported = "reported"
      case topSpeed = "top_speed"
    }
  }
  /// Milliseconds since 1970.
  package var start: Int64
  package var end: Int64
  /// The latitude and longitude of the first and of the last position, in 1e-7 degrees.
  package var from: [Int32]
  package var to: [Int32]
  package var segments: [Segment]

  package var distance: Meters { segments.reduce(0) { $0 + $1.distance } }
  package var moving: Double { segments.reduce(0) { $0 + $1.moving } }
  package var topSpeed: MetersPerSecond { segments.map(\.topSpeed).max() ?? 0 }
  /// The mode with the longest distance.
  package var mode: TravelMode {
    var metres: [TravelMode: Meters] = [:]
    for segment in segments { metres[segment.mode, default: 0] += segment.distance }
    // If distances are equal, the first mode in order is used, so that the result is deterministic.
    return TravelMode.allCases.max { metres[$0, default: -1] < metres[$1, default: -1] } ?? .unknown
  }
  /// The confidence of the whole trip, 0…1.
  package var confidence: Double {
    let whole = distance
    return whole > 0 ? segments.reduce(0) { $0 + $1.confidence * $1.distance } / whole : 0
  }
}

/// The mode of a trip.
package enum TravelMode: String, Sendable, Hashable, Codable, CaseIterable {
  case walk, run, cycle, car, train, plane, boat, unknown

  /// The greatest average speed of a part of a trip in m/s: of marathons, track cycling, cars and trains on the fastest roads and
  /// lines, passenger jets with tail wind, and fast ferries.
  package var fastest: MetersPerSecond {
    switch self {
    case .walk: 4
    case .run: 8
    case .cycle: 18
    case .car: 70
    case .train: 120
    case .boat: 30
    case .plane, .unknown: Plausibility.fastest
    }
  }

  /// The slowest mode that can have an average speed. Above ``TripMaker/driving``, it is motorized.
  init(averageSpeed speed: MetersPerSecond) {
    self =
      speed <= Self.walk.fastest
      ? .walk
      : speed <= TripMaker.driving ? .cycle : speed <= Self.car.fastest ? .car : speed <= Self.train.fastest ? .train : .plane
  }

  /// The mode for a mode of the model. A motorized part is a car, because positions do not distinguish it well enough from a train
  /// on an ordinary line.
  package init(_ mode: TransportMode) {
    switch mode {
    case .walk: self = .walk
    case .bike: self = .cycle
    case .motor: self = .car
    }
  }

  /// The mode for the name of an app: Overland's `trip_mode` and others; `nil` if the name is unknown.
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

  /// The mode for an activity of the motion chip; `nil` if the activity is ambiguous.
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
