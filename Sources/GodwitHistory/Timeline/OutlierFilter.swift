package import GodwitModel

/// Finds outliers: points that the device cannot have reached between the points before and after them.
///
/// A point that requires a high speed, or that is far away after a gap, is undecided until later points arrive. If the device
/// returns too fast, the point is an outlier. If the device stays there or continues, the point is valid. Exact repetitions of a
/// position are no evidence, because phones repeat the position of a cell tower for minutes. At most ``maximum`` different points
/// are undecided, for at most ``timeout``, so that the memory is bounded.
package struct OutlierFilter: Sendable, Hashable, Codable {
  /// The reason why a point is an outlier.
  package enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
    /// A jump and a return that are faster than a vehicle can turn round.
    case spike
    /// A jump that is faster than any passenger vehicle.
    case teleport
    /// The position 0, 0, which receivers report without a fix.
    case nullIsland = "null_island"
    /// A time more than a day after the time of receipt.
    case future
    /// A position that is too far away and not yet confirmed. It is not shown as the live position until a second point confirms it.
    case unconfirmed
    /// Flagged by a user.
    case manual
  }

  /// The speed in m/s above which a point is examined.
  package static let fast: MetersPerSecond = 40
  /// The distance in metres below which a deviation is noise.
  package static let noise: Meters = 150
  /// The share of the distance of a jump within which a return refutes the jump.
  package static let back = 0.3
  /// The distance in metres beyond the accuracies of two points above which the second point is examined, at any speed.
  package static let far: Meters = 1_000
  /// The maximum number of undecided points at different positions, and of all undecided points.
  package static let maximum = 8
  package static let maximumRepeated = 64
  /// The number of points at different positions that confirm a place after a fast movement, and after a slower one.
  package static let proof = 4
  package static let slowProof = 2
  /// The maximum time in milliseconds that a point is undecided, and that a point is undecided whose position is only repeated.
  package static let timeout: Int64 = 600_000
  package static let repeatedTimeout: Int64 = 1_800_000

  /// The last valid point.
  private var last: TimelinePoint?
  private var waiting: [TimelinePoint] = []
  /// A point that contradicts the undecided points, while both are reachable from the last valid point. The next point decides.
  private var rival: TimelinePoint?

  /// The decisions about points.
  package struct Outcome {
    package var accepted: [TimelinePoint] = []
    package var marked: [(TimelinePoint, Reason)] = []
  }

  /// Adds the next point.
  /// - Parameters:
  ///   - point: a point that is not before the previous points.
  ///   - isTrusted: whether the point is valid regardless of its place.
  ///   - outcome: receives the decisions, in the order of time.
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
      // The one of the two from which the next point is reachable is valid.
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
    let continuesPath = !isTeleport && jumps && returned >= last.distance(to: latest)
    if isOver || isProven || continuesPath {
      acceptWaiting(&outcome)
      return add(point, &outcome)
    }
    waiting.append(point)
  }

  /// Ends the input: undecided points are accepted, except a single point that is too far away for any speed.
  package mutating func finish(_ outcome: inout Outcome) {
    if waiting.count == 1, let last, Plausibility.isImpossible(last, waiting[0]) { waiting = [] }
    acceptWaiting(&outcome)
  }

  private mutating func acceptWaiting(_ outcome: inout Outcome) {
    for point in waiting { accept(point, &outcome) }
    // No point decided between the two.
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

  /// Returns the distance beyond the accuracies of two points; `nil` if it is at most a limit.
  private static func distance(_ a: TimelinePoint, _ b: TimelinePoint, above limit: Meters) -> Meters? {
    // A degree of latitude is 111 km long. For most points, two subtractions are enough.
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
  /// Returns whether two points have exactly the same position.
  fileprivate func isSamePlace(as other: TimelinePoint) -> Bool { latitude == other.latitude && longitude == other.longitude }
}
