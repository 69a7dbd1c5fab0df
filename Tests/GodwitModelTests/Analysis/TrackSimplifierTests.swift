import Foundation
import TestTexts
import Testing

@testable import GodwitModel

private func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
  try #require(Coordinate(latitude: latitude, longitude: longitude))
}

/// Returns the metres from a position to the nearest point of the line between two others, by the formulas of navigation, which
/// are independent of the simplifier's computation.
private func distance(_ place: Coordinate, fromLine a: Coordinate, _ b: Coordinate) -> Meters {
  let radius = GreatCircle.earthRadius
  let (distance, length) = (GreatCircle.distance(a, place), GreatCircle.distance(a, b))
  let ends = min(distance, GreatCircle.distance(b, place))
  if length == 0 { return ends }
  let turn = (GreatCircle.initialCourse(from: a, to: place) - GreatCircle.initialCourse(from: a, to: b)) * .pi / 180
  if cos(turn) <= 0 { return ends }
  let across = asin(min(1, sin(distance / radius) * abs(sin(turn))))
  let along = atan2(sin(distance / radius) * cos(turn), cos(distance / radius)) * radius
  return along > length ? ends : across * radius
}

/// Returns the violations of the guarantees by the kept positions of a track.
private func faults(_ kept: [Int], of track: [Coordinate], tolerance: Meters) -> [String] {
  guard kept.first == 0, kept.last == track.count - 1 else { return ["an end is missing: \(kept)"] }
  var faults: [String] = []
  for (from, to) in zip(kept, kept.dropFirst()) {
    if to <= from { faults.append("\(to) after \(from)") }
    for left in kept.isEmpty ? 0..<0 : from + 1..<max(to, from + 1) {
      let off = distance(track[left], fromLine: track[from], track[to])
      // A millimetre and a millionth for the rounding differences of the two formulas.
      if off > tolerance * (1 + 1e-6) + 1e-3 { faults.append("\(left) is \(off) m off the line \(from)–\(to)") }
    }
  }
  return faults
}

@Suite("Simplified tracks")
struct TrackSimplifierTests {
  @Test(
    "omitted positions are within the tolerance, both ends are kept, and the order does not change",
    arguments: awkwardPlaces, [1.0, 5, 10, 50, 1000])
  func withinTolerance(_ start: (latitude: Double, longitude: Double), _ tolerance: Meters) throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      var random = SeededNumbers(seed)
      let track = random.wander(from: try place(start.latitude, start.longitude), count: 1500)
      let kept = TrackSimplifier.kept(of: track, tolerance: tolerance)
      #expect(faults(kept, of: track, tolerance: tolerance).prefix(3) == [])
      #expect(kept.count < track.count * 3 / 4 || tolerance < 5)
    }
  }

  @Test(
    "the same holds for shapes that are hard to simplify",
    arguments: ["spiral", "zigzag", "noise", "flight", "there and back", "curve"])
  func shapes(_ shape: String) throws {
    var random = SeededNumbers(7)
    let track = try (0..<4000).map { i in
      let t = Double(i)
      return switch shape {
      case "spiral": try place(45 + 1e-6 * t * cos(t / 50), remainder(179.999 + 1e-6 * t * sin(t / 50), 360))
      case "zigzag": try place(1e-6 * t * (i.isMultiple(of: 2) ? 1 : -1), 14 + 1e-6 * t)
      case "noise": try place(45 + .random(in: 0...3e-4, using: &random), 14 + .random(in: 0...3e-4, using: &random))
      case "flight": try place(60 * sin(t / 900), remainder(t / 10, 360))
      case "there and back": try place(45, 14 + 1e-5 * Double((i * 37) % 101))
      default: try place(80 * t * t * t / 64e9, t / 40)
      }
    }
    for tolerance in [0.5, 10, 500, 100_000.0] {
      let kept = TrackSimplifier.kept(of: track, tolerance: tolerance)
      #expect(faults(kept, of: track, tolerance: tolerance).prefix(3) == [])
    }
  }

  @Test("examples of tracks with the positions that remain")
  func table() throws {
    let line = try (0...100).map { try place(0, Double($0) * 1e-4) }
    #expect(TrackSimplifier.kept(of: [], tolerance: 10) == [])
    #expect(TrackSimplifier.kept(of: line.prefix(1), tolerance: 10) == [0])
    #expect(TrackSimplifier.kept(of: line.prefix(2), tolerance: 10) == [0, 1])
    #expect(TrackSimplifier.kept(of: line, tolerance: 1) == [0, 100])
    #expect(TrackSimplifier.kept(of: [Coordinate](repeating: line[3], count: 50), tolerance: 1) == [0, 49])
    // There and back: the turning point is kept, although the track is straight.
    #expect(TrackSimplifier.kept(of: line + line.reversed().dropFirst(), tolerance: 1) == [0, 100, 200])
    // A corner, and one position that jumps.
    let corner = try (0...100).map { try place(Double(max(0, $0 - 50)) * 1e-4, Double(min($0, 50)) * 1e-4) }
    #expect(TrackSimplifier.kept(of: corner, tolerance: 1) == [0, 50, 100])
    var jump = line
    jump[40] = try place(0.01, 0.004)
    let kept = TrackSimplifier.kept(of: jump, tolerance: 1)
    #expect(kept == [0, 39, 40, 41, 100])
  }

  @Test("a line through the antimeridian or over a pole is as straight as any", arguments: [(10.0, 90.0), (89.99, 0.0)])
  func straight(_ latitude: Double, _ course: Degrees) throws {
    let start = try place(latitude, 179.99)
    let track = (0...300).map { GreatCircle.destination(from: start, course: course, distance: Double($0) * 10) }
    #expect(TrackSimplifier.kept(of: track, tolerance: 0.5) == [0, 300])
  }

  @Test("an invalid tolerance keeps every turn", arguments: [0, -5, Double.nan])
  func noTolerance(_ tolerance: Meters) throws {
    var random = SeededNumbers(3)
    let track = random.wander(from: try place(45, 14), count: 500)
    #expect(faults(TrackSimplifier.kept(of: track, tolerance: tolerance), of: track, tolerance: 0).isEmpty)
  }

  @Test("a tolerance larger than the track keeps only the ends", arguments: [1e7, Double.infinity])
  func allTolerance(_ tolerance: Meters) throws {
    var random = SeededNumbers(3)
    let track = random.wander(from: try place(45, 14), count: 500)
    #expect(TrackSimplifier.kept(of: track, tolerance: tolerance) == [0, 499])
  }

  @Test("a finished simplifier begins another track")
  func again() throws {
    var simplifier = TrackSimplifier(tolerance: 5)
    var random = SeededNumbers(9)
    let track = random.wander(from: try place(45, 14), count: 400)
    var rounds: [[Int]] = []
    for _ in 0..<2 {
      var kept: [Int] = []
      for place in track { simplifier.add(place) { kept.append($0) } }
      simplifier.finish { kept.append($0) }
      rounds.append(kept)
    }
    #expect(rounds[0] == rounds[1] && rounds[0] == TrackSimplifier.kept(of: track, tolerance: 5))
  }

  @Test("at most 32 positions are pending, also if the distance from the start never reaches a new maximum")
  func waiting() throws {
    var random = SeededNumbers(11)
    let center = try place(45, 14)
    var simplifier = TrackSimplifier(tolerance: 10)
    var maximum = 0
    for i in 0..<5000 {
      let course = Double.random(in: 0..<15, using: &random)
      let place = GreatCircle.destination(from: center, course: course, distance: .random(in: 20...60, using: &random))
      simplifier.add(i == 0 ? center : place) { _ in }
      maximum = max(maximum, simplifier.waitingCount)
    }
    #expect(maximum == TrackSimplifier.lookahead)
  }

  /// Returns the number of positions that the usual algorithm keeps, for comparison: recursive splits at the position with the
  /// largest distance (Douglas and Peucker, 1973).
  private func douglasPeucker(_ track: [Coordinate], tolerance: Meters) -> Int {
    var kept = 2
    var open = [(0, track.count - 1)]
    while let (from, to) = open.popLast() {
      var (furthest, maximum) = (from, tolerance)
      for i in from + 1..<max(to, from + 1) {
        let off = distance(track[i], fromLine: track[from], track[to])
        if off > maximum { (furthest, maximum) = (i, off) }
      }
      guard furthest != from else { continue }
      kept += 1
      open += [(from, furthest), (furthest, to)]
    }
    return kept
  }

  @Test(
    "real days keep fewer positions than Douglas and Peucker do",
    .enabled(if: SharedTracks.areAvailable, SharedTracks.skipReason),
    arguments: [("000", 290), ("001", 1062), ("002", 1589), ("005", 1192), ("007", 1508), ("010", 1326)])
  func geolife(_ user: String, _ expected: Int) throws {
    let track = try SharedTracks.fixes("geolife/\(user)", ".plt").map(\.coordinate)
    let kept = TrackSimplifier.kept(of: track, tolerance: 10)
    #expect(faults(kept, of: track, tolerance: 10).prefix(3) == [])
    // The figures of Documentation/Analysis.md. The last bits of a sine may change a few.
    #expect(abs(kept.count - expected) <= 5)
    let theirs = douglasPeucker(track, tolerance: 10)
    #expect(Double(kept.count) < 0.9 * Double(theirs), "\(kept.count) and \(theirs) of \(track.count)")
  }
}
