public import Foundation
public import GodwitModel

/// Geofences that can be asked where a place is among them. Beacons are left out: a position tells nothing of them.
///
/// Most of them lie in an index that is made once; those that changed since then are looked at one by one, until they are
/// so many that a new index is worth its time (about 50 ms for 100,000).
public struct FenceSet: Sendable {
  /// One region, made ready.
  struct Fence: Sendable {
    package let region: Region
    /// Of a circle itself; of polygons the one round them.
    package let circle: Circle
    /// `nil`: it is the circle.
    package let area: MultiPolygon?
    /// `nil`: always.
    package let hours: ActiveHours?

    /// Nothing of a beacon.
    package init?(_ region: Region, zone: TimeZone) {
      switch region.shape {
      case .circle(let circle): (self.circle, area) = (circle, nil)
      case .polygons(let polygons): (circle, area) = (polygons.enclosingCircle, polygons)
      case .beacon: return nil
      }
      var kept = region
      // What is not read here needs no memory.
      kept.extras = nil
      self.region = kept
      hours = region.schedule.map { ActiveHours($0, else: zone) }
    }

    /// Metres to the edge, negative inside.
    package func distance(from place: Coordinate) -> Meters {
      area.map { $0.distanceToEdge(from: place) } ?? circle.distanceToEdge(from: place)
    }

    /// A fix must be as exact as this to enter it: one that may be anywhere in a town is not inside a house.
    var coarsestEntry: Meters { max(RegionEvaluator.coarseAccuracy, circle.radius) }
  }

  /// By position; `nil`: it was removed or replaced.
  private(set) var fences: [Fence?] = []
  private var positions: [String: Int32] = [:]
  /// Of the first `indexed` ones.
  private var index = CapIndex([])
  private var indexed = 0
  /// Changes whenever the set does.
  private(set) var generation = 0
  private let zone: TimeZone

  /// Fences beside the index, and places of the index that are empty, before a new one is made.
  private static let maximumNeighbors = 256

  /// - Parameters:
  ///   - regions: in any order; where two have the same identifier the last one counts.
  ///   - zone: the time zone of schedules that name none.
  public init(_ regions: [Region] = [], zone: TimeZone = .gmt) {
    self.zone = zone
    for region in regions { change(id: region.id, to: region) }
    settle()
  }

  /// How many fences there are.
  public var count: Int { positions.count }

  /// Adds, replaces or removes regions.
  /// - Parameter changes: identifiers and what they name now; `nil`: nothing.
  public mutating func apply(_ changes: [(id: String, region: Region?)]) {
    for (id, region) in changes { change(id: id, to: region) }
    settle()
  }

  func fence(id: String) -> Fence? { positions[id].flatMap { fences[Int($0)] } }

  private mutating func change(id: String, to region: Region?) {
    generation += 1
    if let old = positions.removeValue(forKey: id) { fences[Int(old)] = nil }
    guard let region, let fence = Fence(region, zone: zone) else { return }
    positions[id] = Int32(fences.count)
    fences.append(fence)
  }

  private mutating func settle() {
    let beside = fences.count - indexed
    let missing = fences.count - positions.count
    guard beside > Self.maximumNeighbors || missing > Self.maximumNeighbors + positions.count / 2 else { return }
    fences = fences.filter { $0 != nil }
    positions.removeAll(keepingCapacity: true)
    for (position, fence) in fences.enumerated() { if let fence { positions[fence.region.id] = Int32(position) } }
    index = CapIndex(fences.compactMap { $0?.circle })
    indexed = fences.count
  }

  /// The fences whose circle's edge is no further than `margin` metres from a place, or has the place inside.
  /// - Parameter visit: is told the position and the metres to the circle's edge, negative inside.
  @inline(__always)
  func forEach(near place: Coordinate, margin: Meters, _ visit: (Fence, Meters) -> Void) {
    index.forEach(containing: place, margin: margin) { neighbor in
      if let fence = fences[Int(neighbor.position)] { visit(fence, neighbor.distanceToEdge) }
    }
    for position in indexed..<fences.count {
      guard let fence = fences[position] else { continue }
      let distance = fence.circle.distanceToEdge(from: place)
      if distance <= margin { visit(fence, distance) }
    }
  }
}
