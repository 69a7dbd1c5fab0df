internal import Foundation
public import GodwitModel
public import GodwitSimulator

/// Positions that an app recorded, for comparison with the true positions.
public struct Track: Sendable, Hashable {
  /// Sorted by time.
  public let fixes: [Fix]

  /// - Parameter fixes: Positions in any order.
  public init(_ fixes: [Fix]) { self.fixes = fixes.sorted { $0.time < $1.time } }

  /// Returns the positions in a time range.
  /// - Parameter window: The range; `nil` for all positions.
  public func part(_ window: Expectation.Window?) -> Track {
    guard let window else { return self }
    return Track(fixes.filter { window.start.date <= $0.time && $0.time <= window.end.date })
  }

  /// Returns the longest time without a position, from the start of the range to its end.
  /// - Parameter window: The range.
  /// - Returns: The start of the gap, and its length in seconds.
  public func maximumGap(_ window: Expectation.Window) -> (start: SimulatedTime, seconds: Double) {
    let inside = part(window).fixes.map { SimulatedTime($0.time) }
    var (maximum, last) = ((start: window.start, seconds: 0.0), window.start)
    for time in inside + [window.end] {
      if time - last > maximum.seconds { maximum = (last, time - last) }
      last = time
    }
    return maximum
  }

  /// Returns the newest position that was measured at or before a time.
  /// - Parameter time: The time.
  public func newest(at time: SimulatedTime) -> Fix? { fixes.last { $0.time <= time.date } }

  /// Returns the error of a position at a time, in metres.
  /// - Parameters:
  ///   - fix: The position.
  ///   - time: The time.
  ///   - truth: The true track.
  public static func error(of fix: Fix, at time: SimulatedTime, _ truth: Truth) -> Meters {
    var cursor = TruthCursor(truth)
    return GreatCircle.distance(fix.coordinate, cursor.state(at: time).coordinate)
  }

  /// Returns the position with the largest error at the time of its measurement.
  /// - Parameter truth: The true track.
  /// - Returns: The position and its error in metres; `nil` for an empty track.
  public func worst(_ truth: Truth) -> (fix: Fix, error: Meters)? {
    var cursor = TruthCursor(truth)
    return fixes.map { fix in
      (fix, GreatCircle.distance(fix.coordinate, cursor.state(at: SimulatedTime(fix.time)).coordinate))
    }.max { $0.1 < $1.1 }
  }

  /// The maximum speed between consecutive positions in metres per second, and the second of the two positions. The time between
  /// them counts as at least one second.
  public var fastest: (fix: Fix, speed: MetersPerSecond)? {
    zip(fixes, fixes.dropFirst()).map { before, after in
      let seconds = max(1, after.time.timeIntervalSince(before.time))
      return (after, GreatCircle.distance(before.coordinate, after.coordinate) / seconds)
    }.max { $0.1 < $1.1 }
  }

  /// Sum of the distances between consecutive positions, in metres.
  public var length: Meters {
    zip(fixes, fixes.dropFirst()).reduce(0) { $0 + GreatCircle.distance($1.0.coordinate, $1.1.coordinate) }
  }
}
