import Foundation
import GodwitModel
import Testing

@testable import GodwitAPI
@testable import GodwitHistory
@testable import GodwitServer
@testable import GodwitStore

/// Generates fixes of several days of random movement with stops.
struct Wanderer {
  var state: UInt64
  var latitude = 46.05
  var longitude = 14.5

  mutating func random() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }

  /// Returns fixes from a start time, with pauses that break lines.
  mutating func fixes(_ count: Int, from start: Date) -> [Fix] {
    var time = start
    var course = random() * 6.28
    return (0..<count).map { _ in
      course += (random() - 0.5) * 0.6
      let step = random() < 0.3 ? 0 : random() * 30
      latitude = min(84, max(-84, latitude + Foundation.cos(course) * step / 111_195))
      longitude += Foundation.sin(course) * step / 111_195 / Foundation.cos(latitude * .pi / 180)
      if longitude > 180 { longitude -= 360 }
      if longitude < -180 { longitude += 360 }
      time += random() < 0.003 ? 1000 + random() * 20_000 : 1 + random() * 9
      // The coordinate is valid: the latitude is clamped, and the longitude wrapped.
      return Fix(time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude)!, altitude: 300 + random() * 40)
    }
  }
}

/// A store with one device, and reads of its overviews.
struct OverviewStore {
  let store: SQLiteTrackStore
  let device: Device

  static func with(_ body: (OverviewStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-overview-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteTrackStore(folder: folder.path)
    defer { store.close() }
    try await body(OverviewStore(store: store, device: try store.makeDevice(named: "walker", at: Date())))
  }

  func add(_ fixes: [Fix], at now: Date = Date()) async throws {
    _ = try await store.store(fixes.map { Record(kind: .fix($0)) }, of: device, at: now)
  }

  func processBacklog() async throws { try await RecomputeWorker(database: store).processBacklog(at: Date() + 3600) }

  /// The stored lines of a level.
  func lines(_ level: OverviewLevel) throws -> [[TrackVertex]] {
    try store.read { db in
      OverviewLines.lines(of: try OverviewTables.rows(device: device.id, level, slots: -100_000...100_000, db), level)
    }
  }

  /// All stored pieces of overviews, ordered by time.
  func everything() throws -> [String] {
    try store.read { db in
      try db.all("SELECT level, slot, first, last, data FROM overview_pieces ORDER BY level, first, id") {
        "\($0.integer(0)) \($0.integer(1)) \($0.integer(2)) \($0.integer(3)) \($0.blob(4))"
      }
    }
  }
}

@Suite("Overviews of tracks")
struct OverviewTests {
  private static let start = Date(timeIntervalSince1970: 1_763_596_800)

  @Test("the distance of every point from the lines of a level is within its tolerance", arguments: 1...4 as ClosedRange<UInt64>)
  func tolerance(_ seed: UInt64) async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: seed)
      let fixes = wanderer.fixes(20_000, from: Self.start)
      try await overviews.add(fixes)
      try await overviews.processBacklog()
      for level in OverviewLevel.all {
        let lines = try overviews.lines(level)
        #expect(!lines.isEmpty)
        // The tolerances of the finer levels and of this one, and the rounding to its unit.
        let maximum = level.tolerance * 1.05 + Double(level.unit) / 1e7 * 111_195
        for fix in fixes.indices where fix.isMultiple(of: 37) {
          let distance = Self.distance(of: fixes[fix], from: lines)
          #expect(distance <= maximum, "level \(level.index), point \(fix)")
        }
      }
      let counts = try OverviewLevel.all.map { try overviews.lines($0).reduce(0) { $0 + $1.count } }
      #expect(zip(counts, counts.dropFirst()).allSatisfy { $0 >= $1 }, "coarser levels have fewer vertices: \(counts)")
    }
  }

  @Test("a flight is drawn as an arc within the tolerance of the level", arguments: OverviewLevel.all)
  func flight(_ level: OverviewLevel) throws {
    let start = try #require(Coordinate(latitude: 46.2, longitude: 14.5))
    let goal = try #require(Coordinate(latitude: 35.8, longitude: 139.8))
    let course = GreatCircle.initialCourse(from: start, to: goal)
    let length = GreatCircle.distance(start, goal)
    let places = (0...300).map { GreatCircle.destination(from: start, course: course, distance: length * Double($0) / 300) }
    let line = try places.enumerated().map { index, place in
      try #require(
        TrackVertex(
          time: Int64(index) * 120_000, latitude: Int64(place.latitude * 1e7), longitude: Int64(place.longitude * 1e7),
          centimetres: nil))
    }
    let drawn = OverviewLines.coarser([line], level)
    #expect(drawn.count == 1 && drawn[0].count < line.count || level.tolerance < 100)
    // A step is a straight line on the map. `away` is its distance from the arc in metres.
    for (a, b) in zip(drawn[0], drawn[0].dropFirst()) {
      for place in places[Int(a.time / 120_000)...Int(b.time / 120_000)] {
        let share = (place.longitude - a.coordinate.longitude) / (b.coordinate.longitude - a.coordinate.longitude)
        let (y, from, to) = (
          Self.mercator(place.latitude), Self.mercator(a.coordinate.latitude), Self.mercator(b.coordinate.latitude)
        )
        let away = abs(from + (to - from) * share - y) * cos(place.latitude * .pi / 180) * GreatCircle.earthRadius
        // The points are 30 km apart: the error of a straight line between them is up to 60 m.
        #expect(away < max(level.tolerance * 1.1, 60), "\(away) m")
      }
    }
  }

  private static func mercator(_ latitude: Double) -> Double { log(tan(.pi / 4 + latitude * .pi / 360)) }

  @Test("late points in any order give the same overview as all points at once", arguments: 1...3 as ClosedRange<UInt64>)
  func late(_ seed: UInt64) async throws {
    var wanderer = Wanderer(state: seed, latitude: 10, longitude: 179.99)
    let fixes = wanderer.fixes(6_000, from: Self.start)
    var atOnce: [String] = []
    try await OverviewStore.with { overviews in
      try await overviews.add(fixes)
      try await overviews.processBacklog()
      atOnce = try overviews.everything()
    }
    try await OverviewStore.with { overviews in
      var parts = stride(from: 0, to: fixes.count, by: 500).map { Array(fixes[$0..<min($0 + 500, fixes.count)]) }
      while !parts.isEmpty {
        try await overviews.add(parts.remove(at: Int(wanderer.random() * Double(parts.count))))
        if wanderer.random() < 0.5 { try await overviews.processBacklog() }
      }
      try await overviews.processBacklog()
      // Coarse levels are computed from rounded finer levels and may differ by the rounding. Only the fine levels are compared.
      let fine = { (rows: [String]) in rows.filter { $0.hasPrefix("0 ") || $0.hasPrefix("1 ") || $0.hasPrefix("2 ") } }
      let inParts = try overviews.everything()
      #expect(fine(inParts) == fine(atOnce))
    }
  }

  @Test("a map and a track show new points before the overview is computed")
  func fresh() async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: 5)
      let fixes = wanderer.fixes(3_000, from: Self.start)
      try await overviews.add(Array(fixes[..<2_000]))
      try await overviews.processBacklog()
      try await overviews.add(Array(fixes[2_000...]))
      try overviews.store.read { db in
        let reader = OverviewReader(db)
        let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)
        let lines = try reader.view(world, device: nil, 0...4_000_000_000_000, tolerance: 2)
        let last = try #require(fixes.last)
        #expect(lines.contains { $0.vertices.last.map { abs($0.time - last.time.millisecondsSince1970) < 1000 } == true })
        for tolerance in [0.0, 5, 100, 5000] {
          let track = try reader.track(device: overviews.device.id, 0..<4_000_000_000_000, tolerance: tolerance)
          #expect(track.last?.last.map { abs($0.time - last.time.millisecondsSince1970) < 1000 } == true)
          let times = track.flatMap { $0.map(\.time) }
          #expect(times == times.sorted(), "ordered by time")
        }
      }
    }
  }

  @Test("a map for a range of times has only the steps that are partly in the range, at each level")
  func range() async throws {
    try await OverviewStore.with { overviews in
      // A zigzag of ten days that turns at each midnight.
      var fixes: [Fix] = []
      for step in 0..<1440 {
        let part = Double(step % 288) / 144
        let east = 0.5 * (part < 1 ? part : 2 - part)
        let place = try #require(Coordinate(latitude: 46 + Double(step) * 1e-3, longitude: 14.5 + east))
        fixes.append(Fix(time: Self.start + Double(step) * 600, coordinate: place))
      }
      try await overviews.add(fixes)
      try await overviews.processBacklog()
      let day = DayLength.milliseconds
      let first = Self.start.millisecondsSince1970 + 5 * day
      let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)
      for level in OverviewLevel.all {
        let lines = try overviews.store.read { db in
          try OverviewReader(db).view(world, device: nil, first...first + day - 1, tolerance: level.tolerance)
        }
        let times = lines.flatMap { $0.vertices.map(\.time) }
        let (earliest, latest) = (try #require(times.min()), try #require(times.max()))
        #expect(earliest > first - 2 * day && earliest <= first + day / 2, "level \(level.index)")
        #expect(latest >= first + day / 2 && latest < first + 3 * day, "level \(level.index)")
      }
    }
  }

  @Test("a line without points in a map's area is drawn if it crosses it; an area may cross the antimeridian")
  func crossing() async throws {
    try await OverviewStore.with { overviews in
      func fix(_ second: Double, _ latitude: Double, _ longitude: Double) throws -> Fix {
        Fix(time: Self.start + second, coordinate: try #require(Coordinate(latitude: latitude, longitude: longitude)))
      }
      try await overviews.add([try fix(0, 0, 170), try fix(600, 0, 178), try fix(90_000, 0, -179), try fix(90_600, 0, -170)])
      try await overviews.processBacklog()
      try overviews.store.read { db in
        let reader = OverviewReader(db)
        func count(_ west: Double, _ east: Double) throws -> Int {
          try reader.view(
            BoundingBox(west: west, south: -1, east: east, north: 1), device: overviews.device.id, 0...4_000_000_000_000,
            tolerance: 10
          ).count
        }
        let counts = [try count(173, 174), try count(0, 90), try count(177, -178)]
        #expect(counts == [1, 0, 2])
      }
    }
  }

  /// Fixes of a stationary device: a position every five seconds, with errors of some metres.
  private static func stationary(_ hours: Double, from start: Date, seed: UInt64, accuracy: Meters? = 8) -> [Fix] {
    var state = Wanderer(state: seed)
    return (0..<Int(hours * 720)).map { index in
      let error = (state.random() + state.random() - 1, state.random() + state.random() - 1)
      return Fix(
        time: start + Double(index) * 5,
        // The coordinate is valid.
        coordinate: Coordinate(latitude: 46.05 + error.0 * 6e-5, longitude: 14.5 + error.1 * 9e-5)!,
        horizontalAccuracy: accuracy)
    }
  }

  @Test("a stay is drawn as one place, even across midnight, and the track without tolerance has every point")
  func stay() async throws {
    try await OverviewStore.with { overviews in
      // From two hours before midnight until two hours after, then a walk at 1.4 m/s.
      let midnight = Date(timeIntervalSince1970: 1_795_132_800 + 86_400)
      let rest = Self.stationary(4, from: midnight - 7200, seed: 3)
      let walk = try (1...300).map { step in
        Fix(
          time: midnight + 7200 + Double(step) * 5,
          coordinate: try #require(Coordinate(latitude: 46.05 + Double(step) * 7 / 111_195, longitude: 14.5)),
          horizontalAccuracy: 8)
      }
      try await overviews.add(rest + walk)
      for isComputed in [false, true] {
        if isComputed { try await overviews.processBacklog() }
        let (lines, whole, view) = try overviews.store.read { db in
          let reader = OverviewReader(db)
          let world = BoundingBox(west: -180, south: -90, east: 180, north: 90)
          return (
            try reader.track(device: overviews.device.id, 0..<4_000_000_000_000, tolerance: 2),
            try reader.track(device: overviews.device.id, 0..<4_000_000_000_000, tolerance: 0),
            try reader.view(world, device: nil, 0...4_000_000_000_000, tolerance: 0.4)
          )
        }
        #expect(whole.map(\.count) == [rest.count + walk.count])
        let line = try #require(lines.first)
        #expect(line.count < 20, "\(line.count) vertices")
        #expect(abs(line[0].time - rest[0].time.millisecondsSince1970) < 1000)
        #expect(line.allSatisfy { abs($0.longitude - 145_000_000) < 200 }, "within 2 m of the place")
        let last = try #require(line.last)
        #expect(abs(last.latitude - 460_500_000) > 180_000, "the walk is complete")
        #expect(lines.count == 1, "no gap at midnight")
        #expect(view.reduce(0) { $0 + $1.vertices.count } < 25)
      }
    }
  }

  @Test("tracks without stays are unchanged: a walk, a short stop, movement in a small area, unknown accuracies")
  func noStay() throws {
    func sightings(_ count: Int, every seconds: Int64, accuracy: Int64?, _ place: (Double) -> (Double, Double)) -> [OverviewStays
      .Sighting]
    {
      (0..<count).compactMap { index in
        let (north, east) = place(Double(index) * Double(seconds))
        return TrackVertex(
          time: Int64(index) * seconds * 1000, latitude: 460_000_000 + Int64(north * 89.93),
          longitude: 145_000_000 + Int64(east * 129.4),
          centimetres: nil
        ).map { OverviewStays.Sighting($0, accuracy: accuracy) }
      }
    }
    let walk = sightings(600, every: 2, accuracy: 5000) { ($0 * 1.2, 0) }
    let rest = sightings(290, every: 1, accuracy: 500) { _ in (0, 0) }
    // Movement in parallel stripes over an area of 40 by 40 metres.
    let lawn = sightings(1200, every: 1, accuracy: nil) { second in
      let stripe = (second / 40).rounded(.down)
      let along = second - stripe * 40
      return (Int(stripe) % 2 == 0 ? along : 40 - along, stripe.truncatingRemainder(dividingBy: 40))
    }
    for line in [walk, rest, lawn] { #expect(OverviewStays.collapsed(line) == line.map(\.vertex)) }
    // A stay that begins in the middle of the track, with a short excursion.
    let mixed = sightings(2000, every: 1, accuracy: 500) { second in
      second < 400 ? (second * 2, 0) : second < 1000 || second > 1060 ? (800, 0) : (800, 50)
    }
    let collapsed = OverviewStays.collapsed(mixed)
    #expect((395...470).contains(collapsed.count), "\(collapsed.count)")
    #expect(collapsed.map(\.time) == collapsed.map(\.time).sorted() && collapsed.last?.time == 1_999_000)
    #expect(OverviewStays.collapsed([]).isEmpty)
  }

  @Test("a road with many passages is drawn once")
  func once() throws {
    let box = BoundingBox(west: 14, south: 45, east: 16, north: 47)
    func line(_ shift: Int32) -> [TrackVertex] {
      (0..<100).map {
        TrackVertex(
          time: Int64($0) * 1000, latitude: 460_000_000 + shift, longitude: 145_000_000 + Int32($0) * 10_000, altitude: nil)
      }
    }
    var screen = ScreenLines(box, cell: 20)
    #expect(screen.add(line(3)).count == 1)
    #expect(screen.add(line(4)).isEmpty)
    #expect(screen.add(line(3).reversed()).isEmpty)
    #expect(screen.add(line(100_000)).count == 1)
    #expect(screen.add([TrackVertex(time: 0, latitude: 0, longitude: 0, altitude: nil)]).isEmpty, "outside")
  }

  @Test("encoded pieces are decoded within their unit")
  func encoding() throws {
    var wanderer = Wanderer(state: 9, latitude: -30, longitude: -179.9)
    let vertices = wanderer.fixes(500, from: Date(timeIntervalSince1970: -1000)).compactMap {
      TrackVertex(
        time: $0.time.millisecondsSince1970, latitude: Int64($0.coordinate.latitude * 1e7),
        longitude: Int64($0.coordinate.longitude * 1e7), centimetres: $0.altitude.map { Int64($0 * 100) })
    }
    for level in OverviewLevel.all {
      let pieces = OverviewPiece.pieces(of: vertices, level)
      let rows = pieces.map { OverviewPiece.Row(device: 1, slot: 0, first: $0.first, data: $0.data) }
      let back = OverviewLines.lines(of: rows, level)
      #expect(back.count == 1 && back[0].count == vertices.count)
      for (a, b) in zip(back[0], vertices) {
        #expect(abs(a.latitude - b.latitude) <= level.unit / 2 && abs(a.longitude - b.longitude) <= level.unit / 2)
        #expect(abs(a.time - b.time) < 1000 && a.altitude == b.altitude)
      }
    }
  }

  @Test("a day that was changed while the clock was ahead is due immediately")
  func clockAhead() async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: 7)
      try await overviews.add(wanderer.fixes(5, from: Self.start))
      _ = try await overviews.store.write { db in
        try db.run("UPDATE dirty_days SET changed = changed + 2592000000, queued = queued + 2592000000")
      }
      #expect(try overviews.store.read { try DirtyDays.due(at: Date(), limit: 9, $0) }.count == 1)
    }
  }

  @Test("a computation does not clear days that changed during it")
  func takenBack() async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: 7)
      let fixes = wanderer.fixes(20, from: Self.start)
      try await overviews.add(Array(fixes[..<10]))
      let entry = try #require(try overviews.store.read { try DirtyDays.due(at: Date() + 3600, limit: 9, $0) }.first)
      try await overviews.add(Array(fixes[10...]))
      try await overviews.store.write { try DirtyDays.restore(entry, $0) }
      let again = try overviews.store.read { try DirtyDays.due(at: Date() + 3600, limit: 9, $0) }
      #expect(again.map(\.touched) == [2], "the day is still dirty")
      try await overviews.processBacklog()
      await #expect(throws: DirtyDays.AlreadyComputed.self) {
        try await overviews.store.write { try DirtyDays.restore(again[0], $0) }
      }
      // Duplicate points do not make the day dirty.
      try await overviews.add(fixes)
      let none = try overviews.store.read { try DirtyDays.due(at: Date() + 3600, limit: 9, $0) }
      #expect(none.isEmpty)
    }
  }

  @Test("points that retention deletes are removed from the overviews")
  func retention() async throws {
    try await OverviewStore.with { overviews in
      var wanderer = Wanderer(state: 8)
      try await overviews.add(wanderer.fixes(3_000, from: Date() - 40 * 86_400))
      try await overviews.add(wanderer.fixes(300, from: Date() - 3_600))
      try await overviews.processBacklog()
      let before = try overviews.everything().count
      try await overviews.store.write { db in
        try DirtyDays.recordAll(ofDevice: overviews.device.id, 0..<(Date() - 86_400).millisecondsSince1970, db)
        try db.run(
          "DELETE FROM points WHERE device = ? AND time < ?", overviews.device.id, (Date() - 86_400).millisecondsSince1970)
      }
      try await overviews.processBacklog()
      let after = try overviews.everything()
      #expect(!after.isEmpty && after.count < before)
      let earliest = try overviews.store.read { try $0.integer("SELECT min(first) FROM overview_pieces") }
      #expect(try #require(earliest) > (Date() - 86_400).millisecondsSince1970)
    }
  }

  /// The distance in metres from a fix to the nearest segment at its time.
  private static func distance(of fix: Fix, from lines: [[TrackVertex]]) -> Double {
    let time = fix.time.millisecondsSince1970
    var best = Double.infinity
    for line in lines where line[0].time <= time + 1000 && line[line.count - 1].time >= time - 1000 {
      if line.count == 1 { best = min(best, GreatCircle.distance(line[0].coordinate, fix.coordinate)) }
      for (a, b) in zip(line, line.dropFirst()) where a.time <= time + 1000 && b.time >= time - 1000 {
        best = min(best, segmentDistance(fix.coordinate, a.coordinate, b.coordinate))
      }
    }
    return best
  }

  /// The distance in metres from a place to a segment, on the tangent plane at the place.
  private static func segmentDistance(_ place: Coordinate, _ a: Coordinate, _ b: Coordinate) -> Double {
    func flat(_ other: Coordinate) -> (x: Double, y: Double) {
      var east = other.longitude - place.longitude
      if east > 180 { east -= 360 }
      if east < -180 { east += 360 }
      return (east * 111_195 * cos(place.latitude * .pi / 180), (other.latitude - place.latitude) * 111_195)
    }
    let (a, b) = (flat(a), flat(b))
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let square = dx * dx + dy * dy
    let along = square > 0 ? max(0, min(1, -(a.x * dx + a.y * dy) / square)) : 0
    return hypot(a.x + dx * along, a.y + dy * along)
  }
}
