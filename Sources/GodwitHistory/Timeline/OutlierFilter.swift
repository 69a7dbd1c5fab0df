package import GodwitModel

/// Finds outliers: points that no movement reaches between the points before and after.
///
/// A point that only a very fast movement reaches stays undecided until later points: after an equally fast return it
/// is an outlier; if the device stays or continues, it is valid. At most ``maximum`` points wait, for at most
/// ``timeout``, which bounds the memory.
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
  /// Maximum undecided points.
  package static let maximum = 8
  /// Points at one place that confirm it, if it is reachable.
  package static let proof = 4
  /// Maximum milliseconds that a point stays undecided.
  package static let timeout: Int64 = 600_000

  /// The last valid point.
  private var last: TimelinePoint?
  private var waiting: [TimelinePoint] = []

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
      if Self.isFast(last, point) { waiting = [point] } else { accept(point, &outcome) }
      return
    }
    let isTeleport = Plausibility.isImpossible(last, first)
    let jumps = Self.isFast(latest, point)
    let returned = last.distance(to: point)
    let isBack =
      isTeleport
      ? Plausibility.isRefuted(latest, by: point, after: last) : jumps && returned < Self.back * last.distance(to: first)
    if isBack {
      for wrong in waiting { outcome.marked.append((wrong, isTeleport ? .teleport : .spike)) }
      waiting = []
      return add(point, &outcome)
    }
    let isOver = point.time - first.time > Self.timeout || waiting.count >= Self.maximum
    let isProven = !isTeleport && !jumps && waiting.count + 1 >= Self.proof
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
    waiting = []
  }

  private mutating func accept(_ point: TimelinePoint, _ outcome: inout Outcome) {
    outcome.accepted.append(point)
    last = point
  }

  private static func isFast(_ a: TimelinePoint, _ b: TimelinePoint) -> Bool {
    // A degree of latitude has 111 km: for most points two subtractions are enough.
    let reach = Int64(noise / 111_200 * 1e7 / 2)
    if abs(Int64(a.latitude) - Int64(b.latitude)) < reach, abs(Int64(a.longitude) - Int64(b.longitude)) < reach { return false }
    let track = a.distance(to: b) - Double(a.accuracy) - Double(b.accuracy)
    return track > noise && track > fast * max(0.5, b.seconds(since: a))
  }

  private enum CodingKeys: String, CodingKey {
    case last = "l"
    case waiting = "w"
  }
}
