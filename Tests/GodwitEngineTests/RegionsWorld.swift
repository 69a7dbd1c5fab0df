import Foundation
import GodwitEngine
import GodwitModel
import TestTexts

/// Places, circles and catalogues for tests of regions.
enum Regions {
  /// Valid: within the ranges.
  static let start = Coordinate(latitude: 46, longitude: 14.5)!

  static func place(_ north: Meters, _ east: Meters = 0, from start: Coordinate = start) -> Coordinate {
    let up = GreatCircle.destination(from: start, course: north < 0 ? 180 : 0, distance: abs(north))
    return GreatCircle.destination(from: up, course: east < 0 ? 270 : 90, distance: abs(east))
  }

  /// Returns a geofence with its centre `north` and `east` metres from the start.
  static func fence(
    _ id: String, north: Meters = 0, east: Meters = 0, radius: Meters = 200, dwell: Double? = nil,
    schedule: RegionSchedule? = nil
  ) -> Region {
    Region(
      id: id, name: "Name of \(id)", shape: .circle(Circle(center: place(north, east), radius: radius)), schedule: schedule,
      dwell: dwell)
  }

  /// Returns a square that is `width` metres wide.
  static func square(_ id: String, north: Meters = 0, east: Meters = 0, width: Meters) throws -> Region {
    let half = width / 2
    let corners = [(-half, -half), (-half, half), (half, half), (half, -half)].map { place(north + $0.0, east + $0.1) }
    // Not nil: the list of polygons is not empty.
    return Region(id: id, shape: .polygons(MultiPolygon([try Polygon(outer: corners)])!))
  }

  static func beacon(
    _ id: String, _ uuid: Int, major: UInt16 = 1, minor: UInt16 = 1, place: Coordinate? = nil, dwell: Double? = nil
  ) -> Region {
    let identity = BeaconIdentity(uuid: Self.uuid(uuid), major: major, minor: minor)
    return Region(id: id, shape: .beacon(Beacon(identity: identity, place: place)), dwell: dwell)
  }

  static func uuid(_ number: Int) -> ProximityUUID { ProximityUUID(high: 7, low: UInt64(number)) }

  static func fix(
    _ north: Meters, _ east: Meters = 0, at time: Double, accuracy: Meters? = 5
  ) -> Fix {
    Fix(time: at(time), coordinate: place(north, east), horizontalAccuracy: accuracy)
  }

  /// Returns a polygon with 5 to 11 corners at random distances from the centre.
  static func star(_ id: String, at center: Coordinate, radius: Meters, _ generator: inout SeededNumbers) throws -> Region {
    let corners = 5 + Int.random(in: 0...6, using: &generator)
    let ring = (0..<corners).map { corner in
      GreatCircle.destination(
        from: center, course: Double(corner) * 360 / Double(corners), distance: radius * .random(in: 0.4...1, using: &generator))
    }
    // Not nil: the list of polygons is not empty.
    return Region(id: id, shape: .polygons(MultiPolygon([try Polygon(outer: ring)])!))
  }

  /// Returns random circles around a position: many small ones and some large ones, some of them nested.
  static func random(
    _ count: Int, round center: Coordinate, spread: Meters, radii: ClosedRange<Meters>, _ generator: inout SeededNumbers
  )
    -> [Region]
  {
    (0..<count).map { number in
      let away = spread * Double.random(in: 0...1, using: &generator).squareRoot()
      let place = GreatCircle.destination(from: center, course: .random(in: 0..<360, using: &generator), distance: away)
      let radius = radii.lowerBound * pow(radii.upperBound / radii.lowerBound, .random(in: 0...1, using: &generator))
      return Region(id: "r\(number)", shape: .circle(Circle(center: place, radius: radius)))
    }
  }
}

/// A simulated system that monitors circles: it reports only crossings of these circles by the true position of the device, at
/// once, or after the device was `cushion` metres beyond the boundary for `delay` moves.
struct RegionSystem {
  var cushion: Meters = 0
  /// The number of moves beyond the boundary before a crossing is reported.
  var delay = 0
  private var beyond: [String: Int] = [:]
  private(set) var regions: [String: MonitoredRegion] = [:]
  private var isInside: [String: Bool] = [:]
  private(set) var maximum = 0
  private(set) var place: Coordinate

  init(at place: Coordinate) { self.place = place }

  mutating func start(_ region: MonitoredRegion) {
    regions[region.identifier] = region
    (isInside[region.identifier], beyond[region.identifier]) = (contains(region), nil)
    maximum = max(maximum, regions.count)
  }

  mutating func stop(_ identifier: String) {
    regions[identifier] = nil
    (isInside[identifier], beyond[identifier]) = (nil, nil)
  }

  func state(_ identifier: String) -> Bool? { isInside[identifier] }

  /// Moves the device and returns the crossings, sorted by identifier.
  mutating func move(to place: Coordinate) -> [RegionInput] {
    self.place = place
    var input: [RegionInput] = []
    for identifier in regions.keys.sorted() {
      guard let region = regions[identifier], let isInside = isInside[identifier] else { continue }
      let count = isOver(region, isInside) ? beyond[identifier, default: -1] + 1 : -1
      beyond[identifier] = count
      guard count >= delay else { continue }
      self.isInside[identifier] = !isInside
      beyond[identifier] = nil
      input.append(isInside ? .exited(identifier) : .entered(identifier))
    }
    return input
  }

  private func isOver(_ region: MonitoredRegion, _ isInside: Bool) -> Bool {
    guard case .circle(let circle) = region.shape else { return false }
    let edge = circle.distanceToEdge(from: place)
    return isInside ? edge > cushion : edge <= -min(cushion, circle.radius / 2)
  }

  private func contains(_ region: MonitoredRegion) -> Bool {
    if case .circle(let circle) = region.shape { circle.contains(place) } else { false }
  }
}

extension RegionPlan {
  /// The ids of the plan's geofences, after "horizon" if there is one.
  var summary: String { (horizon == nil ? "" : "horizon ") + geofences.joined(separator: " ") }
}
