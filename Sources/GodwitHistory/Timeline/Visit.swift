internal import Foundation
package import GodwitModel

/// A visit that the server computed from points.
package struct FoundVisit: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  package var arrival: Int64
  /// `nil`: the visit continues, as far as known.
  package var departure: Int64?
  /// Time of the last position in it.
  package var seen: Int64
  /// 1e-7 degrees; the mean of all positions.
  package var latitude: Int32
  package var longitude: Int32
  /// Radius in metres that contains nearly all positions.
  package var radius: Meters
  /// Number of positions.
  package var points: Int
  /// Whether the device reported a visit as well.
  package var isReported: Bool

  package var coordinate: Coordinate {
    // Never nil, because the values are from a coordinate.
    Coordinate(latitude: Double(latitude) / 1e7, longitude: Double(longitude) / 1e7)!
  }

  /// The departure, or the last position while it continues.
  package var end: Int64 { departure ?? seen }

  /// The confidence that the device was there all the time, 0…1: the share of the time with positions, raised by a
  /// report of the device.
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
    /// The 95 % quantile of the speed in motion, metres per second.
    package var topSpeed: MetersPerSecond
    /// The position of its start, as ``FoundTrip/from``; `nil`: the start of the trip.
    package var from: [Int32]?
    /// The probabilities of walking, of a bicycle and of an engine; `nil` if neither positions nor the motion chip decided the mode.
    package var probabilities: [Double]?
    /// Whether the mode is that of corrected trips between the same places. It is not stored.
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
  /// 1e-7 degrees: latitude and longitude of the first and of the last position.
  package var from: [Int32]
  package var to: [Int32]
  package var segments: [Segment]

  package var distance: Meters { segments.reduce(0) { $0 + $1.distance } }
  package var moving: Double { segments.reduce(0) { $0 + $1.moving } }
  package var topSpeed: MetersPerSecond { segments.map(\.topSpeed).max() ?? 0 }
  /// The mode of the longest distance.
  package var mode: TravelMode {
    var metres: [TravelMode: Meters] = [:]
    for segment in segments { metres[segment.mode, default: 0] += segment.distance }
    // Of equal distances the first mode in order, so that the result is deterministic.
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

  /// The greatest average speed of a part of a trip, metres per second: of marathons, of track cycling, of cars and trains on their
  /// fastest roads and lines, of passenger jets with the wind, of fast ferries.
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

  /// The slowest mode that reaches an average speed; above ``TripMaker/driving`` with an engine.
  init(averageSpeed speed: MetersPerSecond) {
    self =
      speed <= Self.walk.fastest
      ? .walk
      : speed <= TripMaker.driving ? .cycle : speed <= Self.car.fastest ? .car : speed <= Self.train.fastest ? .train : .plane
  }

  /// The mode for one of three. What has an engine is a car: positions do not distinguish a train on an ordinary line well enough.
  package init(_ mode: TransportMode) {
    switch mode {
    case .walk: self = .walk
    case .bike: self = .cycle
    case .motor: self = .car
    }
  }

  /// The mode for an app's name: Overland's `trip_mode` and others.
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

  /// The mode for a result of the motion chip, if it is unambiguous.
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
