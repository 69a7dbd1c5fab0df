package import GodwitModel

/// Finds points that cannot be: those that no movement reaches between the points before and after.
///
/// A point that only something very fast could have reached waits until those after it tell: who comes back as fast was never
/// there; who stays there, or goes on in the same direction, was. At most ``most`` points wait, and none for longer than
/// ``patience``, so that a track needs no more memory than that.
package struct OutlierFilter: Sendable, Hashable, Codable {
  /// Why a point cannot be.
  package enum Reason: String, Sendable, Hashable, Codable, CaseIterable {
    /// Away and back faster than anything turns round.
    case spike
    /// Away faster than any vehicle that takes passengers.
    case teleport
    /// At 0, 0, where receivers are that know nothing.
    case nowhere
    /// Of a time that was more than a day ahead when it came.
    case future
    /// Too far away, and no second point has shown yet whether it is so. It is not live until then.
    case unconfirmed
    /// Its owner says so.
    case hand
  }

  /// Faster is worth a second look, metres per second.
  package static let fast: MetersPerSecond = 40
  /// Nearer is noise, metres.
  package static let noise: Meters = 150
  /// Who is back within this share of the way out has been nowhere.
  package static let back = 0.3
  /// Points that wait at most.
  package static let most = 8
  /// Points at one place that prove it, where it can be reached.
  package static let proof = 4
  /// Milliseconds that a point waits at most.
  package static let patience: Int64 = 600_000

  /// The last point that is right.
  private var last: TimelinePoint?
  private var waiting: [TimelinePoint] = []

  /// What became of points.
  package struct Outcome {
    package var accepted: [TimelinePoint] = []
    package var marked: [(TimelinePoint, Reason)] = []
  }

  /// Takes the next point.
  /// - Parameters:
  ///   - point: not before those that came already.
  ///   - isTrusted: it is right whatever it looks like.
  ///   - outcome: gets what is decided now, in the order of their times.
  package mutating func add(_ point: TimelinePoint, isTrusted: Bool = false, _ outcome: inout Outcome) {
    if isTrusted {
      acceptWaiting(&outcome)
      accept(point, &outcome)
      return
    }
    if Plausibility.isNullIsland(latitude: Int64(point.latitude), longitude: Int64(point.longitude)) {
      outcome.marked.append((point, .nowhere))
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
    let isOver = point.time - first.time > Self.patience || waiting.count >= Self.most
    let isProven = !isTeleport && !jumps && waiting.count + 1 >= Self.proof
    let goesOn = !isTeleport && jumps && returned >= last.distance(to: latest)
    if isOver || isProven || goesOn {
      acceptWaiting(&outcome)
      return add(point, &outcome)
    }
    waiting.append(point)
  }

  /// Nothing comes any more: what waits is right until something shows that it is not; but a single point that is too far away for
  /// any speed is not believed.
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
    // A degree of latitude has 111 km: most points are near, and need no more than two subtractions.
    let reach = Int64(noise / 111_200 * 1e7 / 2)
    if abs(Int64(a.latitude) - Int64(b.latitude)) < reach, abs(Int64(a.longitude) - Int64(b.longitude)) < reach { return false }
    let way = a.distance(to: b) - Double(a.accuracy) - Double(b.accuracy)
    return way > noise && way > fast * max(0.5, b.seconds(since: a))
  }

  private enum CodingKeys: String, CodingKey {
    case last = "l"
    case waiting = "w"
  }
}
