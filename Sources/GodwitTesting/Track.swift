internal import Foundation
public import GodwitModel
public import GodwitSimulator

/// Positions that an app recorded, to be compared with where the phone really was.
public struct Track: Sendable, Hashable {
  /// In order of time.
  public let fixes: [Fix]

  /// - Parameter fixes: in any order.
  public init(_ fixes: [Fix]) { self.fixes = fixes.sorted { $0.time < $1.time } }

  /// Those of a time.
  /// - Parameter window: `nil`: all.
  public func part(_ window: Expectation.Window?) -> Track {
    guard let window else { return self }
    return Track(fixes.filter { window.start.date <= $0.time && $0.time <= window.end.date })
  }

  /// The longest time without a position, from the beginning of the window to its end.
  /// - Parameter window: where to look.
  /// - Returns: when it begins, and its seconds.
  public func maximumGap(_ window: Expectation.Window) -> (start: SimulatedTime, seconds: Double) {
    let inside = part(window).fixes.map { SimulatedTime($0.time) }
    var (maximum, last) = ((start: window.start, seconds: 0.0), window.start)
    for time in inside + [window.end] {
      if time - last > maximum.seconds { maximum = (last, time - last) }
      last = time
    }
    return maximum
  }

  /// The newest position measured by a moment.
  /// - Parameter time: the moment.
  public func newest(at time: SimulatedTime) -> Fix? { fixes.last { $0.time <= time.date } }

  /// Metres by which a position is wrong at a moment.
  /// - Parameters:
  ///   - fix: the position.
  ///   - time: the moment.
  ///   - truth: where the phone really was.
  public static func error(of fix: Fix, at time: SimulatedTime, _ truth: Truth) -> Meters {
    var cursor = TruthCursor(truth)
    return GreatCircle.distance(fix.coordinate, cursor.state(at: time).coordinate)
  }

  /// The position that is farthest from where the phone was when it was measured.
  /// - Parameter truth: where the phone really was.
  /// - Returns: the position, and metres; `nil` for a track without positions.
  public func worst(_ truth: Truth) -> (fix: Fix, error: Meters)? {
    var cursor = TruthCursor(truth)
    return fixes.map { fix in
      (fix, GreatCircle.distance(fix.coordinate, cursor.state(at: SimulatedTime(fix.time)).coordinate))
    }.max { $0.1 < $1.1 }
  }

  /// The fastest that one gets from a position to the next, metres per second, and the position that it leads to. Two
  /// positions of one time count as a second apart.
  public var fastest: (fix: Fix, speed: MetersPerSecond)? {
    zip(fixes, fixes.dropFirst()).map { before, after in
      let seconds = max(1, after.time.timeIntervalSince(before.time))
      return (after, GreatCircle.distance(before.coordinate, after.coordinate) / seconds)
    }.max { $0.1 < $1.1 }
  }

  /// Metres from position to position.
  public var length: Meters {
    zip(fixes, fixes.dropFirst()).reduce(0) { $0 + GreatCircle.distance($1.0.coordinate, $1.1.coordinate) }
  }
}
