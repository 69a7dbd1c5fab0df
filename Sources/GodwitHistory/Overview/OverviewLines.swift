internal import GodwitModel

/// The lines of a track, and what is left of them at a level.
enum OverviewLines {
  /// Seconds without a point that break a line, as on the page.
  package static let gap = TrackGap.seconds

  /// Cuts a track into lines.
  /// - Parameters:
  ///   - track: in the order of its times.
  ///   - time: of a position, milliseconds since 1970.
  /// - Returns: where each line lies in the track.
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

  /// Joins what is one line at this level, and leaves out what it does not need.
  /// - Parameters:
  ///   - lines: of a finer level, in the order of their times.
  ///   - level: for which.
  static func coarser(_ lines: [[TrackVertex]], _ level: OverviewLevel) -> [[TrackVertex]] {
    var joined: [[TrackVertex]] = []
    for line in lines {
      guard let first = line.first else { continue }
      if let end = joined.last?.last, isSame(end, first, level) {
        // A gap in which nothing moved as far as this level sees is none.
        joined[joined.count - 1] += line
      } else {
        joined.append(line)
      }
    }
    return joined.map { simplified($0, level.tolerance) }
  }

  private static func isSame(_ end: TrackVertex, _ start: TrackVertex, _ level: OverviewLevel) -> Bool {
    if end.time == start.time { return true }
    // A degree has 111 km: what is further apart than this in one of them is too far.
    let reach = level.tolerance / 100_000 * 1e7
    if abs(Double(end.latitude) - Double(start.latitude)) > reach { return false }
    return GreatCircle.distance(end.coordinate, start.coordinate) <= level.tolerance
  }

  private static func simplified(_ line: [TrackVertex], _ tolerance: Meters) -> [TrackVertex] {
    guard line.count > 2 else { return line }
    // What the levels before left out adds to it: a quarter, a sixteenth …
    return TrackSimplifier.kept(of: line.lazy.map(\.coordinate), tolerance: tolerance * 0.75).map { line[$0] }
  }

  /// Puts pieces together again.
  /// - Parameter pieces: in the order of their times.
  package static func lines(of pieces: some Sequence<OverviewPiece.Row>, _ level: OverviewLevel) -> [[TrackVertex]] {
    joined(
      pieces.lazy.map { piece in
        var line: [TrackVertex] = []
        OverviewPiece.Encoding.read(piece.data, unit: level.unit) { line.append($0) }
        return line
      })
  }

  /// Makes one line of those that go on where another ended. Where a stay goes on over midnight, the two days may have it in places
  /// that are a little apart.
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
  /// A piece as it is read.
  package struct Row: Sendable {
    package var device: Int64
    package var slot: Int64
    package var first: Int64
    package var data: [UInt8]
  }
}
