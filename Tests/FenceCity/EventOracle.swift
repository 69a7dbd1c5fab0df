internal import Foundation
internal import GodwitGeofencing
internal import GodwitModel

/// Compares the server's evaluation of positions with a second implementation of the rules. The second implementation shares no
/// code, uses a grid as its index, and checks a line at many single points. Every event of the server must have a cause, and every
/// cause an event.
///
/// `@unchecked Sendable`: used only on the thread of the phone.
final class EventOracle: @unchecked Sendable {
  /// The numbers of expected events, and the differences.
  struct Outcome: Sendable {
    var entries = 0
    var exits = 0
    var crossings = 0
    /// Crossings that the server must report.
    var certain = 0
    var faults: [String] = []
  }

  private(set) var outcome = Outcome()

  // The implementation of the server.
  private let evaluator: RegionEvaluator
  private var presence = RegionPresence()

  // The second implementation.
  private let circles: [(id: String, circle: Circle)]
  private let numbers: [String: Int]
  private var cells: [Cell: [Int]] = [:]
  private var inside: Set<Int> = []
  private var newest = Int64.min
  private var start: Fix?

  private struct Cell: Hashable {
    var row: Int
    var column: Int
  }

  /// The sides of a cell, in degrees.
  private static let side = 0.01

  init(_ fences: [Region]) {
    evaluator = RegionEvaluator(GeofenceSet(fences))
    circles = fences.compactMap { fence in
      guard case .circle(let circle) = fence.shape else { return nil }
      return (fence.id, circle)
    }
    numbers = Dictionary(circles.enumerated().map { ($1.id, $0) }) { first, _ in first }
    for (number, fence) in circles.enumerated() {
      let north = fence.circle.radius / 110_000
      let east = north / cos(fence.circle.center.latitude * .pi / 180)
      let center = fence.circle.center
      let low = (center.latitude - north, center.longitude - east)
      for cell in Self.cells(low, (center.latitude + north, center.longitude + east)) {
        cells[cell, default: []].append(number)
      }
    }
  }

  private static func cells(_ low: (Double, Double), _ high: (Double, Double)) -> [Cell] {
    func index(_ degrees: Double) -> Int { Int((degrees / side).rounded(.down)) }
    return (index(low.0)...index(high.0)).flatMap { row in
      (index(low.1)...index(high.1)).map { Cell(row: row, column: $0) }
    }
  }

  /// The geofences of the cells in the bounding box of two places.
  private func candidates(_ a: Coordinate, _ b: Coordinate) -> Set<Int> {
    let found = Self.cells(
      (min(a.latitude, b.latitude), min(a.longitude, b.longitude)), (max(a.latitude, b.latitude), max(a.longitude, b.longitude)))
    return found.reduce(into: []) { $0.formUnion(cells[$1] ?? []) }
  }

  func evaluate(_ fix: Fix) {
    var events: [RegionEvent] = []
    evaluator.evaluate(at: fix, &presence, into: &events)
    let time = fix.time.millisecondsSince1970
    guard time > newest else {
      if !events.isEmpty { outcome.faults.append("\(CityLife.text(fix.time)): events of a late position") }
      return
    }
    newest = time
    let accuracy = max(0, fix.horizontalAccuracy ?? 0)
    func distance(_ number: Int) -> Meters {
      GreatCircle.distance(circles[number].circle.center, fix.coordinate) - circles[number].circle.radius
    }
    let before = inside
    let left = before.filter { distance($0) > max(20, accuracy) }
    let entered = candidates(fix.coordinate, fix.coordinate).subtracting(before).filter {
      distance($0) <= 0 && accuracy <= max(100, circles[$0].circle.radius)
    }
    inside.subtract(left)
    inside.formUnion(entered)
    compare(events, .exited, Set(left), at: fix)
    compare(events, .entered, Set(entered), at: fix)
    outcome.exits += left.count
    outcome.entries += entered.count
    checkCrossings(events.filter { $0.kind == .crossed }, fix, accuracy, before: before)
  }

  private func compare(_ events: [RegionEvent], _ kind: RegionEvent.Kind, _ expected: Set<Int>, at fix: Fix) {
    let reported = events.filter { $0.kind == kind }.map { numbers[$0.region.id] ?? -1 }
    guard reported.count != expected.count || Set(reported) != expected else { return }
    outcome.faults.append(
      "\(CityLife.text(fix.time)): \(kind.rawValue) \(reported.sorted()) instead of \(expected.sorted())")
  }

  private func checkCrossings(_ events: [RegionEvent], _ fix: Fix, _ accuracy: Meters, before: Set<Int>) {
    var reported = Set(events.map { numbers[$0.region.id] ?? -1 })
    outcome.crossings += events.count
    if reported.count != events.count { outcome.faults.append("\(CityLife.text(fix.time)): crossed twice") }
    defer {
      if !reported.isEmpty { outcome.faults.append("\(CityLife.text(fix.time)): crossed without cause \(reported.sorted())") }
    }
    guard accuracy <= 100 else { return }
    defer { start = fix }
    guard let start, fix.time.timeIntervalSince(start.time) <= 300 else { return }
    let length = GreatCircle.distance(start.coordinate, fix.coordinate)
    guard length > 0, length <= 10_000 else { return }
    let uncertainty = max(10, accuracy, start.horizontalAccuracy ?? 0) + 0.05 * length
    let course = GreatCircle.initialCourse(from: start.coordinate, to: fix.coordinate)
    let steps = Int((length / uncertainty * 50).rounded(.up))
    var places: [Coordinate] = []
    for number in candidates(start.coordinate, fix.coordinate).subtracting(before) {
      let circle = circles[number].circle
      guard circle.radius > 0.98 * uncertainty, GreatCircle.distance(circle.center, start.coordinate) > circle.radius,
        GreatCircle.distance(circle.center, fix.coordinate) > circle.radius
      else { continue }
      if places.isEmpty {
        places = (0...steps).map {
          GreatCircle.destination(from: start.coordinate, course: course, distance: length * Double($0) / Double(steps))
        }
      }
      let nearest = places.map { GreatCircle.distance(circle.center, $0) }.min() ?? .infinity
      let depth = circle.radius - nearest
      let wasReported = reported.remove(number) != nil
      if depth > 1.02 * uncertainty {
        outcome.certain += 1
        if !wasReported { outcome.faults.append("\(CityLife.text(fix.time)): did not cross \(circles[number].id)") }
      } else if depth < 0.98 * uncertainty, wasReported {
        outcome.faults.append("\(CityLife.text(fix.time)): crossed \(circles[number].id), \(depth) m deep")
      }
    }
  }
}
