package import Foundation
package import GodwitModel
package import GodwitSimulator

/// Random days of a person in a city: trips to work and back, walks at noon, errands by car or by bicycle, with stops at traffic
/// lights. On about three of ten days the person does not work.
package struct CityLife: Sendable {
  /// 2026-11-20 00:00:00 UTC, the start of every simulated life.
  package static let midnight = SimulatedTime(microseconds: 1_795_132_800_000_000)

  private typealias Spot = (north: Meters, east: Meters)
  private let city: FenceCity
  private var random: RandomSource
  private var spot: Spot
  private var time = 0.0
  package private(set) var fixes: [Fix] = []

  package init(in city: FenceCity, days: Int, seed: UInt64) {
    self.city = city
    random = RandomSource(seed: seed, stream: "life")
    spot = (0, 0)
    spot = somewhere(within: city.reach * 0.6)
    let house = spot
    let work = somewhere(within: city.reach * 0.8)
    record()
    for day in 0..<days {
      time = max(time, Double(day) * 86_400 + random.uniform(22_000...30_000))
      if random.happens(0.7) {
        drive(to: work)
        stay(random.uniform(9_000...14_000))
        let noon = spot
        walk(to: near(noon, within: 900))
        stay(random.uniform(600...3_000))
        walk(to: noon)
        stay(random.uniform(9_000...15_000))
      }
      for _ in 0..<Int(random.uniform(0...3.99)) {
        if random.happens(0.7) { drive(to: somewhere(within: city.reach)) } else { cycle(to: near(spot, within: 4_000)) }
        stay(random.uniform(180...4_000))
      }
      drive(to: house)
    }
    time += 43_200
    record()
  }

  package var end: SimulatedTime { Self.midnight + time }

  /// A time as the day of the life and the time of the day: `3d17:27:48`.
  static func text(_ time: Date) -> String {
    let seconds = Int(time.timeIntervalSince(midnight.date))
    let parts = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map { String(format: "%02d", $0) }
    return "\(seconds / 86_400)d" + parts.joined(separator: ":")
  }

  /// The time that `text(_:)` formats as `text`; `nil`: the text has another format.
  package static func time(_ text: String) -> Date? {
    let numbers = text.split(whereSeparator: { $0 == "d" || $0 == ":" }).map { Int($0) }
    guard numbers.count == 4, let days = numbers[0], let hours = numbers[1], let minutes = numbers[2], let seconds = numbers[3]
    else { return nil }
    return midnight.date.addingTimeInterval(Double(((days * 24 + hours) * 60 + minutes) * 60 + seconds))
  }

  private mutating func somewhere(within reach: Meters) -> Spot {
    (onGrid(random.uniform(-reach...reach)), onGrid(random.uniform(-reach...reach)))
  }

  private mutating func near(_ place: Spot, within reach: Meters) -> Spot {
    (onGrid(place.north + random.uniform(-reach...reach)), onGrid(place.east + random.uniform(-reach...reach)))
  }

  private func onGrid(_ meters: Meters) -> Meters { (meters / FenceCity.block).rounded() * FenceCity.block }

  private mutating func record() {
    fixes.append(
      Fix(time: (Self.midnight + time).date, coordinate: FenceCity.place(north: spot.north, east: spot.east)))
  }

  private mutating func stay(_ seconds: Double) {
    time += seconds
    record()
  }

  private mutating func drive(to end: Spot) { go(to: end, speeds: 8...14, stops: 0.15) }
  private mutating func cycle(to end: Spot) { go(to: end, speeds: 4...6, stops: 0.1) }
  private mutating func walk(to end: Spot) { go(to: end, speeds: 1.2...1.6, stops: 0.05) }

  /// Moves along the streets, with a few turns.
  private mutating func go(to end: Spot, speeds: ClosedRange<Double>, stops: Double) {
    let turns = 1 + Int(random.uniform(0...2.99))
    let start = spot
    record()
    for turn in 1...turns {
      let part = Double(turn) / Double(turns)
      let corner = (
        onGrid(start.north + (end.north - start.north) * part), onGrid(start.east + (end.east - start.east) * part)
      )
      let isNorthFirst = random.happens(0.5)
      straight(to: isNorthFirst ? (corner.0, spot.east) : (spot.north, corner.1), speeds, stops)
      straight(to: corner, speeds, stops)
    }
  }

  private mutating func straight(to end: Spot, _ speeds: ClosedRange<Double>, _ stops: Double) {
    var left = max(abs(end.north - spot.north), abs(end.east - spot.east))
    let direction = ((end.north - spot.north).sign(left), (end.east - spot.east).sign(left))
    while left > 0 {
      let speed = random.uniform(speeds)
      let step = min(left, max(FenceCity.block / 2, speed * 40))
      time += step / speed
      left -= step
      spot = left <= 0 ? end : (spot.north + direction.0 * step, spot.east + direction.1 * step)
      record()
      if random.happens(stops) { stay(random.uniform(5...55)) }
    }
  }
}

extension Double {
  /// The direction of a distance as −1, 0 or 1.
  fileprivate func sign(_ length: Double) -> Double { length == 0 ? 0 : (self / length).rounded() }
}
