public import Foundation
public import GodwitModel

/// A set of geofences with spatial lookup. Beacon regions are left out, because a position does not decide them.
///
/// Most geofences are in an index. Later changes are searched linearly, until a new index pays off (about 50 ms for
/// 100,000).
public struct GeofenceSet: Sendable {
  /// A region prepared for lookup.
  struct Geofence: Sendable {
    package let region: Region
    /// The circle, or the enclosing circle of the polygons.
    package let circle: Circle
    /// The polygons; `nil` for a circle.
    package let area: MultiPolygon?
    /// The active hours; `nil`: always.
    package let hours: ActiveHours?

    /// Returns `nil` for a beacon region.
    package init?(_ region: Region, zone: TimeZone) {
      switch region.shape {
      case .circle(let circle): (self.circle, area) = (circle, nil)
      case .polygons(let polygons): (circle, area) = (polygons.enclosingCircle, polygons)
      case .beacon: return nil
      }
      var kept = region
      // Extras are not used here; dropping them saves memory.
      kept.extras = nil
      self.region = kept
      hours = region.schedule.map { ActiveHours($0, else: zone) }
    }

    /// Distance to the edge in metres, negative inside.
    package func distance(from place: Coordinate) -> Meters {
      area.map { $0.distanceToEdge(from: place) } ?? circle.distanceToEdge(from: place)
    }

    /// The worst accuracy in metres of a fix that may enter the geofence. A fix with an accuracy of kilometres cannot enter
    /// a house.
    var coarsestEntry: Meters { max(RegionEvaluator.coarseAccuracy, circle.radius) }
  }

  /// By position in the set; `nil`: removed or replaced.
  private(set) var geofences: [Geofence?] = []
  private var positions: [String: Int32] = [:]
  /// The index of the first `indexed` geofences.
  private var index = CapIndex([])
  private var indexed = 0
  /// Changes with every change of the set.
  private(set) var generation = 0
  private let zone: TimeZone

  /// Number of unindexed geofences, or of empty entries beyond half of the geofences, above which the index is rebuilt.
  private static let maximumNeighbors = 256

  /// - Parameters:
  ///   - regions: the regions in any order; of several with the same identifier, the last is used.
  ///   - zone: the time zone of schedules that have none.
  public init(_ regions: [Region] = [], zone: TimeZone = .gmt) {
    self.zone = zone
    for region in regions { change(id: region.id, to: region) }
    reindexIfWorthwhile()
  }

  /// The number of geofences.
  public var count: Int { positions.count }

  /// Adds, replaces or removes regions.
  /// - Parameter changes: identifiers with their new regions; `nil` removes.
  public mutating func apply(_ changes: [(id: String, region: Region?)]) {
    for (id, region) in changes { change(id: id, to: region) }
    reindexIfWorthwhile()
  }

  func geofence(id: String) -> Geofence? { positions[id].flatMap { geofences[Int($0)] } }

  private mutating func change(id: String, to region: Region?) {
    generation += 1
    if let old = positions.removeValue(forKey: id) { geofences[Int(old)] = nil }
    guard let region, let geofence = Geofence(region, zone: zone) else { return }
    positions[id] = Int32(geofences.count)
    geofences.append(geofence)
  }

  private mutating func reindexIfWorthwhile() {
    let beside = geofences.count - indexed
    let missing = geofences.count - positions.count
    guard beside > Self.maximumNeighbors || missing > Self.maximumNeighbors + positions.count / 2 else { return }
    geofences = geofences.filter { $0 != nil }
    positions.removeAll(keepingCapacity: true)
    for (position, geofence) in geofences.enumerated() { if let geofence { positions[geofence.region.id] = Int32(position) } }
    index = CapIndex(geofences.compactMap { $0?.circle })
    indexed = geofences.count
  }

  /// Visits the geofences whose circle contains a place or has its edge within `margin` metres of it.
  /// - Parameter visit: called with the geofence and the distance to its circle's edge in metres, negative inside.
  @inline(__always)
  func forEach(near place: Coordinate, margin: Meters, _ visit: (Geofence, Meters) -> Void) {
    index.forEach(containing: place, margin: margin) { neighbor in
      if let geofence = geofences[Int(neighbor.position)] { visit(geofence, neighbor.distanceToEdge) }
    }
    for position in indexed..<geofences.count {
      guard let geofence = geofences[position] else { continue }
      let distance = geofence.circle.distanceToEdge(from: place)
      if distance <= margin { visit(geofence, distance) }
    }
  }
}
