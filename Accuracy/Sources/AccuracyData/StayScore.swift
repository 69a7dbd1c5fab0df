/// Scores of found stays against a diary, by samples and by stays.
///
/// Samples are scored by the method of the authors of Stop & Go (Spang et al., 2022): each position is a stop or not.
package struct StayScore: Sendable, Hashable {
  /// The minimum duration of a stay of a diary that is counted, in seconds.
  package static let minimumDuration: Int64 = 300
  /// Seconds without a position that end a stay of a diary.
  package static let maximumGap: Int64 = 900

  /// The minimum overlap of a found stay and a stay of the diary in seconds, so that an edge with an error of some seconds is no piece.
  package static let minimumOverlap: Int64 = 60

  /// A stay of a diary.
  package struct TrueStay: Sendable, Hashable {
    package var start: Int64
    package var end: Int64
    /// Whether a position in motion is next to the edge.
    package var hasArrival: Bool
    package var hasDeparture = false
  }

  /// A stay in seconds since 1970.
  package struct Stay: Sendable, Hashable {
    package var start: Int64
    package var end: Int64
    package init(start: Int64, end: Int64) { (self.start, self.end) = (start, end) }
  }

  /// Positions of a stop that are in a found stay, and those that are in none.
  package private(set) var foundStops = 0
  package private(set) var lostStops = 0
  /// Positions in motion that are in no found stay, and those that are in one.
  package private(set) var foundMoves = 0
  package private(set) var lostMoves = 0
  /// Stays of the diary.
  package private(set) var stays = 0
  /// Stays of the diary that no found stay overlaps by ``minimumOverlap``.
  package private(set) var missed = 0
  /// Stays of the diary that several found stays overlap by ``minimumOverlap``.
  package private(set) var inPieces = 0

  /// Absolute errors of arrivals and departures in seconds, if the diary has positions on both sides of them.
  package private(set) var arrivals: [Double] = []
  package private(set) var departures: [Double] = []

  package init() {}

  /// Adds the positions of a user in order of time, and the stays that were found in them.
  package mutating func add(_ samples: [StayDiaries.Sample], found: [Stay]) {
    let found = found.sorted { ($0.start, $0.end) < ($1.start, $1.end) }
    var next = 0
    for sample in samples {
      // Found stays of one program do not overlap, so that their ends are also in order.
      while next < found.count, found[next].end < sample.time { next += 1 }
      let isFound = next < found.count && found[next].start <= sample.time
      switch (sample.isStop, isFound) {
      case (true, true): foundStops += 1
      case (true, false): lostStops += 1
      case (false, true): lostMoves += 1
      case (false, false): foundMoves += 1
      }
    }
    for stay in Self.stays(of: samples) {
      let hits = found.filter { min($0.end, stay.end) - max($0.start, stay.start) >= Self.minimumOverlap }
      stays += 1
      if hits.isEmpty { missed += 1 }
      if hits.count > 1 { inPieces += 1 }
      if stay.hasArrival, let first = hits.first { arrivals.append(Double(abs(first.start - stay.start))) }
      if stay.hasDeparture, let last = hits.last { departures.append(Double(abs(last.end - stay.end))) }
    }
  }

  /// Returns the value below which a share of the numbers is; `nil` without numbers.
  package static func quantile(_ values: [Double], _ share: Double) -> Double? {
    guard !values.isEmpty else { return nil }
    return values.sorted()[min(values.count - 1, max(0, Int(share * Double(values.count))))]
  }

  /// Returns the stays of a diary that last at least ``minimumDuration``.
  package static func stays(of samples: [StayDiaries.Sample]) -> [TrueStay] {
    var stays: [TrueStay] = []
    var open: TrueStay?
    var before: StayDiaries.Sample?
    for sample in samples {
      let isNext = before.map { sample.time - $0.time <= minimumOverlap } ?? false
      if var stay = open, !sample.isStop || sample.time - stay.end > maximumGap {
        stay.hasDeparture = isNext && !sample.isStop
        stays.append(stay)
        open = nil
      }
      if sample.isStop {
        if open == nil {
          open = TrueStay(start: sample.time, end: sample.time, hasArrival: isNext && before?.isStop == false)
        }
        open?.end = sample.time
      }
      before = sample
    }
    if let open { stays.append(open) }
    return stays.filter { $0.end - $0.start >= minimumDuration }
  }

  private static func share(_ part: Int, _ other: Int) -> Double { part + other > 0 ? Double(part) / Double(part + other) : 0 }

  /// The share of positions that are classified correctly, 0…1.
  package var accuracy: Double { Self.share(foundStops + foundMoves, lostStops + lostMoves) }
  /// The mean of the shares of both kinds of positions that are classified correctly, 0…1.
  package var balancedAccuracy: Double { (Self.share(foundStops, lostStops) + Self.share(foundMoves, lostMoves)) / 2 }
  /// The F1 score of stops.
  package var f1: Double { Self.share(2 * foundStops, lostStops + lostMoves) }
}
