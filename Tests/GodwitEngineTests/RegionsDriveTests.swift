import Foundation
import GodwitEngine
import GodwitModel
import TestTexts
import Testing

/// A `RegionWatch` and a simulated system, with a moving device.
struct RegionsDrive {
  var watch = RegionWatch()
  let catalogue: RegionCatalogue
  var system: RegionSystem
  var now = 0.0
  var wanted: DesiredAccuracy?
  var timer: Date?
  var reported: [RegionEvent] = []
  var fixes = 0
  var relaunches = 0
  /// The state on disk, stored after the last effects.
  private var kept: Data?
  private var random: SeededNumbers
  private var before: Coordinate

  init(_ catalogue: RegionCatalogue, from place: Coordinate, seed: UInt64) throws {
    self.catalogue = catalogue
    system = RegionSystem(at: place)
    random = SeededNumbers(seed)
    before = place
    try send(.launched(monitored: [], foreign: 0))
  }

  mutating func send(_ input: RegionInput) throws {
    var queue = [input]
    while !queue.isEmpty {
      let effects = watch.handle(queue.removeFirst(), at: at(now), in: catalogue)
      for effect in effects {
        switch effect {
        case .startMonitoring(let region): system.start(region)
        case .stopMonitoring(let identifier): system.stop(identifier)
        case .requestState(let identifier): queue.append(.state(identifier, isInside: system.state(identifier)))
        case .setTimer(let time): timer = time
        case .report(let event): reported.append(event)
        case .wantsFixes(let accuracy):
          wanted = accuracy
          if accuracy != nil { queue.append(.fix(fix())) }
        case .startRanging, .stopRanging, .insideChanged: break
        }
      }
      if !effects.isEmpty { kept = try JSONEncoder().encode(watch) }
    }
  }

  private mutating func fix() -> Fix {
    fixes += 1
    let accuracy = Double.random(in: 3...15, using: &random)
    let place = GreatCircle.destination(
      from: system.place, course: .random(in: 0..<360, using: &random), distance: .random(in: 0...accuracy, using: &random))
    let speed = GreatCircle.distance(before, system.place)
    return Fix(time: at(now), coordinate: place, horizontalAccuracy: accuracy, speed: speed)
  }

  /// Moves the device within one second.
  mutating func move(to place: Coordinate) throws {
    now += 1
    before = system.place
    defer { before = place }
    if let timer, timer <= at(now) {
      self.timer = nil
      try send(.timer)
    }
    for input in system.move(to: place) { try send(input) }
    if wanted != nil { try send(.fix(fix())) }
  }

  /// Terminates the app and launches it again with the state on disk.
  mutating func relaunch() throws {
    relaunches += 1
    if let kept { watch = try JSONDecoder().decode(RegionWatch.self, from: kept) }
    (wanted, timer) = (nil, nil)
    try send(.launched(monitored: system.regions.keys.sorted(), foreign: 0))
  }
}

@Suite("Regions: watch and system together")
struct RegionsDriveTests {
  @Test(
    """
    every entry into a geofence and every exit is reported once, with fixes only while they are requested and with relaunches at \
    any time
    """, arguments: 1...6)
  func drive(_ seed: UInt64) throws {
    var random = SeededNumbers(seed)
    let isDense = seed.isMultiple(of: 3)
    let regions = Regions.random(
      isDense ? 250 : 120, round: Regions.start, spread: isDense ? 2500 : 6000, radii: 100...1500, &random)
    let catalogue = RegionCatalogue(regions)
    var drive = try RegionsDrive(catalogue, from: Regions.start, seed: seed)
    var course = Double.random(in: 0..<360, using: &random)
    var speed = 10.0
    /// The ids of the geofences whose entry was reported.
    var inside: Set<String> = []
    var read = 0
    var place = Regions.start
    for second in 0..<1500 {
      if second.isMultiple(of: 100) { speed = .random(in: 0...25, using: &random) }
      course += .random(in: -8...8, using: &random)
      if GreatCircle.distance(place, Regions.start) > 6500 {
        course = GreatCircle.initialCourse(from: place, to: Regions.start)
      }
      place = GreatCircle.destination(from: place, course: course, distance: speed)
      try drive.move(to: place)
      if Int.random(in: 0..<200, using: &random) == 0 { try drive.relaunch() }
      for event in drive.reported[read...] {
        if event.kind == .entered { #expect(inside.insert(event.region.id).inserted, "\(event)") }
        if event.kind == .exited { #expect(inside.remove(event.region.id) != nil, "\(event)") }
      }
      read = drive.reported.count
      for region in regions {
        guard case .circle(let circle) = region.shape else { continue }
        let edge = circle.distanceToEdge(from: place)
        // The errors of two fixes and the distance of a second are tolerated.
        let isRight = abs(edge) <= 75 || inside.contains(region.id) == (edge < 0)
        if !isRight { return #expect(isRight, "\(region.id), \(edge) m, second \(second), \(drive.watch.plan.summary)") }
      }
    }
    #expect(drive.system.maximum <= 19)
    // The drive covered enough, and did not use fixes all the time.
    #expect(drive.reported.count > 6 && drive.relaunches > 1)
    if !isDense { #expect(drive.fixes < 750, "\(drive.fixes) fixes") }
  }

  @Test(
    """
    with circles of all sizes and polygons, and a system that detects a crossing 75 m and 20 s late, every longer stay inside or \
    outside is reported
    """, arguments: 1...5)
  func late(_ seed: UInt64) throws {
    var random = SeededNumbers(seed &* 31)
    var regions = Regions.random(60, round: Regions.start, spread: 9000, radii: 250...2500, &random)
    for number in 0..<25 {
      let center = Regions.place(.random(in: -7000...7000, using: &random), .random(in: -7000...7000, using: &random))
      regions.append(try Regions.star("star\(number)", at: center, radius: .random(in: 700...4000, using: &random), &random))
    }
    regions.append(Regions.fence("land", north: 1_200_000, radius: 1_202_000))
    var drive = try RegionsDrive(RegionCatalogue(regions), from: Regions.start, seed: seed)
    (drive.system.cushion, drive.system.delay) = (75, 20)
    var (course, speed, place) = (Double.random(in: 0..<360, using: &random), 5.0, Regions.start)
    var inside: Set<String> = []
    var read = 0
    /// For how many seconds the device has been clearly inside (> 0) or outside (< 0), by the id of the region.
    var clear: [String: Int] = [:]
    for second in 0..<1800 {
      if second.isMultiple(of: 120) { speed = .random(in: 0...15, using: &random) }
      course += .random(in: -5...5, using: &random)
      place = GreatCircle.destination(from: place, course: course, distance: speed)
      try drive.move(to: place)
      if Int.random(in: 0..<200, using: &random) == 0 { try drive.relaunch() }
      for event in drive.reported[read...] {
        if event.kind == .entered { #expect(inside.insert(event.region.id).inserted, "\(event)") }
        if event.kind == .exited { #expect(inside.remove(event.region.id) != nil, "\(event)") }
      }
      read = drive.reported.count
      for region in regions {
        let edge = region.shape.distanceToEdge(from: place) ?? 0
        let count = clear[region.id, default: 0]
        clear[region.id] = edge < -100 ? max(0, count) + 1 : edge > 100 ? min(0, count) - 1 : 0
        guard abs(count) > 30, inside.contains(region.id) != (count > 0) else { continue }
        let why = "\(region.id), \(edge) m for \(count) s, second \(second), \(drive.watch.plan)"
        return #expect(Bool(false), "\(why)")
      }
    }
    #expect(drive.system.maximum <= 19 && drive.reported.count > 6 && drive.relaunches > 1)
    #expect(drive.fixes < 1500, "\(drive.fixes) fixes")
  }
}
