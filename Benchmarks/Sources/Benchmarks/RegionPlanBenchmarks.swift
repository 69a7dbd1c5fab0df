import Foundation
import Godwit
import GodwitEngine
import GodwitModel

/// The device's selection of the geofences to monitor, from 100,000 geofences within 200 km.
enum RegionPlanBenchmarks {
  static let count = 100_000

  static func all() -> [Measurement] {
    var catalogue = RegionCatalogue.empty
    let building = fastest(of: 3) { catalogue = RegionCatalogue(regions, digest: "") }
    let cold = coldest(catalogue)
    return [
      Measurement(
        name: "regions: a catalogue of \(count) geofences, with its index", value: building * 1000, unit: "ms", goal: 500,
        lowerIsBetter: true),
      Measurement(
        name: "regions: first plan for \(count) geofences", value: cold * 1000, unit: "ms", goal: 5, lowerIsBetter: true,
        comparedTo: "sorting all by distance: \(String(format: "%.1f", sorting() * 1000)) ms", ratio: cold / sorting()),
      Measurement(
        name: "regions: a plan, by the mean of 1,000 places", value: warm(catalogue) * 1_000_000, unit: "µs", goal: 1000,
        lowerIsBetter: true),
      Measurement(
        name: "regions: a fix at which nothing changes", value: quiet(catalogue) * 1_000_000, unit: "µs", goal: 1,
        lowerIsBetter: true),
      Measurement(
        name: "regions: a fix on the way through them", value: driving(catalogue) * 1_000_000, unit: "µs"),
    ]
  }

  /// Valid: a place in Europe.
  private static let center = Coordinate(latitude: 46, longitude: 14.5)!

  private static let regions: [Region] = {
    var random = Places(state: 1)
    return (0..<count).map { number in
      let circle = Circle(center: random.place(round: center, within: 200_000), radius: 100 + 900 * random.next())
      return Region(id: "fence-\(number)", name: "Fence \(number)", shape: .circle(circle), tags: ["shop"])
    }
  }()

  /// Returns the seconds of the first plan of a new catalogue, the slowest of five.
  private static func coldest(_ catalogue: RegionCatalogue) -> Double {
    var seconds = 0.0
    for number in 0..<5 {
      let fresh = RegionCatalogue(regions, digest: "\(number)")
      seconds = max(seconds, fastest(of: 1) { consume(RegionSelection(place: center, accuracy: 20).plan(in: fresh)) })
    }
    return seconds
  }

  private static func warm(_ catalogue: RegionCatalogue) -> Double {
    var random = Places(state: 2)
    let places = (0..<1000).map { _ in random.place(round: center, within: 150_000) }
    return fastest(of: 3) {
      for place in places { consume(RegionSelection(place: place, accuracy: 20).plan(in: catalogue)) }
    } / 1000
  }

  private static func quiet(_ catalogue: RegionCatalogue) -> Double {
    var watch = RegionWatch()
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    consume(watch.handle(.launched(monitored: [], foreign: 0), at: start, in: catalogue))
    // A place far from every edge.
    var random = Places(state: 3)
    let place = (0..<200).map { _ in random.place(round: center, within: 190_000) }.max { edge($0) < edge($1) } ?? center
    let fixes = (0..<100_000).map { second in
      let there = GreatCircle.destination(from: place, course: Double(second), distance: Double(second % 10))
      return Fix(time: start.addingTimeInterval(Double(second)), coordinate: there, horizontalAccuracy: 5)
    }
    consume(watch.handle(.fix(fixes[0]), at: start, in: catalogue))
    var reported = 0
    let seconds = fastest(of: 5) {
      var watch = watch
      for fix in fixes { reported += watch.handle(.fix(fix), at: fix.time, in: catalogue).count }
    }
    precondition(reported == 0, "the place of the benchmark is not a quiet one")
    return seconds / Double(fixes.count)
  }

  /// Metres to the nearest edge.
  private static func edge(_ place: Coordinate) -> Meters {
    regions.lazy.map { region in
      if case .circle(let circle) = region.shape { abs(circle.distanceToEdge(from: place)) } else { .infinity }
    }.min() ?? .infinity
  }

  /// Seconds per fix in two hours on a motorway, with one fix per second.
  private static func driving(_ catalogue: RegionCatalogue) -> Double {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let begin = GreatCircle.destination(from: center, course: 225, distance: 120_000)
    let fixes = (0..<7200).map { second in
      let place = GreatCircle.destination(from: begin, course: 45, distance: Double(second) * 33)
      return Fix(time: start.addingTimeInterval(Double(second)), coordinate: place, horizontalAccuracy: 5)
    }
    return fastest(of: 3) {
      var watch = RegionWatch()
      consume(watch.handle(.launched(monitored: [], foreign: 0), at: start, in: catalogue))
      for fix in fixes { consume(watch.handle(.fix(fix), at: fix.time, in: catalogue)) }
    } / Double(fixes.count)
  }

  /// The usual algorithm, for comparison: computes the distance to every centre, and sorts.
  private static func sorting() -> Double {
    let circles = regions.compactMap { region in
      if case .circle(let circle) = region.shape { circle } else { Circle?.none }
    }
    return fastest(of: 3) {
      let distances = circles.map { GreatCircle.distance($0.center, center) }
      consume(distances.enumerated().sorted { $0.element < $1.element }.prefix(20).map(\.offset))
    }
  }
}

/// A random source with the same places on every machine (Knuth's linear congruential generator, MMIX).
private struct Places {
  var state: UInt64

  /// 0 ..< 1.
  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / 9_007_199_254_740_992
  }

  mutating func place(round center: Coordinate, within distance: Meters) -> Coordinate {
    let away = distance * next().squareRoot()
    return GreatCircle.destination(from: center, course: next() * 360, distance: away)
  }
}
