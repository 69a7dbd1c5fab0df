import Foundation
import GodwitModel
import GodwitServer
import TestTexts

/// Random regions and a random movement among them.
struct WalkingWorld {
  var generator: SeededNumbers
  let middle: Coordinate

  /// The centres of the test areas: one ordinary place, and places with difficult geometry.
  static let middles: [(name: String, latitude: Double, longitude: Double)] = [
    ("Ljubljana", 46.05, 14.5), ("antimeridian", -17, 179.999), ("north pole", 89.995, 10), ("south pole", -90, 0),
    ("null", 0, 0),
  ]

  init?(_ name: String, seed: UInt64) {
    guard let found = Self.middles.first(where: { $0.name == name }),
      let middle = Coordinate(latitude: found.latitude, longitude: found.longitude)
    else { return nil }
    generator = SeededNumbers(seed)
    self.middle = middle
  }

  mutating func place(within meters: Double) -> Coordinate {
    GreatCircle.destination(
      from: middle, course: .random(in: 0..<360, using: &generator),
      distance: meters * Double.random(in: 0...1, using: &generator).squareRoot())
  }

  mutating func regions(_ count: Int) throws -> [Region] { try (0..<count).map { try region("r\($0)") } }

  mutating func region(_ id: String) throws -> Region {
    let center = place(within: 4000)
    let radius =
      [15, 60, 150, 600, 2500][Int.random(in: 0..<5, using: &generator)] * Double.random(in: 0.8...1.2, using: &generator)
    var region = Region(id: id, shape: .circle(Circle(center: center, radius: radius)))
    if Int.random(in: 0..<3, using: &generator) == 0 { region.shape = try .polygons(area(center, radius)) }
    if Bool.random(using: &generator) { region.tags = [["a"], ["b"], ["a", "b"]][Int.random(in: 0..<3, using: &generator)] }
    if Int.random(in: 0..<3, using: &generator) == 0 { region.dwell = .random(in: 1...900, using: &generator) }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      let from = Int.random(in: 0..<1440, using: &generator)
      region.schedule = RegionSchedule(
        windows: [.init(from: from, to: Int.random(in: 1...1440, using: &generator))],
        timeZone: Bool.random(using: &generator) ? "Europe/Ljubljana" : nil)
    }
    return region
  }

  /// A star with a hole, and sometimes a second star next to it.
  private mutating func area(_ center: Coordinate, _ radius: Double) throws -> MultiPolygon {
    var stars: [Polygon] = []
    let besides = GreatCircle.destination(from: center, course: 70, distance: radius * 2.5)
    for middle in Bool.random(using: &generator) ? [center] : [center, besides] {
      let corners = Int.random(in: 3...12, using: &generator)
      let outer = (0..<corners).map { corner in
        GreatCircle.destination(
          from: middle, course: 360 * Double(corner) / Double(corners), distance: radius * .random(in: 0.6...1, using: &generator)
        )
      }
      let hole = (0..<3).map { GreatCircle.destination(from: middle, course: 120 * Double($0), distance: radius * 0.15) }
      stars.append(try Polygon(outer: outer, holes: [hole]))
    }
    // `stars` is never empty.
    return MultiPolygon(stars)!
  }

  /// Fixes of walks, drives, stops and jumps. Some fixes are late, duplicated or inaccurate.
  mutating func walk(_ count: Int) -> [Fix] {
    var fixes: [Fix] = []
    var place = place(within: 1000)
    var time = 1_700_000_000.0
    var (course, speed) = (0.0, 1.0)
    for _ in 0..<count {
      if Int.random(in: 0..<20, using: &generator) == 0 { speed = [0, 1, 5, 30][Int.random(in: 0..<4, using: &generator)] }
      if Int.random(in: 0..<200, using: &generator) == 0 { place = self.place(within: 5000) }
      let step = [1.0, 5, 60, 0.25][Int.random(in: 0..<4, using: &generator)]
      time += step
      course += .random(in: -30...30, using: &generator)
      // The movement stays near the regions.
      if GreatCircle.distance(place, middle) > 6000 { course = GreatCircle.initialCourse(from: place, to: middle) }
      place = GreatCircle.destination(from: place, course: course, distance: speed * step)
      var fix = Fix(time: Date(timeIntervalSince1970: time), coordinate: place)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: fix.horizontalAccuracy = nil
      case 1: fix.horizontalAccuracy = .random(in: 50...2000, using: &generator)
      default: fix.horizontalAccuracy = .random(in: 2...30, using: &generator)
      }
      switch Int.random(in: 0..<40, using: &generator) {
      case 0: fix.time -= .random(in: 0...600, using: &generator)
      case 1: fix.time -= step
      default: break
      }
      fixes.append(fix)
    }
    return fixes
  }
}

/// A second implementation of the event rules, without an index and without quiescent zones.
struct PlainEvaluator {
  var regions: [Region]
  var zone = TimeZone.gmt
  private(set) var inside: [String: (entered: Date, hasDwelled: Bool)] = [:]
  private var newest = Date.distantPast
  /// The expected crossings of the last fix.
  private(set) var crossings = PlainCrossings()
  private(set) var isNew = false

  init(_ regions: [Region]) { self.regions = regions }

  mutating func check(at fix: Fix, choosing chooses: (Region) -> Bool = { _ in true }) -> [RegionEvent] {
    isNew = fix.time.millisecondsSince1970 > newest.millisecondsSince1970
    guard isNew else { return [] }
    newest = fix.time
    let time = Date(millisecondsSince1970: fix.time.millisecondsSince1970)
    let accuracy = fix.horizontalAccuracy ?? 0
    var (left, dwelled, entered): ([RegionEvent], [RegionEvent], [RegionEvent]) = ([], [], [])
    let concerned = regions.filter(chooses).sorted { $0.id < $1.id }
    inside = inside.filter { id, _ in concerned.contains { $0.id == id } }
    crossings.check(to: fix, concerned, inside: Set(inside.keys), zone: zone)
    for region in concerned {
      guard let distance = region.shape.distanceToEdge(from: fix.coordinate) else { continue }
      var event = RegionEvent(
        time: time, kind: .entered, region: RegionMention(region), coordinate: fix.coordinate,
        horizontalAccuracy: fix.horizontalAccuracy)
      var counts = true
      if let schedule = region.schedule {
        let zone = schedule.timeZone.flatMap { TimeZone(identifier: $0) } ?? zone
        counts = schedule.isActive(at: time, utcOffset: zone.secondsFromGMT(for: time))
      }
      guard let stay = inside[region.id] else {
        guard distance <= 0, counts, accuracy <= max(100, region.shape.enclosingCircle?.radius ?? 0) else { continue }
        inside[region.id] = (time, false)
        entered.append(event)
        continue
      }
      event.entered = stay.entered
      if distance > max(20, accuracy) || !counts {
        inside[region.id] = nil
        event.kind = .exited
        left.append(event)
      } else if let dwell = region.dwell, !stay.hasDwelled {
        let end = stay.entered.millisecondsSince1970 + Int64((dwell * 1000).rounded(.up))
        guard time.millisecondsSince1970 >= end else { continue }
        inside[region.id] = (stay.entered, true)
        event.kind = .dwelled
        event.time = Date(millisecondsSince1970: end)
        dwelled.append(event)
      }
    }
    return left + dwelled + entered
  }

  /// Compares the events of a fix with the expected ones. Returns the differences.
  mutating func faults(of events: [RegionEvent], at fix: Fix, choosing chooses: (Region) -> Bool = { _ in true }) -> [String] {
    let plain = check(at: fix, choosing: chooses)
    let crossed = events.filter { $0.kind == .crossed }
    // Crossings come first.
    var faults = events == crossed + plain ? [] : ["\(events) instead of \(plain)"]
    if isNew { faults += crossings.faults(of: crossed) } else if !crossed.isEmpty { faults.append("a crossing of a late fix") }
    return faults
  }
}
