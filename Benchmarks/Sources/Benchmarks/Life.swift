import Foundation
import GodwitModel
import GodwitServer

/// A server with the token of its administrator.
struct OwnedServer {
  let server: LocalServer
  let token: String
}

/// The fixes of a person who is at home, at work on weekdays and on trips at weekends, with errors of some metres.
struct Life {
  static let home = (latitude: 46.05, longitude: 14.5)
  static let work = (latitude: 46.15, longitude: 14.75)
  static let middle = (latitude: 46.1, longitude: 14.62)
  static let far = (latitude: 47.0, longitude: 13.0)

  private var state: UInt64 = 17
  private var trip: [(latitude: Double, longitude: Double)] = []
  private let commute: [(latitude: Double, longitude: Double)]
  /// Whether the evenings have rides; otherwise the person is at home.
  private let hasErrands: Bool
  private var errand: [(latitude: Double, longitude: Double)] = []
  private var day = -1
  private(set) var motion: Motion = .stationary

  /// - Parameter hasErrands: whether each evening has a ride through the town, so that the map of the town has many lines.
  init(hasErrands: Bool = false) {
    self.hasErrands = hasErrands
    commute = Self.route(Self.home, Self.work, bends: 60, seed: 3)
  }

  /// A route with bends, the same for the same seed.
  private static func route(
    _ from: (latitude: Double, longitude: Double), _ to: (latitude: Double, longitude: Double), bends: Int, seed: UInt64
  ) -> [(latitude: Double, longitude: Double)] {
    var state = seed
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53) - 0.5
    }
    let bend = max(abs(to.latitude - from.latitude), abs(to.longitude - from.longitude)) / Double(bends) * 1.5
    return (0...bends).map { step in
      let part = Double(step) / Double(bends)
      let isEnd = step == 0 || step == bends
      return (
        from.latitude + (to.latitude - from.latitude) * part + (isEnd ? 0 : random() * bend),
        from.longitude + (to.longitude - from.longitude) * part + (isEnd ? 0 : random() * bend)
      )
    }
  }

  /// Two hours along streets that cross every hundred metres, from home and back.
  private mutating func ride() -> [(latitude: Double, longitude: Double)] {
    var (north, east) = (0, 0)
    var ride = [Self.home]
    for block in 0..<140 {
      // On the way back, each block is nearer to home.
      let isBack = block >= 70
      if random() < 0.5 {
        north += isBack ? -north.signum() : random() < 0.5 ? 1 : -1
      } else {
        east += isBack ? -east.signum() : random() < 0.5 ? 1 : -1
      }
      ride.append((Self.home.latitude + Double(north) * 0.0009, Self.home.longitude + Double(east) * 0.0013))
    }
    return ride
  }

  private mutating func random() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }

  mutating func next(at time: Date) -> Fix {
    let seconds = time.timeIntervalSince1970
    let today = Int(seconds / 86_400)
    let hour = (seconds - Double(today) * 86_400) / 3600
    if today != day {
      day = today
      trip = Self.route(
        Self.home, (Self.home.latitude + (random() - 0.5) * 3, Self.home.longitude + (random() - 0.5) * 4), bends: 300,
        seed: UInt64(today))
      if hasErrands { errand = ride() }
    }
    let isWeekend = [2, 3].contains(today % 7)
    let place: (latitude: Double, longitude: Double)
    motion = .stationary
    switch (isWeekend, hour) {
    case (false, 8..<8.6): (place, motion) = (Self.along(commute, (hour - 8) / 0.6), .driving)
    case (false, 8.6..<17): place = Self.work
    case (false, 17..<17.6): (place, motion) = (Self.along(commute, 1 - (hour - 17) / 0.6), .driving)
    case (true, 9..<12): (place, motion) = (Self.along(trip, (hour - 9) / 3), .driving)
    case (true, 12..<15): place = trip[trip.count - 1]
    case (true, 15..<18): (place, motion) = (Self.along(trip, 1 - (hour - 15) / 3), .driving)
    case (_, 18.5..<20.5) where hasErrands: (place, motion) = (Self.along(errand, (hour - 18.5) / 2), .cycling)
    default: place = Self.home
    }
    let error = (random() + random() - 1, random() + random() - 1)
    // Valid: between 43 and 49 degrees north.
    let coordinate = Coordinate(latitude: place.latitude + error.0 * 0.00006, longitude: place.longitude + error.1 * 0.00009)!
    let isMoving = motion != .stationary
    return Fix(
      time: time, coordinate: coordinate, horizontalAccuracy: 4 + (random() * 12).rounded(),
      altitude: 300 + (random() * 20).rounded(),
      verticalAccuracy: 3 + (random() * 6).rounded(), speed: isMoving ? 10 + random() * 20 : 0,
      course: isMoving ? (random() * 359).rounded() : nil)
  }

  private static func along(_ route: [(latitude: Double, longitude: Double)], _ part: Double) -> (
    latitude: Double, longitude: Double
  ) {
    let position = max(0, min(0.999_999, part)) * Double(route.count - 1)
    let (a, b) = (route[Int(position)], route[Int(position) + 1])
    let rest = position - position.rounded(.down)
    return (a.latitude + (b.latitude - a.latitude) * rest, a.longitude + (b.longitude - a.longitude) * rest)
  }
}
