internal import Foundation
internal import GodwitModel

/// Divides a track into lines, and simplifies them for a level.
enum OverviewLines {
  /// Seconds without a point that divide a track into lines. The web pages use the same value.
  package static let gap = TrackGap.seconds

  /// Divides a track into lines.
  /// - Parameters:
  ///   - track: positions in the order of their times.
  ///   - time: returns the time of a position in milliseconds since 1970.
  /// - Returns: the range of each line in the track.
  package static func ranges<Position>(of track: [Position], time: (Position) -> Int64) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for index in track.indices.dropFirst() where time(track[index]) - time(track[index - 1]) > gap * 1000 {
      ranges.append(start..<index)
      start = index
    }
    if start < track.count { ranges.append(start..<track.count) }
    return ranges
  }

  /// Joins lines that have no visible gap at this level, and drops vertices that the level does not need.
  /// - Parameters:
  ///   - lines: the lines of a finer level, in the order of their times.
  ///   - level: the level.
  static func coarser(_ lines: [[TrackVertex]], _ level: OverviewLevel) -> [[TrackVertex]] {
    var joined: [[TrackVertex]] = []
    for line in lines {
      guard let first = line.first else { continue }
      if let end = joined.last?.last, isSame(end, first, level) {
        // A gap without a visible movement at this level is ignored.
        joined[joined.count - 1] += line
      } else {
        joined.append(line)
      }
    }
    return joined.map { simplified($0, level.tolerance) }
  }

  private static func isSame(_ end: TrackVertex, _ start: TrackVertex, _ level: OverviewLevel) -> Bool {
    if end.time == start.time { return true }
    // A degree of latitude has 111 km. A larger difference in latitude is too far.
    let reach = level.tolerance / 100_000 * 1e7
    if abs(Double(end.latitude) - Double(start.latitude)) > reach { return false }
    return GreatCircle.distance(end.coordinate, start.coordinate) <= level.tolerance
  }

  private static func simplified(_ line: [TrackVertex], _ tolerance: Meters) -> [TrackVertex] {
    guard line.count > 2 else { return line }
    // The deviations of finer levels add up: a quarter, a sixteenth, and so on.
    let kept = TrackSimplifier.kept(of: line.lazy.map(\.coordinate), tolerance: tolerance * 0.75)
    var vertices: [TrackVertex] = []
    vertices.reserveCapacity(kept.count)
    for (start, end) in zip(kept, kept.dropFirst()) {
      let stride = max(
        1, (end - start) / max(1, partsOnMap(from: line[start], over: line[(start + end) / 2], to: line[end], tolerance)))
      for index in Swift.stride(from: start, to: end, by: stride) { vertices.append(line[index]) }
    }
    if let last = kept.last { vertices.append(line[last]) }
    return vertices
  }

  /// A simplified step is an arc of a great circle, but a map draws it as a straight line. Returns the number of straight parts
  /// that are within the tolerance of the arc.
  private static func partsOnMap(
    from start: TrackVertex, over middle: TrackVertex, to end: TrackVertex, _ tolerance: Meters
  ) -> Int {
    // Below 0.3 degrees the arc deviates only by metres.
    guard abs(Int64(start.latitude) - Int64(end.latitude)) + abs(Int64(start.longitude) - Int64(end.longitude)) > 3_000_000 else {
      return 1
    }
    let length = GreatCircle.distance(start.coordinate, end.coordinate)
    let latitude = min(Double(max(abs(start.latitude), abs(middle.latitude), abs(end.latitude))) / 1e7, 80)
    // The curvature of a parallel is proportional to the tangent of its latitude.
    let height = length * length / (8 * GreatCircle.earthRadius) * max(0.2, tan(latitude * .pi / 180))
    return Int((height / tolerance).squareRoot().rounded(.up))
  }

  /// Joins pieces to lines.
  /// - Parameter pieces: the pieces, in the order of their times.
  package static func lines(of pieces: some Sequence<OverviewPiece.Row>, _ level: OverviewLevel) -> [[TrackVertex]] {
    joined(
      pieces.lazy.map { piece in
        var line: [TrackVertex] = []
        OverviewPiece.Encoding.read(piece.data, unit: level.unit) { line.append($0) }
        return line
      })
  }

  /// Joins lines that continue each other. A stay over midnight may have slightly different positions on both days.
  /// - Parameter lines: the lines, in the order of their times.
  package static func joined(_ lines: some Sequence<[TrackVertex]>) -> [[TrackVertex]] {
    var joined: [[TrackVertex]] = []
    for line in lines {
      guard let first = line.first else { continue }
      if let end = joined.last?.last, end.time / 1000 == first.time / 1000 {
        joined[joined.count - 1] += line.dropFirst()
      } else {
        joined.append(line)
      }
    }
    return joined
  }
}

extension OverviewPiece {
  /// A stored piece.
  package struct Row: Sendable {
    package var device: Int64
    package var slot: Int64
    package var first: Int64
    package var data: [UInt8]
  }
}
