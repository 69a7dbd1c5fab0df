internal import GodwitModel

/// The lines of a track, and what is left of them at a level.
enum OverviewLines {
  /// Seconds without a point that break a line, as on the page.
  static let gap: Int64 = 900

  /// Cuts a track into lines.
  /// - Parameter track: in the order of its times.
  static func lines(of track: [TrackVertex]) -> [[TrackVertex]] {
    var lines: [[TrackVertex]] = []
    var start = 0
    for index in track.indices.dropFirst() where track[index].time - track[index - 1].time > gap * 1000 {
      lines.append(Array(track[start..<index]))
      start = index
    }
    if start < track.count { lines.append(Array(track[start...])) }
    return lines
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
  static func lines(of pieces: some Sequence<OverviewPiece.Row>, _ level: OverviewLevel) -> [[TrackVertex]] {
    var lines: [[TrackVertex]] = []
    for piece in pieces {
      var line: [TrackVertex] = []
      OverviewPiece.Encoding.read(piece.data, unit: level.unit) { line.append($0) }
      guard let first = line.first else { continue }
      if let end = lines.last?.last, end.time == first.time, end.latitude == first.latitude, end.longitude == first.longitude {
        lines[lines.count - 1] += line.dropFirst()
      } else {
        lines.append(line)
      }
    }
    return lines
  }
}

extension OverviewPiece {
  /// A piece as it is read.
  struct Row: Sendable {
    var device: Int64
    var slot: Int64
    var first: Int64
    var data: [UInt8]
  }
}
