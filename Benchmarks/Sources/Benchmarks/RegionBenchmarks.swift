import Foundation
import GodwitModel

/// The index over circles, compared with a scan of every circle and with SQLite's R*Tree, and polygons with many corners. The results
/// of compared algorithms must be the same. Times are processor times on one core.
enum RegionBenchmarks {
  static func all() throws -> [Measurement] { try nearest() + containing() + polygons() }

  /// Circles anywhere on the earth, or in towns of 10 km: 50 m to 50 km, mostly small ones, and one in 100,000 of 1,000 km.
  private static func world(_ count: Int, towns: Int = 0, seed: UInt64) -> [Circle] {
    var random = Linear(state: seed)
    let middles = (0..<towns).map { _ in random.place() }
    return (0..<count).map { index in
      let center =
        towns == 0
        ? random.place()
        : GreatCircle.destination(from: middles[index % towns], course: random.next() * 360, distance: random.next() * 10_000)
      let radius = index % 100_000 == 7 ? 1_000_000 : 50 * pow(1000, random.next() * random.next())
      return Circle(center: center, radius: radius)
    }
  }

  /// Places near circles, except near the poles and the antimeridian, where boxes of degrees are a problem for the R*Tree.
  private static func places(_ count: Int, in circles: [Circle], seed: UInt64) -> [Coordinate] {
    var random = Linear(state: seed)
    var places: [Coordinate] = []
    while places.count < count {
      let circle = circles[Int(random.next() * Double(circles.count))]
      let place = GreatCircle.destination(from: circle.center, course: random.next() * 360, distance: random.next() * 20_000)
      if abs(place.latitude) < 70, abs(place.longitude) < 170 { places.append(place) }
    }
    return places
  }

  private static func nearest() throws -> [Measurement] {
    let circles = world(1_000_000, seed: 1)
    var index = CapIndex([])
    let build = fastestOnProcessor(of: 5) { index = CapIndex(circles) }
    var tree: SQLiteTree?
    let treeBuild = try fastestOnProcessor(of: 1) { tree = try SQLiteTree(circles) }
    guard let tree else { return [] }
    let places = places(20_000, in: circles, seed: 2)
    var found: [CapIndex.Neighbor] = []
    let ours = perQuery(places) { index.nearest(20, to: $0, into: &found) }
    let linear = perQuery(places.prefix(10)) { consume(LinearScan.nearest(20, to: $0, of: circles)) }
    let boxes = perQuery(places.prefix(200)) { consume(tree.nearest(20, to: $0, first: 16_000)) }
    for place in places.prefix(50) { precondition(index.nearest(20, to: place) == tree.nearest(20, to: place, first: 16_000)) }
    for place in places.prefix(5) {
      precondition(index.nearest(20, to: place) == LinearScan.nearest(20, to: place, of: circles))
    }
    let towns = CapIndex(world(1_000_000, towns: 500, seed: 3))
    let inTowns = perQuery(Self.places(20_000, in: world(1_000, towns: 500, seed: 3), seed: 4)) {
      towns.nearest(20, to: $0, into: &found)
    }
    let perCircle = Double(index.memory) / 1_000_000
    return [
      Measurement(
        name: "nearest 20 of 1,000,000 circles", value: ours * 1e6, unit: "µs", goal: 10, lowerIsBetter: true,
        comparedTo: "SQLite's R*Tree: \(Int(boxes * 1e6)) µs", ratio: ours / boxes),
      Measurement(
        name: "the same beside a look at every circle", value: ours * 1e6, unit: "µs", goal: 10, lowerIsBetter: true,
        comparedTo: "linear scan: \(Int(linear * 1e6)) µs", ratio: ours / linear),
      Measurement(
        name: "the same in 500 towns", value: inTowns * 1e6, unit: "µs", goal: 10, lowerIsBetter: true),
      Measurement(
        name: "index of 1,000,000 circles, made", value: build, unit: "s", goal: 0.5, lowerIsBetter: true,
        comparedTo: "SQLite's R*Tree: \(String(format: "%.2f", treeBuild)) s", ratio: build / treeBuild),
      Measurement(
        name: "index of 1,000,000 circles, memory", value: perCircle, unit: "bytes a circle", goal: 48, lowerIsBetter: true,
        comparedTo: "SQLite's R*Tree: \(tree.memory / 1_000_000) bytes", ratio: perCircle / (Double(tree.memory) / 1_000_000)),
    ]
  }

  private static func containing() throws -> [Measurement] {
    let circles = world(100_000, seed: 5)
    let index = CapIndex(circles)
    let tree = try SQLiteTree(circles)
    let places = places(100_000, in: circles, seed: 6)
    var found: [CapIndex.Neighbor] = []
    let ours = 1 / perQuery(places) { index.containing($0, into: &found) }
    let linear = 1 / perQuery(places.prefix(50)) { consume(LinearScan.containing($0, of: circles)) }
    let boxes = 1 / perQuery(places.prefix(2_000)) { consume(tree.containing($0)) }
    for place in places.prefix(1_000) { precondition(Set(index.containing(place)) == Set(tree.containing(place))) }
    return [
      Measurement(
        name: "which of 100,000 fences contain a place", value: ours, unit: "places/s", goal: 200_000,
        comparedTo: "SQLite's R*Tree: \(Int(boxes)) places/s", ratio: ours / boxes),
      Measurement(
        name: "the same beside a look at every fence", value: ours, unit: "places/s", goal: 200_000,
        comparedTo: "linear scan: \(Int(linear)) places/s", ratio: ours / linear),
    ]
  }

  private static func polygons() throws -> [Measurement] {
    var random = Linear(state: 7)
    // Valid: a place in Europe.
    let middle = Coordinate(latitude: 45.4, longitude: 14)!
    // A coastline: each corner is a step further along a circle, with a random step outwards or inwards.
    var depth = 0.0
    let ring = (0..<100_000).map { corner in
      depth = max(-20_000, min(20_000, depth + (random.next() - 0.5) * 200))
      return GreatCircle.destination(from: middle, course: Double(corner) * 360 / 100_000, distance: 100_000 + depth)
    }
    var polygon: Polygon?
    let check = try fastestOnProcessor(of: 3) { polygon = try Polygon(outer: ring) }
    guard let polygon else { return [] }
    let prepared = PreparedPolygon(polygon)
    let places = (0..<100_000).map { _ in
      GreatCircle.destination(from: middle, course: random.next() * 360, distance: random.next() * 140_000)
    }
    let ours = 1 / perQuery(places) { consume(prepared.contains($0)) }
    let linear = 1 / perQuery(places.prefix(20)) { consume(polygon.contains($0)) }
    for place in places.prefix(20) { precondition(prepared.contains(place) == polygon.contains(place)) }
    return [
      Measurement(name: "polygon of 100,000 corners, checked", value: check, unit: "s", goal: 0.5, lowerIsBetter: true),
      Measurement(
        name: "whether it contains a place", value: ours, unit: "places/s", goal: 200_000,
        comparedTo: "every edge: \(Int(linear)) places/s", ratio: ours / linear),
    ]
  }

  /// Seconds of processor time per query, of the fastest of several runs.
  private static func perQuery(_ places: some Collection<Coordinate>, _ query: (Coordinate) -> Void) -> Double {
    fastestOnProcessor(of: 5) { for place in places { query(place) } } / Double(places.count)
  }
}

extension Linear {
  /// A random place, uniformly distributed on the sphere.
  fileprivate mutating func place() -> Coordinate {
    // Valid: the sine of a latitude, and a longitude in range.
    Coordinate(latitude: asin(next() * 2 - 1) * 180 / .pi, longitude: next() * 360 - 180)!
  }
}
