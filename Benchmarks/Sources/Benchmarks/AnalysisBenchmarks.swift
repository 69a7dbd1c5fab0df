import Foundation
import GodwitModel

/// Stays, modes of transport and simplification, over half a million generated positions.
enum AnalysisBenchmarks {
  static let count = 500_000

  static func all() -> [Measurement] { [stays(), modes(), simplification(), worstSimplification()] }

  /// Days of walks, rides, drives and rests, with one position per second.
  private static let days: [Fix] = {
    var random = Linear(state: 1)
    // Valid: a place in Europe.
    var place = Coordinate(latitude: 45.4, longitude: 14)!
    var (course, speed, left) = (0.0, 0.0, 0)
    return (0..<count).map { i in
      if left == 0 {
        speed = [0, 1.4, 0, 4.5, 0, 13][Int(random.next() * 6)]
        left = 300 + Int(random.next() * 3000)
      }
      left -= 1
      course += (random.next() - 0.5) * 20
      place = GreatCircle.destination(from: place, course: course, distance: speed)
      let noise = GreatCircle.destination(from: place, course: random.next() * 360, distance: random.next() * 5)
      return Fix(time: Date(timeIntervalSince1970: 1_700_000_000 + Double(i)), coordinate: noise)
    }
  }()

  private static func stays() -> Measurement {
    var found = 0
    let seconds = fastest(of: 5) {
      var finder = StayFinder()
      found = 0
      for fix in days where finder.add(fix.coordinate, at: fix.time) != nil { found += 1 }
    }
    return Measurement(
      name: "stays, 100 m and 5 minutes (\(found) found)", value: Double(count) / seconds, unit: "points/s", goal: 1_000_000,
      comparedTo: "trackintel 1.4.2, given: 138,000 points/s", ratio: Double(count) / seconds / 138_000)
  }

  private static func modes() -> Measurement {
    // Pieces of a quarter of an hour.
    let pieces = stride(from: 0, to: count, by: 900).map { days[$0..<min($0 + 900, count)] }
    var known = 0
    let seconds = fastest(of: 5) { known = pieces.count { TransportMode(of: $0) != nil } }
    return Measurement(
      name: "mode of transport of \(pieces.count) pieces (\(known) moved)", value: Double(count) / seconds, unit: "points/s")
  }

  private static func simplification() -> Measurement {
    let track = days.map(\.coordinate)
    var kept = 0
    let seconds = fastest(of: 5) { kept = TrackSimplifier.kept(of: track, tolerance: 10).count }
    var theirs = 0
    let other = fastest(of: 3) { theirs = DouglasPeucker.kept(of: track, tolerance: 10).count }
    return Measurement(
      name: "simplification of \(count) positions, 10 m (\(kept) kept)", value: seconds, unit: "s", goal: 1, lowerIsBetter: true,
      comparedTo: "Douglas and Peucker: \(String(format: "%.3f", other)) s, \(theirs) kept", ratio: seconds / other)
  }

  /// Shapes for which other algorithms are quadratic, or for which this one decides as late as possible.
  private static func worstSimplification() -> Measurement {
    let zigzag = (0..<count).map { i in
      // Valid: within a degree of the equator.
      Coordinate(latitude: Double(i) * 1e-6 * (i.isMultiple(of: 2) ? 1 : -1), longitude: Double(i) * 1e-6)!
    }
    var random = Linear(state: 2)
    let center = zigzag[0]
    let fan = (0..<count).map { _ in
      GreatCircle.destination(from: center, course: random.next() * 12, distance: 100 - random.next() * 60)
    }
    let spiral = (0..<count).map { i in
      GreatCircle.destination(from: center, course: Double(i) / 20, distance: Double(i) / 1000)
    }
    let worst = [zigzag, fan, spiral].map { track in
      fastest(of: 3) { consume(TrackSimplifier.kept(of: track, tolerance: 10).count) }
    }
    return Measurement(
      name: "the same for zigzag, fan and spiral: the slowest", value: worst.max() ?? .infinity, unit: "s", goal: 1,
      lowerIsBetter: true)
  }
}

/// A random source with the same numbers on every machine (Knuth's linear congruential generator, MMIX).
struct Linear {
  var state: UInt64
  /// 0 ..< 1.
  mutating func next() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / 9_007_199_254_740_992
  }
}

/// The usual algorithm, for comparison: splits at the position with the greatest distance (Douglas and Peucker,
/// Cartographica 10, 1973), with a stack, on a plane in metres. It is quadratic for shapes like the zigzag.
private enum DouglasPeucker {
  static func kept(of track: [Coordinate], tolerance: Meters) -> [Int] {
    guard let first = track.first else { return [] }
    let degree = GreatCircle.earthRadius * .pi / 180
    let shrink = cos(first.latitude * .pi / 180)
    let plane = track.map { SIMD2($0.longitude * degree * shrink, $0.latitude * degree) }
    var isKept = [Bool](repeating: false, count: plane.count)
    isKept[0] = true
    isKept[plane.count - 1] = true
    var open = [(0, plane.count - 1)]
    while let (from, to) = open.popLast() {
      guard to - from > 1 else { continue }
      let (start, direction) = (plane[from], plane[to] - plane[from])
      let length = max((direction * direction).sum(), .leastNormalMagnitude)
      var (furthest, maximum) = (from, tolerance * tolerance)
      for i in from + 1..<to {
        let point = plane[i] - start
        let rest = point - direction * min(1, max(0, (point * direction).sum() / length))
        let off = (rest * rest).sum()
        if off > maximum { (furthest, maximum) = (i, off) }
      }
      guard furthest != from else { continue }
      isKept[furthest] = true
      open += [(from, furthest), (furthest, to)]
    }
    return isKept.indices.filter { isKept[$0] }
  }
}
