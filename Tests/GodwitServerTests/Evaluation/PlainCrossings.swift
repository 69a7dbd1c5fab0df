import Foundation
import GodwitModel

/// A second implementation of the crossing rules. It samples a line in small steps and tests every region at every step.
struct PlainCrossings {
  /// The result of the samples for a region.
  private struct Expected {
    var region: Region
    /// The maximum depth inside the region, in metres.
    var depth: Double
    /// Whether the region must be reported; otherwise it may be, because the depth is close to the uncertainty.
    var isCertain: Bool
  }

  private var start: Fix?
  private var line: (from: Fix, to: Fix, uncertainty: Double)?
  private var expected: [String: Expected] = [:]
  /// The number of crossings that had to be reported so far.
  private(set) var certain = 0

  /// Evaluates the line to a new fix.
  /// - Parameters:
  ///   - fix: a fix that is newer than all previous ones.
  ///   - regions: the regions of the device.
  ///   - before: identifiers of the regions that the device was in before the fix.
  ///   - zone: the time zone of schedules without one.
  mutating func check(to fix: Fix, _ regions: [Region], inside before: Set<String>, zone: TimeZone) {
    (line, expected) = (nil, [:])
    let accuracy = fix.horizontalAccuracy ?? 0
    guard accuracy <= 100 else { return }
    defer { start = fix }
    guard let start else { return }
    let gap = fix.time.millisecondsSince1970 - start.time.millisecondsSince1970
    let length = GreatCircle.distance(start.coordinate, fix.coordinate)
    guard gap <= 300_000, length > 0, length <= 10_000 else { return }
    let uncertainty = max(10, accuracy, start.horizontalAccuracy ?? 0) + length / 20
    line = (start, fix, uncertainty)
    let course = GreatCircle.initialCourse(from: start.coordinate, to: fix.coordinate)
    let count = max(1, Int((length / (uncertainty / 50)).rounded(.up)))
    for region in regions where !before.contains(region.id) {
      guard let circle = region.shape.enclosingCircle, let atStart = region.shape.distanceToEdge(from: start.coordinate),
        let atEnd = region.shape.distanceToEdge(from: fix.coordinate), atStart > 0, atEnd > 0,
        circle.distanceToEdge(from: fix.coordinate) < length
      else { continue }
      var depth = -Double.infinity
      for step in 0...count {
        let place = GreatCircle.destination(
          from: start.coordinate, course: course, distance: length * Double(step) / Double(count))
        depth = max(depth, -(region.shape.distanceToEdge(from: place) ?? .infinity))
      }
      guard depth > 0.98 * uncertainty else { continue }
      let isActive = [start.time, fix.time].map { time in
        region.schedule?.isActive(at: time, utcOffset: Self.offset(of: region, at: time, zone)) ?? true
      }
      let margin = if case .circle = region.shape { 1.02 } else { 1.15 }
      expected[region.id] = Expected(
        region: region, depth: depth, isCertain: depth > margin * uncertainty && !isActive.contains(false))
    }
    certain += expected.values.count(where: \.isCertain)
  }

  private static func offset(of region: Region, at time: Date, _ zone: TimeZone) -> Int {
    (region.schedule?.timeZone.flatMap { TimeZone(identifier: $0) } ?? zone).secondsFromGMT(for: time)
  }

  /// Compares the reported crossings of the last line with the expected ones. Returns the differences.
  func faults(of events: [RegionEvent]) -> [String] {
    var faults = expected.values.filter { one in one.isCertain && !events.contains { $0.region.id == one.region.id } }.map {
      "\($0.region.id) is missing, \($0.depth) m deep"
    }
    if Set(events.map(\.region.id)).count != events.count { faults.append("a region was crossed twice") }
    for event in events {
      guard let line, let one = expected[event.region.id], let place = event.coordinate else {
        faults.append("\(event.region.id) has no cause")
        continue
      }
      let depth = -(one.region.shape.distanceToEdge(from: place) ?? .infinity)
      let slack = 0.3 * line.uncertainty
      if depth < 0.98 * line.uncertainty || depth < one.depth - slack { faults.append("\(event.region.id) has another place") }
      let length = GreatCircle.distance(line.from.coordinate, line.to.coordinate)
      let share = GreatCircle.distance(line.from.coordinate, place) / length
      let time = line.from.time.addingTimeInterval(line.to.time.timeIntervalSince(line.from.time) * share)
      if abs(event.time.timeIntervalSince(time)) > 0.05 { faults.append("\(event.region.id) has another time") }
      if abs((event.horizontalAccuracy ?? 0) - line.uncertainty) > 0.06 {
        faults.append("\(event.region.id) has another accuracy")
      }
    }
    return faults
  }
}
