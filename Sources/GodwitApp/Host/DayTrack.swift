internal import Foundation
internal import GodwitModel

/// A position of a day, from this phone or from a server.
struct DayPoint: Sendable, Hashable {
  var time: Date
  var coordinate: Coordinate
  /// Metres; `nil`: unknown.
  var accuracy: Double?
}

/// The positions of a day, and the lines that a map draws from them.
struct DayTrack: Sendable, Hashable {
  /// A part of the day without a gap.
  struct Line: Sendable, Hashable {
    var points: [DayPoint]
    /// Whether no position of the line is from this phone's own record.
    var isHistory: Bool

    /// The length in metres.
    var length: Meters {
      zip(points, points.dropFirst()).reduce(0) { $0 + GreatCircle.distance($1.0.coordinate, $1.1.coordinate) }
    }
  }

  /// Seconds without a position that break a line, as in the server's tracks.
  static let gap = 900.0
  /// Maximum metres by which a drawn line may deviate from the positions.
  static let tolerance = 5.0
  /// Minimum metres of a line that counts as a track and not as a stay.
  static let minimumTrack = 100.0
  /// Maximum seconds by which the times of the same position differ after rounding.
  private static let sameTime = 0.0015

  /// Oldest first, without duplicates.
  let points: [DayPoint]
  private let own: Set<Date>

  /// - Parameters:
  ///   - own: positions of this phone's record, oldest first.
  ///   - history: positions from the server and the journal, in any order. They only fill gaps of the record, because those between two own
  ///     positions show the same path again.
  init(own: [DayPoint], history: [DayPoint] = []) {
    var points: [DayPoint] = []
    points.reserveCapacity(own.count + history.count)
    var next = own.startIndex
    for point in history.sorted(by: { $0.time < $1.time }) {
      while next < own.endIndex, own[next].time <= point.time {
        points.append(own[next])
        next += 1
      }
      let before = next > own.startIndex ? own[next - 1].time : nil
      let after = next < own.endIndex ? own[next].time : nil
      if !Self.isCovered(point.time, before, after), points.last.map({ !Self.isSame($0.time, point.time) }) ?? true {
        points.append(point)
      }
    }
    points += own[next...]
    self.points = points
    self.own = Set(own.map(\.time))
  }

  private static func isSame(_ time: Date, _ other: Date) -> Bool { abs(time.timeIntervalSince(other)) <= sameTime }

  private static func isCovered(_ time: Date, _ before: Date?, _ after: Date?) -> Bool {
    if [before, after].contains(where: { $0.map { isSame($0, time) } ?? false }) { return true }
    guard let before, let after else { return false }
    return after.timeIntervalSince(before) <= gap
  }

  /// The simplified lines. A line of one position is a stay.
  var lines: [Line] {
    parts.map { part in
      let kept = TrackSimplifier.kept(of: part.lazy.map(\.coordinate), tolerance: Self.tolerance)
      return Line(points: kept.map { part[$0] }, isHistory: !part.contains { own.contains($0.time) })
    }
  }

  private var parts: [ArraySlice<DayPoint>] {
    var parts: [ArraySlice<DayPoint>] = []
    var start = points.startIndex
    for next in points.indices.dropFirst() where points[next].time.timeIntervalSince(points[next - 1].time) > Self.gap {
      parts.append(points[start..<next])
      start = next
    }
    if start < points.endIndex { parts.append(points[start...]) }
    // The simplification expects indices from 0.
    return parts.map { ArraySlice(Array($0)) }
  }

  /// The positions without those that drawn lines do not need. The gaps between lines are the same.
  func simplified() -> [DayPoint] {
    parts.flatMap { part in
      var kept: [DayPoint] = []
      for index in TrackSimplifier.kept(of: part.lazy.map(\.coordinate), tolerance: Self.tolerance) {
        // Keeps some positions between two distant times, because otherwise the line would break there.
        if let last = kept.last, part[index].time.timeIntervalSince(last.time) > Self.gap {
          var shown = last.time
          for (point, after) in zip(part, part.dropFirst()) where point.time > last.time && point.time < part[index].time {
            guard after.time.timeIntervalSince(shown) > Self.gap else { continue }
            kept.append(point)
            shown = point.time
          }
        }
        kept.append(part[index])
      }
      return kept
    }
  }

  /// Removes the jitter of a device at rest: position errors would be drawn as movement.
  /// - Parameter points: oldest first.
  static func withoutJitter(_ points: [DayPoint]) -> [DayPoint] {
    points.reduce(into: []) { kept, point in
      guard let last = kept.last else { return kept.append(point) }
      guard GreatCircle.distance(last.coordinate, point.coordinate) < TrackLog.radius(accuracy: point.accuracy) else {
        return kept.append(point)
      }
      if point.time.timeIntervalSince(last.time) >= TrackLog.minimumTime {
        kept.append(DayPoint(time: point.time, coordinate: last.coordinate, accuracy: last.accuracy))
      }
    }
  }
}
