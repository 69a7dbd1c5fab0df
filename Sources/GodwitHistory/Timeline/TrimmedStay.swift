internal import Foundation
internal import GodwitModel

/// A stay without the paths to and from its place.
///
/// A search for a stay begins as soon as the device is within the radius, on the path to the place, and ends on the path from it.
/// For a walk, this is one or two minutes too early and too late. The place itself is the circle with nearly all positions. The
/// device arrives and leaves between a position outside and a position inside. The time between the outside position and the
/// arrival or departure is the time that the path from it to the place takes at the speed there.
struct TrimmedStay {
  typealias Step = TimelineBuilder.Step

  private(set) var visit: FoundVisit
  /// The positions before the arrival.
  private(set) var before: [Step] = []
  /// The positions after the departure. Their metres begin at 0.
  private(set) var after: [Step] = []

  /// Trims a stay.
  /// - Parameters:
  ///   - visit: the stay as found.
  ///   - steps: the positions in the first and the last ``TimelineBuilder/edge`` of the stay.
  ///   - approach: the path before the stay.
  ///   - lastSeen: the time of the last position in the stay, milliseconds since 1970.
  ///   - next: the first position after the stay; `nil` if there is none.
  init(_ visit: FoundVisit, _ steps: [Step], after approach: [Step], lastSeen: Int64, next: TimelinePoint?) {
    self.visit = visit
    // The times that the device reported are kept.
    if visit.isReported { return }
    let (place, core) = (visit.coordinate, max(visit.radius, TimelineBuilder.core))
    func isInside(_ step: Step) -> Bool { GreatCircle.distance(place, step.coordinate) <= core }
    guard let first = steps.firstIndex(where: isInside), let last = steps.lastIndex(where: isInside) else { return }
    var trimmed = visit
    if steps[first].time - visit.arrival <= TimelineBuilder.edge {
      let path = Array((approach.suffix(2) + steps[..<first]).suffix(2).reversed())
      trimmed.arrival = Self.edge(steps[first].time, path, place, core)
    }
    // After a longer gap, the departure is computed from the next position, or unknown.
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

  /// Returns the time at which the device reached or left a place, from its path to or from the place.
  /// - Parameters:
  ///   - inside: the time of the position inside the place that is next to the path.
  ///   - path: the positions outside, the nearest first.
  ///   - place: the place.
  ///   - core: the radius of the place in metres.
  /// - Returns: milliseconds since 1970; `inside` unless the path has two positions that follow soon.
  private static func edge(_ inside: Int64, _ path: [Step], _ place: Coordinate, _ core: Meters) -> Int64 {
    guard path.count >= 2, abs(path[0].time - inside) <= Int64(glance), abs(path[1].time - path[0].time) <= Int64(glance),
      path[1].time != path[0].time
    else { return inside }
    let seconds = Double(abs(path[1].time - path[0].time)) / 1000
    let speed = max(GreatCircle.distance(path[0].coordinate, path[1].coordinate) / seconds, TimelineBuilder.strolling)
    // The path inside is limited to the radius of the place, because positions and their speeds have errors.
    let (toPlace, toCore) = (GreatCircle.distance(path[0].coordinate, place) / speed, core / speed)
    let direction: Int64 = path[0].time < inside ? 1 : -1
    let duration = min(Int64((toPlace * 1000).rounded()), abs(inside - path[0].time) + Int64((toCore * 1000).rounded()))
    return path[0].time + direction * duration
  }

  private static let glance = TimelineBuilder.glance * 1000
}
