import GodwitModel
import TestTexts
import Testing

/// The expected results of the index, computed from every circle.
private struct LinearScan {
  let all: [CapIndex.Neighbor]

  init(_ circles: [Circle], from place: Coordinate) {
    all = circles.enumerated()
      .map { CapIndex.Neighbor(position: Int32($0), distanceToEdge: $1.distanceToEdge(from: place)) }
      .sorted { ($0.distanceToEdge, $0.position) < ($1.distanceToEdge, $1.position) }
  }

  func nearest(_ k: Int) -> [CapIndex.Neighbor] { Array(all.prefix(k)) }
  func containing(margin: Double) -> Set<CapIndex.Neighbor> { Set(all.filter { $0.distanceToEdge <= margin }) }
}

@Suite("Index of circles")
struct CapIndexTests {
  /// Returns positions for queries: anywhere, near circles, and on edges as exactly as rounding permits.
  static func places(_ circles: [Circle], _ random: inout SeededNumbers) -> [Coordinate] {
    var places = (0..<6).map { _ in random.place() }
    for circle in circles.shuffled(using: &random).prefix(5) {
      places += [circle.center, random.place(near: circle.center, circle.radius * 3)]
      places.append(
        GreatCircle.destination(from: circle.center, course: .random(in: 0..<360, using: &random), distance: circle.radius))
    }
    return places
  }

  @Test("the nearest circles equal those of a linear search, in the same order", arguments: RandomWorld.allCases, 1...2)
  func nearest(_ world: RandomWorld, _ seed: Int) {
    var random = SeededNumbers(UInt64(seed))
    let circles = world.circles(&random)
    let index = CapIndex(circles)
    #expect(index.count == circles.count)
    var found: [CapIndex.Neighbor] = []
    for place in Self.places(circles, &random) {
      let scan = LinearScan(circles, from: place)
      for k in [0, 1, 20, 1_000] {
        let next = index.nearest(k, to: place, into: &found)
        #expect(found == scan.nearest(k))
        #expect(next == scan.nearest(k + 1).dropFirst(k).first?.distanceToEdge)
        #expect(index.nearest(k, to: place) == found)
      }
    }
  }

  @Test("skipped circles are not found, and the others are", arguments: RandomWorld.allCases, 1...2)
  func skipping(_ world: RandomWorld, _ seed: Int) {
    var random = SeededNumbers(UInt64(seed + 100))
    let circles = world.circles(&random)
    let index = CapIndex(circles)
    for place in Self.places(circles, &random) {
      var skipped = PositionSet(capacity: circles.count)
      for position in circles.indices where Int.random(in: 0..<3, using: &random) > 0 { skipped.insert(Int32(position)) }
      let expected = LinearScan(circles, from: place).all.filter { !skipped.contains($0.position) }
      #expect(index.nearest(20, to: place, skipping: skipped) == Array(expected.prefix(20)))
    }
  }

  @Test("the circles that contain a position equal those of a linear search", arguments: RandomWorld.allCases, 1...2)
  func containing(_ world: RandomWorld, _ seed: Int) {
    var random = SeededNumbers(UInt64(seed + 200))
    let circles = world.circles(&random)
    let index = CapIndex(circles)
    var found: [CapIndex.Neighbor] = []
    for place in Self.places(circles, &random) {
      let scan = LinearScan(circles, from: place)
      for margin in [0, 50, 100_000, -10, 1e9, .infinity, -.infinity] {
        index.containing(place, margin: margin, into: &found)
        #expect(found.count == Set(found).count && Set(found) == scan.containing(margin: margin))
      }
      #expect(
        Set(index.containing(place).map(\.position))
          == Set(circles.indices.filter { circles[$0].contains(place) }.map(Int32.init)))
      #expect(index.containing(place, margin: .nan).isEmpty)
    }
  }

  @Test("the circles that intersect a circle equal those of a linear search", arguments: RandomWorld.allCases)
  func intersecting(_ world: RandomWorld) {
    var random = SeededNumbers(300)
    let circles = world.circles(&random)
    let index = CapIndex(circles)
    var found: [CapIndex.Neighbor] = []
    for center in Self.places(circles, &random) {
      let other = Circle(center: center, radius: random.size(10...2_000_000))
      index.intersecting(other, into: &found)
      #expect(Set(found) == LinearScan(circles, from: center).containing(margin: other.radius))
    }
  }

  @Test("equal circles are all found, sorted by position")
  func equals() {
    let circles = [Circle](repeating: Circle(center: .at(1, 2), radius: 50), count: 100)
    let index = CapIndex(circles)
    #expect(index.nearest(7, to: .at(1, 2)).map(\.position) == [0, 1, 2, 3, 4, 5, 6])
    #expect(index.nearest(7, to: .at(40, 50)).map(\.position) == [0, 1, 2, 3, 4, 5, 6])
    #expect(index.containing(.at(1, 2)).count == 100)
  }

  @Test("circles are sorted by the signed distance to the edge, which is negative inside")
  func depth() {
    let circles = [
      Circle(center: .at(0, 1), radius: 1_000), Circle(center: .at(0, 0), radius: 1_000),
      Circle(center: .at(0, 0), radius: 5_000),
    ]
    #expect(CapIndex(circles).nearest(3, to: .at(0, 0)).map(\.position) == [2, 1, 0])
  }

  @Test("a circle with the radius NaN is never found, a circle with an infinite radius always is")
  func strangeRadii() {
    let circles = [.nan, 100, .infinity, .nan, -100].map { Circle(center: .at(0, 0), radius: $0) }
    let index = CapIndex(circles)
    #expect(index.nearest(9, to: .at(0, 0)).map(\.position) == [2, 1, 4])
    #expect(Set(index.containing(.at(80, 80)).map(\.position)) == [2])
    let everything = CapIndex([Circle](repeating: Circle(center: .at(0, 0), radius: .infinity), count: 50))
    #expect(everything.nearest(20, to: .at(80, 80)).map(\.position) == Array(0..<20))
  }

  @Test("an array with enough capacity is not reallocated")
  func reuse() {
    var random = SeededNumbers(5)
    let index = CapIndex(RandomWorld.anywhere.circles(&random))
    var found: [CapIndex.Neighbor] = []
    found.reserveCapacity(200)
    let address = found.withUnsafeBufferPointer { $0.baseAddress }
    for _ in 0..<10 {
      index.nearest(20, to: random.place(), into: &found)
      #expect(found.count == 20 && found.withUnsafeBufferPointer { $0.baseAddress } == address)
      index.containing(random.place(), margin: 1_000, into: &found)
      #expect(found.withUnsafeBufferPointer { $0.baseAddress } == address)
    }
  }

  @Test("an index of a thousand circles or more uses at most 48.5 bytes per circle")
  func memory() {
    for count in [1_000, 1_001, 4_096, 5_000] {
      let circles = (0..<count).map { Circle(center: .at(Double($0 % 180) - 90, Double($0 % 360) - 180), radius: 100) }
      #expect(Double(CapIndex(circles).memory) / Double(count) <= 48.5)
    }
  }
}

@Suite("Circles on a map")
struct CapIndexMapTests {
  /// Maps as south, west, north and east.
  static let maps: [(Double, Double, Double, Double)] = [
    (45, 13, 46, 15), (-10, 170, 10, -170), (80, -180, 90, 180), (-90, -180, 90, 180), (-90, 0, -89, 90), (-5, -100, 5, 100),
    (50, 100, 60, -100), (0, 0, 0, 0), (-90, -180, 90, -180), (70, 30, 85, 29),
  ]

  /// Returns the metres from a position to a map, computed from a grid of points on the map, and the step of the grid.
  static func distance(_ place: Coordinate, _ map: (Double, Double, Double, Double)) -> (meters: Double, step: Double) {
    let width = map.3 >= map.1 ? map.3 - map.1 : map.3 - map.1 + 360
    let steps = 40
    var minimum = Double.infinity
    for row in 0...steps {
      for column in 0...steps {
        let longitude = map.1 + width * Double(column) / Double(steps)
        let latitude = map.0 + (map.2 - map.0) * Double(row) / Double(steps)
        minimum = min(minimum, GreatCircle.distance(place, .at(latitude, longitude > 180 ? longitude - 360 : longitude)))
      }
    }
    return (minimum, 111_200 * (width + map.2 - map.0) / Double(steps))
  }

  @Test("exactly the circles that intersect the map are found", arguments: maps)
  func meeting(_ south: Double, _ west: Double, _ north: Double, _ east: Double) {
    var random = SeededNumbers(400)
    let circles = RandomWorld.few.circles(&random) + RandomWorld.mixedSizes.circles(&random).prefix(60)
    var found: [Int32] = []
    CapIndex(circles).intersecting(southWest: .at(south, west), northEast: .at(north, east), into: &found)
    #expect(found.count == Set(found).count)
    for (position, circle) in circles.enumerated() {
      let (distance, step) = Self.distance(circle.center, (south, west, north, east))
      if distance <= circle.radius { #expect(found.contains(Int32(position))) }
      if distance > circle.radius + step { #expect(!found.contains(Int32(position))) }
    }
  }

  @Test("circles that touch a side of the map, or reach the map across a pole, are found")
  func sides() {
    let circles = [
      Circle(center: .at(0, 12), radius: 222_400), Circle(center: .at(0, 12), radius: 222_300),
      Circle(center: .at(85, -170), radius: 1_200_000), Circle(center: .at(5, 5), radius: 1),
      Circle(center: .at(11, 5), radius: 111_200),
      Circle(center: .at(11, 5), radius: 111_190),
    ]
    var found: [Int32] = []
    CapIndex(circles).intersecting(southWest: .at(0, 0), northEast: .at(10, 10), into: &found)
    #expect(Set(found) == [0, 3, 4])
    CapIndex(circles).intersecting(southWest: .at(80, 0), northEast: .at(90, 20), into: &found)
    #expect(found == [2])
  }

  @Test("a map whose south is north of its north contains no circle")
  func upsideDown() {
    var found: [Int32] = [1]
    CapIndex([Circle(center: .at(5, 5), radius: 1_000_000)])
      .intersecting(southWest: .at(10, 0), northEast: .at(0, 10), into: &found)
    #expect(found.isEmpty)
  }
}

@Suite("Sets of positions")
struct PositionSetTests {
  @Test("an inserted position is contained until its removal")
  func members() {
    var set = PositionSet(capacity: 130)
    for position in [Int32(0), 63, 64, 129] { set.insert(position) }
    #expect(set.count == 4 && set.contains(129) && !set.contains(128))
    set.remove(64)
    #expect(!set.contains(64) && set.contains(63))
    set.removeAll()
    #expect(set.count == 0 && set == PositionSet(capacity: 130))
  }

  @Test("a position out of range is not contained", arguments: [Int32(-1), 130, 191, .max, .min])
  func outside(_ position: Int32) {
    var set = PositionSet(capacity: 130)
    set.insert(position)
    set.remove(position)
    #expect(!set.contains(position) && set.count == 0)
  }
}
