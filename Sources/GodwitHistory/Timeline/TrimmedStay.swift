internal import Foundation
internal import GodwitModel

/// A stay without the paths to and from its place.
///
/// A search for a stay begins where the device is within its radius, on the path to the place, and ends on the path from it: a minute or two
/// too early and too late for a walk. The place itself is the circle with nearly all positions. The device arrives and leaves between a
/// position outside and one inside: as long after or before the one outside as the path from it to the place takes at the speed there.
struct TrimmedStay {
  typealias Step = TimelineBuilder.Step

  private(set) var visit: FoundVisit
  /// The positions before the arrival.
  private(set) var before: [Step] = []
  /// The positions after the departure; their metres begin at 0.
  private(set) var after: [Step] = []

  /// - Parameters:
  ///   - visit: as found.
  ///   - steps: positions in its first and last ``TimelineBuilder/edge``.
  ///   - approach: the path before it.
  ///   - lastSeen: the time of the last position in it, milliseconds since 1970.
  ///   - next: the first position after it; `nil`: none.
  init(_ visit: FoundVisit, _ steps: [Step], after approach: [Step], lastSeen: Int64, next: TimelinePoint?) {
    self.visit = visit
    // Times that the device reported are kept.
    if visit.isReported { return }
    let (place, core) = (visit.coordinate, max(visit.radius, TimelineBuilder.core))
    func isInside(_ step: Step) -> Bool { GreatCircle.distance(place, step.coordinate) <= core }
    guard let first = steps.firstIndex(where: isInside), let last = steps.lastIndex(where: isInside) else { return }
    var trimmed = visit
    if steps[first].time - visit.arrival <= TimelineBuilder.edge {
      let path = Array((approach.suffix(2) + steps[..<first]).suffix(2).reversed())
      trimmed.arrival = Self.edge(steps[first].time, path, place, core)
    }
    // After a longer time without a position the departure is computed from the next one, or unknown.
    let isSeenLeaving = visit.departure.map { Double($0 - lastSeen) <= TimelineBuilder.glance * 1000 } ?? false
    let leaves = isSeenLeaving && lastSeen - steps[last].time <= TimelineBuilder.edge
    if leaves {
      let path = Array(steps[(last + 1)...].prefix(2)) + (next.map { [Step($0, metres: 0)] } ?? [])
      trimmed.departure = Self.edge(steps[last].time, path, place, core)
      trimmed.seen = min(steps[last].time, trimmed.end)
    }
    guard Double(trimmed.end - trimmed.arrival) >= TimelineBuilder.definition.minimumDuration * 1000 else { return }
    self.visit = trimmed
    before = Array(steps.prefix { $0.time < trimmed.arrival })
    guard leaves, let start = steps.firstIndex(where: { $0.time > trimmed.end }) else { return }
    after = steps[start...].map { step in
      var step = step
      step.metres -= steps[start].metres
      return step
    }
  }

  /// The time at which the device was at a place, from its path to it or from it.
  /// - Parameters:
  ///   - inside: the time of the position in the place that is next to the path.
  ///   - path: the positions outside, the nearest first.
  ///   - place: the place.
  ///   - core: its radius, metres.
  /// - Returns: milliseconds since 1970; `inside` without two positions of the path that follow soon.
  private static func edge(_ inside: Int64, _ path: [Step], _ place: Coordinate, _ core: Meters) -> Int64 {
    guard path.count >= 2, abs(path[0].time - inside) <= Int64(glance), abs(path[1].time - path[0].time) <= Int64(glance),
      path[1].time != path[0].time
    else { return inside }
    let seconds = Double(abs(path[1].time - path[0].time)) / 1000
    let speed = max(GreatCircle.distance(path[0].coordinate, path[1].coordinate) / seconds, TimelineBuilder.strolling)
    // Not further inside than the place reaches, because positions and their speed have errors.
    let (toPlace, toCore) = (GreatCircle.distance(path[0].coordinate, place) / speed, core / speed)
    let direction: Int64 = path[0].time < inside ? 1 : -1
    let duration = min(Int64((toPlace * 1000).rounded()), abs(inside - path[0].time) + Int64((toCore * 1000).rounded()))
    return path[0].time + direction * duration
  }

  private static let glance = TimelineBuilder.glance * 1000
}
