import Foundation
import GodwitModel

@testable import GodwitHistory
@testable import GodwitServer

/// A track of simulated points, built step by step.
struct Journey {
  private(set) var points: [TimelinePoint] = []
  /// Milliseconds since 1970.
  private(set) var time: Int64
  private(set) var latitude: Double
  private(set) var longitude: Double
  private var state: UInt64

  init(at start: String = "2026-05-04T06:00:00Z", latitude: Double = 46.05, longitude: Double = 14.5, seed: UInt64 = 1) {
    time = (RFC3339.date(start) ?? .distantPast).millisecondsSince1970
    (self.latitude, self.longitude) = (latitude, longitude)
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func random() -> Double {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Double(state >> 11) / Double(1 << 53)
  }

  // Never `nil`, because these tracks do not cross a pole or the antimeridian.
  var place: Coordinate { Coordinate(latitude: latitude, longitude: longitude)! }

  /// Adds a point at the current position.
  /// - Parameter noise: the maximum error in metres.
  mutating func measure(noise: Double = 0, motion: Motion = []) {
    let (north, east) = ((random() - 0.5) * 2 * noise, (random() - 0.5) * 2 * noise)
    points.append(
      TimelinePoint(
        time: time, latitude: Int32(((latitude + north / 111_195) * 1e7).rounded()),
        longitude: Int32(((longitude + east / 111_195 / cos(latitude * .pi / 180)) * 1e7).rounded()), accuracy: 5,
        motion: motion.rawValue))
  }

  /// Adds a wrong point at an offset in metres from the current position.
  mutating func stray(north: Double, east: Double) {
    points.append(
      TimelinePoint(
        time: time, latitude: Int32(((latitude + north / 111_195) * 1e7).rounded()),
        longitude: Int32(((longitude + east / 111_195 / cos(latitude * .pi / 180)) * 1e7).rounded())))
  }

  /// Stays at the current position.
  /// - Parameters:
  ///   - seconds: the duration.
  ///   - every: the interval of points in seconds; `nil` for none.
  mutating func stay(_ seconds: Double, every: Double? = 60, noise: Double = 8) {
    let end = time + Int64(seconds * 1000)
    if let every {
      while time + Int64(every * 1000) < end {
        time += Int64(every * 1000)
        measure(noise: noise)
      }
    }
    time = end
  }

  /// Moves to the east or the north.
  /// - Parameters:
  ///   - metres: the distance.
  ///   - speed: the speed in metres per second.
  ///   - every: the interval of points in seconds; `nil` for none.
  ///   - swing: the relative variation of the speed.
  mutating func go(
    _ metres: Double, at speed: Double, every: Double? = 5, north: Bool = false, motion: Motion = [], swing: Double = 0
  ) {
    let step = every ?? metres / abs(speed)
    var left = metres
    var phase = 0.0
    while left > 1e-6 {
      phase += step
      // Vehicles accelerate and brake.
      let now = speed * (1 + swing * sin(phase / 5))
      let part = min(left, now * step)
      left -= part
      time += Int64(part / now * 1000)
      if north { latitude += part / 111_195 } else { longitude += part / 111_195 / cos(latitude * .pi / 180) }
      if every != nil { measure(noise: 2, motion: motion) }
    }
  }

  /// The timeline that is computed from all points.
  var results: TimelineBuilder.Results { TimelineBuilder.Results(of: points) }

  var trips: [FoundTrip] { results.tracks.flatMap(TripMaker.trips) }

  var fixes: [Fix] {
    points.map { point in
      Fix(
        time: point.date, coordinate: point.coordinate,
        horizontalAccuracy: point.accuracy > 0 ? Double(point.accuracy) : nil)
    }
  }

  var records: [Record] {
    points.map { point in
      var context = DeviceContext()
      context.motion = Motion(rawValue: point.motion)
      return Record(
        kind: .fix(
          Fix(
            time: point.date, coordinate: point.coordinate,
            horizontalAccuracy: point.accuracy > 0 ? Double(point.accuracy) : nil)), context: context)
    }
  }
}
