internal import GodwitModel

/// Which of two points of a device is the newer one. A clock that is ahead does not make a point newer than what comes after it.
package struct LiveRank: Sendable, Hashable, Comparable {
  /// The smaller of the point's time and its arrival, milliseconds since 1970.
  package var moment: Int64
  /// The point's time, milliseconds since 1970: it decides within one upload of such a clock.
  package var time: Int64

  package init(time: Int64, received: Int64) { (moment, self.time) = (min(time, received), time) }

  package init(moment: Int64, time: Int64) { (self.moment, self.time) = (moment, time) }

  package static func < (a: Self, b: Self) -> Bool { (a.moment, a.time) < (b.moment, b.time) }
}

/// Decides which of a device's points are live: shown as its position, evaluated for geofences, sent to webhooks.
///
/// A jump that no speed explains waits for the next point. That point confirms it by being near it, or refutes it. Pure: the same
/// points in the same order make the same decisions, whether or not the state was stored in between.
package struct LiveGate: Sendable, Hashable {
  /// A point that was believed, or one that waits.
  package struct Position: Sendable, Hashable {
    package var point: TimelinePoint
    package var rank: LiveRank
  }

  /// What a point is.
  package enum Decision: Sendable, Hashable {
    /// The newest, and believed.
    case live
    /// Older than the newest: it changes no live position.
    case late
    /// Too far away for any speed: the next point decides.
    case waits
    /// Too far away, and so is all that surrounds it.
    case impossible
  }

  /// What a point brings about.
  package struct Outcome: Sendable, Hashable {
    package var decision: Decision
    /// The point that waited, where this one has decided about it.
    package var settled: Position?
    /// Whether it is right after all.
    package var isConfirmed = false
  }

  /// The newest point that is believed.
  private(set) var last: Position?
  /// A jump that waits for another point.
  private(set) var pending: Position?

  package init(last: Position? = nil, pending: Position? = nil) { (self.last, self.pending) = (last, pending) }

  /// Takes a point of an import: it may be the newest, and waits for nothing.
  mutating func addHistory(_ point: TimelinePoint, _ rank: LiveRank) {
    if let last, rank <= last.rank { return }
    last = Position(point: point, rank: rank)
  }

  /// Takes the next point, which is not impossible by itself.
  package mutating func add(_ point: TimelinePoint, _ rank: LiveRank) -> Outcome {
    let new = Position(point: point, rank: rank)
    guard let last else {
      self.last = new
      return Outcome(decision: .live)
    }
    guard rank > last.rank else { return Outcome(decision: .late) }
    // A clock that was put back says nothing of speeds.
    let isFar = point.time >= last.point.time && Plausibility.isImpossible(last.point, point)
    guard let pending else {
      if isFar { self.pending = new } else { self.last = new }
      return Outcome(decision: isFar ? .waits : .live)
    }
    return settle(pending, by: new, isFar: isFar, last)
  }

  private mutating func settle(_ pending: Position, by new: Position, isFar: Bool, _ last: Position) -> Outcome {
    let isReachable = !Plausibility.isImpossible(pending.point, new.point)
    let isBetween = new.rank < pending.rank
    let isRefuted = Plausibility.isRefuted(pending.point, by: new.point, after: last.point)
    if isReachable, !isRefuted || isBetween {
      self.pending = nil
      self.last = isBetween ? pending : new
      return Outcome(decision: .live, settled: pending, isConfirmed: true)
    }
    if isBetween {
      if !isFar { self.last = new }
      return Outcome(decision: isFar ? .impossible : .live)
    }
    // Back near the old place, or at a third one.
    self.pending = isFar ? new : nil
    if !isFar { self.last = new }
    return Outcome(decision: isFar ? .waits : .live, settled: pending, isConfirmed: false)
  }
}
