internal import GodwitModel

/// Divides a track into lines, and simplifies them for a level.
enum OverviewLines {
  /// Seconds without a point that divide lines, as on the page.
  package static let gap = TrackGap.seconds

  /// Divides a track into lines.
  /// - Parameters:
  ///   - track: in the order of its times.
  ///   - time: of a position, milliseconds since 1970.
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

  /// Joins lines that are one at this level, and drops vertices that it does not need.
  /// - Parameters:
  ///   - lines: lines of a finer level, in the order of their times.
  ///   - level: the level.
  static func coarser(_ lines: [[TrackVertex]], _ level: OverviewLevel) -> [[TrackVertex]] {
    var joined: [[TrackVertex]] = []
    for line in lines {
      guard let first = line.first else { continue }
      if let end = joined.last?.last, isSame(end, first, level) {
        // A gap without a visible movement at this level is no gap.
        joined[joined.count - 1] += line
      } else {
        joined.append(line)
      }
    }
    return joined.map { simplified($0, level.tolerance) }
  }

  private static func isSame(_ end: TrackVertex, _ start: TrackVertex, _ level: OverviewLevel) -> Bool {
    if end.time == start.time { return true }
    // A degree has 111 km; a larger difference in one coordinate is too far.
    let reach = level.tolerance / 100_000 * 1e7
    if abs(Double(end.latitude) - Double(start.latitude)) > reach { return false }
    return GreatCircle.distance(end.coordinate, start.coordinate) <= level.tolerance
  }

  private static func simplified(_ line: [TrackVertex], _ tolerance: Meters) -> [TrackVertex] {
    guard line.count > 2 else { return line }
    // The errors of finer levels add up: a quarter, a sixteenth …
    return TrackSimplifier.kept(of: line.lazy.map(\.coordinate), tolerance: tolerance * 0.75).map { line[$0] }
  }

  /// Joins pieces to lines.
  /// - Parameter pieces: in the order of their times.
  package static func lines(of pieces: some Sequence<OverviewPiece.Row>, _ level: OverviewLevel) -> [[TrackVertex]] {
    joined(
      pieces.lazy.map { piece in
        var line: [TrackVertex] = []
        OverviewPiece.Encoding.read(piece.data, unit: level.unit) { line.append($0) }
        return line
      })
  }

  /// Joins lines that continue each other. A stay over midnight may have slightly different places on both days.
  /// - Parameter lines: in the order of their times.
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
