package import GodwitModel

/// Finds outliers: points that no movement reaches between the points before and after.
///
/// A point that only a fast movement reaches, or that is far away after a gap, stays undecided until later points: after a return that is
/// too fast it is an outlier; if the device stays or continues, it is valid. A position that is repeated to the last digit is no evidence:
/// phones repeat the place of a mast for minutes. At most ``maximum`` points wait, for at most ``timeout``, which bounds the memory.
package struct OutlierFilter: Sendable, Hashable, Codable {
  /// The reason why a point is an outlier.
  package enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
    /// Away and back faster than a vehicle can turn round.
    case spike
    /// Away faster than any passenger vehicle.
    case teleport
    /// At 0, 0, which receivers report without a fix.
    case nullIsland = "null_island"
    /// More than a day ahead of its receipt.
    case future
    /// Too far away and unconfirmed. Until a second point confirms it, it is not live.
    case unconfirmed
    /// Flagged by a user.
    case manual
  }

  /// Speed in metres per second above which a point is examined.
  package static let fast: MetersPerSecond = 40
  /// Distance in metres below which a deviation is noise.
  package static let noise: Meters = 150
  /// Share of the distance within which a return refutes the jump.
  package static let back = 0.3
  /// Metres beyond the accuracies of two points above which the second one is examined, at any speed.
  package static let far: Meters = 1_000
  /// Maximum undecided points at different positions, and in all.
  package static let maximum = 8
  package static let maximumRepeated = 64
  /// Points at different positions that confirm a place that is reached fast, and one that is reached at another speed.
  package static let proof = 4
  package static let slowProof = 2
  /// Maximum milliseconds that a point stays undecided, and one whose position is only repeated.
  package static let timeout: Int64 = 600_000
  package static let repeatedTimeout: Int64 = 1_800_000

  /// The last valid point.
  private var last: TimelinePoint?
  private var waiting: [TimelinePoint] = []
  /// A point that contradicts those that wait, while both are reachable from the last valid one: the next point decides.
  private var rival: TimelinePoint?

  /// The decisions about points.
  package struct Outcome {
    package var accepted: [TimelinePoint] = []
    package var marked: [(TimelinePoint, Reason)] = []
  }

  /// Adds the next point.
  /// - Parameters:
  ///   - point: not before the previous points.
  ///   - isTrusted: whether it is valid regardless of its place.
  ///   - outcome: receives the decisions, in the order of their times.
  package mutating func add(_ point: TimelinePoint, isTrusted: Bool = false, _ outcome: inout Outcome) {
    if isTrusted {
      acceptWaiting(&outcome)
      accept(point, &outcome)
      return
    }
    if Plausibility.isNullIsland(latitude: Int64(point.latitude), longitude: Int64(point.longitude)) {
      outcome.marked.append((point, .nullIsland))
      return
    }
    guard let last else { return accept(point, &outcome) }
    guard let first = waiting.first, let latest = waiting.last else {
      if Self.isFast(last, point) || Self.isFar(last, point) { waiting = [point] } else { accept(point, &outcome) }
      return
    }
    if let rival {
      self.rival = nil
      // What the next point is near to was right.
      if Self.isFast(rival, point), !Self.isFast(latest, point) {
        outcome.marked.append((rival, .teleport))
      } else {
        flag(.teleport, &outcome)
        waiting = [rival]
      }
      return add(point, &outcome)
    }
    let isTeleport = Plausibility.isImpossible(last, first)
    let jumps = Self.isFast(latest, point)
    let returned = last.distance(to: point)
    let isBack =
      isTeleport
      ? Plausibility.isRefuted(latest, by: point, after: last) : jumps && returned < Self.back * last.distance(to: first)
    if isBack {
      flag(isTeleport ? .teleport : .spike, &outcome)
      return add(point, &outcome)
    }
    if !isTeleport, Plausibility.isImpossible(latest, point), !Self.isFast(last, point) {
      rival = point
      return
    }
    let isRepeated = latest.isSamePlace(as: point)
    let places = waiting.indices.count { $0 == 0 || !waiting[$0].isSamePlace(as: waiting[$0 - 1]) }
    let isOver =
      point.time - first.time > (places == 1 && isRepeated ? Self.repeatedTimeout : Self.timeout) || places >= Self.maximum
      || waiting.count >= Self.maximumRepeated
    let proof = Self.isFast(last, first) ? Self.proof : Self.slowProof
    let isProven = !isTeleport && !jumps && !isRepeated && places + 1 >= proof
    let goesOn = !isTeleport && jumps && returned >= last.distance(to: latest)
    if isOver || isProven || goesOn {
      acceptWaiting(&outcome)
      return add(point, &outcome)
    }
    waiting.append(point)
  }

  /// Ends the input: undecided points are valid for now, except a single point that is too far away for any speed.
  package mutating func finish(_ outcome: inout Outcome) {
    if waiting.count == 1, let last, Plausibility.isImpossible(last, waiting[0]) { waiting = [] }
    acceptWaiting(&outcome)
  }

  private mutating func acceptWaiting(_ outcome: inout Outcome) {
    for point in waiting { accept(point, &outcome) }
    // Nothing decided between the two.
    if let rival { accept(rival, &outcome) }
    (waiting, rival) = ([], nil)
  }

  private mutating func flag(_ reason: Reason, _ outcome: inout Outcome) {
    for point in waiting { outcome.marked.append((point, reason)) }
    waiting = []
  }

  private mutating func accept(_ point: TimelinePoint, _ outcome: inout Outcome) {
    outcome.accepted.append(point)
    last = point
  }

  private static func isFar(_ a: TimelinePoint, _ b: TimelinePoint) -> Bool { distance(a, b, above: far) != nil }

  private static func isFast(_ a: TimelinePoint, _ b: TimelinePoint) -> Bool {
    distance(a, b, above: noise).map { $0 > fast * max(0.5, b.seconds(since: a)) } ?? false
  }

  /// The distance beyond the accuracies of two points; `nil` if it is at most a limit.
  private static func distance(_ a: TimelinePoint, _ b: TimelinePoint, above limit: Meters) -> Meters? {
    // A degree of latitude has 111 km: for most points two subtractions are enough.
    let reach = Int64(limit / 111_200 * 1e7 / 2)
    if abs(Int64(a.latitude) - Int64(b.latitude)) < reach, abs(Int64(a.longitude) - Int64(b.longitude)) < reach { return nil }
    let distance = a.distance(to: b) - Double(a.accuracy) - Double(b.accuracy)
    return distance > limit ? distance : nil
  }

  private enum CodingKeys: String, CodingKey {
    case last = "l"
    case waiting = "w"
    case rival = "r"
  }
}

extension TimelinePoint {
  /// Whether two points have the same position to the last digit.
  fileprivate func isSamePlace(as other: TimelinePoint) -> Bool { latitude == other.latitude && longitude == other.longitude }
}
