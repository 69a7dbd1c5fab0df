internal import GodwitModel

/// The rank of a point in the order of a device's points. A clock that is ahead does not make a point newer than later points.
package struct LiveRank: Sendable, Hashable, Comparable {
  /// The earlier of the point's time and its receipt, milliseconds since 1970.
  package var timestamp: Int64
  /// The point's time in milliseconds since 1970. It orders the points of one upload from a clock that is ahead.
  package var time: Int64

  package init(time: Int64, received: Int64) { (timestamp, self.time) = (min(time, received), time) }

  package init(timestamp: Int64, time: Int64) { (self.timestamp, self.time) = (timestamp, time) }

  package static func < (a: Self, b: Self) -> Bool { (a.timestamp, a.time) < (b.timestamp, b.time) }
}

/// Decides which points of a device are live: shown as its position, evaluated for geofences, and sent to webhooks.
///
/// A jump that no speed explains stays unconfirmed until the next point, whose distance confirms or refutes it. The decisions
/// depend only on the points and their order, whether or not the state was stored in between.
package struct LiveGate: Sendable, Hashable {
  /// A live or an unconfirmed point.
  package struct Position: Sendable, Hashable {
    package var point: TimelinePoint
    package var rank: LiveRank
  }

  /// The classification of a point.
  package enum Decision: Sendable, Hashable {
    /// The point is the new live position.
    case live
    /// The point is older than the live position, which does not change.
    case late
    /// The point is unconfirmed: it is too far away for any speed, and the next point decides.
    case waits
    /// The point is an outlier: it is too far away, also from the points around it.
    case impossible
  }

  /// The result of adding a point.
  package struct Outcome: Sendable, Hashable {
    package var decision: Decision
    /// The unconfirmed point that this point confirmed or refuted; `nil` if there was none.
    package var resolved: Position?
    /// Whether ``resolved`` is confirmed.
    package var isConfirmed = false
  }

  /// The live position.
  private(set) var last: Position?
  /// The unconfirmed point after a jump.
  private(set) var pending: Position?

  package init(last: Position? = nil, pending: Position? = nil) { (self.last, self.pending) = (last, pending) }

  /// Adds a point of an import. The point may be the newest one, and needs no confirmation.
  mutating func addHistory(_ point: TimelinePoint, _ rank: LiveRank) {
    if let last, rank <= last.rank { return }
    last = Position(point: point, rank: rank)
  }

  /// Adds the next point. The point must be plausible by itself.
  package mutating func add(_ point: TimelinePoint, _ rank: LiveRank) -> Outcome {
    let new = Position(point: point, rank: rank)
    guard let last else {
      self.last = new
      return Outcome(decision: .live)
    }
    guard rank > last.rank else { return Outcome(decision: .late) }
    // If the clock was set back, the speed between the points is undefined.
    let isFar = point.time >= last.point.time && Plausibility.isImpossible(last.point, point)
    guard let pending else {
      if isFar { self.pending = new } else { self.last = new }
      return Outcome(decision: isFar ? .waits : .live)
    }
    return resolve(pending, by: new, isFar: isFar, last)
  }

  private mutating func resolve(_ pending: Position, by new: Position, isFar: Bool, _ last: Position) -> Outcome {
    let isReachable = !Plausibility.isImpossible(pending.point, new.point)
    let isBetween = new.rank < pending.rank
    let isRefuted = Plausibility.isRefuted(pending.point, by: new.point, after: last.point)
    if isReachable, !isRefuted || isBetween {
      self.pending = nil
      self.last = isBetween ? pending : new
      return Outcome(decision: .live, resolved: pending, isConfirmed: true)
    }
    if isBetween {
      if !isFar { self.last = new }
      return Outcome(decision: isFar ? .impossible : .live)
    }
    // The new point is near the old position, or at a third position.
    self.pending = isFar ? new : nil
    if !isFar { self.last = new }
    return Outcome(decision: isFar ? .waits : .live, resolved: pending, isConfirmed: false)
  }
}
