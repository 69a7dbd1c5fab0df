internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
public import Observation

/// The Regions screen: geofences around the device and those that contain it, beacons, and the state of the copy of the server's regions.
@MainActor @Observable
public final class RegionsModel {
  /// Maximum number of listed regions.
  static let maximumRows = 200
  private let state: AppState
  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }
  private var manager: RegionManager? {
    // The manager does not report changes to the main actor; a new status does.
    _ = state.status
    return state.tracker?.regions
  }

  public var title: String { texts(.regions) }
  /// Whether a server with regions is set up.
  public var isAvailable: Bool { manager != nil }
  /// The text of an empty screen; `nil`: there are regions.
  public var emptyText: String? {
    guard let manager else {
      if !state.canWatchRegions { return texts(.regionsNoSensor) }
      return state.servers.servers.isEmpty ? texts(.regionsUnavailable) : texts(.regionsOtherServer)
    }
    return manager.count == 0 ? texts(.regionsEmpty) : nil
  }
  /// "120 regions"
  public var countText: String { texts(.regionCount, "\(manager?.count ?? 0)") }
  /// The problem of the regions, as a sentence; `nil`: none.
  public var problem: String? { state.status?.regionProblem.map { state.plain(texts.translated($0)) } }
  public var syncLabel: String { texts(.syncRegions) }
  public var insideTitle: String { texts(.regionsInside) }
  public var nearTitle: String { texts(.regionsNear) }
  public var beaconsTitle: String { texts(.beacons) }

  /// "Copied from the server 3 min ago."
  public var syncText: String {
    guard let last = manager?.lastSync else { return texts(.regionsNeverSynced) }
    return texts(.regionsSynced, state.measures.duration(state.now.timeIntervalSince(last)))
  }

  /// Copies the server's regions now.
  public func sync() { if isAvailable { state.perform(.syncRegions) } }

  /// The geofences that contain the device, the nearest edge first.
  public var inside: [RegionRow] { (manager?.geofencesByDistance ?? []).map { row($0, isInside: true) } }

  /// The other geofences, the nearest first; without a position in the order of their names.
  public var near: [RegionRow] {
    guard let manager else { return [] }
    let inside = Set(manager.geofencesByDistance.map(\.id))
    let others: [Region]
    if let place = state.status?.lastFix?.coordinate {
      // The index sorts by circles; by the edges of polygons the order differs slightly.
      let nearest = manager.nearestGeofences(Self.maximumRows + inside.count, to: place)
      others = nearest.map { ($0, $0.shape.distanceToEdge(from: place) ?? .infinity) }.sorted { $0.1 < $1.1 }.map(\.0)
    } else {
      others = manager.regions.filter { $0.shape.beacon == nil }.sorted { Self.name($0) < Self.name($1) }
    }
    return others.filter { !inside.contains($0.id) }.prefix(Self.maximumRows).map { row($0, isInside: false) }
  }

  /// The nearby beacons, the nearest first.
  public var beacons: [RegionRow] {
    (manager?.beaconsByProximity ?? []).map { beacon in
      let distance = beacon.accuracy.map(state.measures.length) ?? texts(.noValue)
      return RegionRow(
        id: beacon.region.id, name: Self.name(beacon.region), distanceText: distance, isInside: true, circle: nil,
        accessibilityLabel: "\(Self.name(beacon.region)), \(distance)")
    }
  }

  // MARK: Map

  /// Maximum corners of a drawn polygon.
  static let maximumCorners = 500

  /// Outlines of the polygons among the shown regions, without holes.
  public var outlines: [MapOutline] {
    shown.flatMap { region, isInside -> [MapOutline] in
      guard case .polygons(let area) = region.shape else { return [] }
      return area.polygons.enumerated().compactMap { number, polygon in
        guard let ring = polygon.rings.first else { return nil }
        let step = max(1, (ring.count + Self.maximumCorners - 1) / Self.maximumCorners)
        let corners = stride(from: 0, to: ring.count, by: step).map { MapPoint(ring[$0]) }
        return MapOutline(id: "\(region.id).\(number)", name: Self.name(region), corners: corners, isInside: isInside)
      }
    }
  }
  /// The part of the map with the newest position and the nearest regions; `nil`: neither is known.
  public var area: MapArea? {
    let place = [state.status?.lastFix?.coordinate].compactMap(\.self)
    return MapArea(around: place + shown.prefix(10).flatMap { Self.extent($0.region.shape) })
  }

  private var shown: [(region: Region, isInside: Bool)] {
    guard let manager, let place = state.status?.lastFix?.coordinate else { return [] }
    let inside = manager.geofencesByDistance
    let known = Set(inside.map(\.id))
    let nearest = manager.nearestGeofences(Self.maximumRows, to: place)
    return inside.map { ($0, true) } + nearest.filter { !known.contains($0.id) }.map { ($0, false) }
  }

  private static func extent(_ shape: RegionShape) -> [Coordinate] {
    guard let circle = shape.enclosingCircle else { return [] }
    return [0, 90, 180, 270].map { GreatCircle.destination(from: circle.center, course: $0, distance: circle.radius) }
  }

  private func row(_ region: Region, isInside: Bool) -> RegionRow {
    let name = Self.name(region)
    let distance = state.status?.lastFix.flatMap { region.shape.distanceToEdge(from: $0.coordinate) }
    let text = isInside ? texts(.insideRegion) : distance.map { state.measures.length(max(0, $0)) } ?? texts(.noValue)
    return RegionRow(
      id: region.id, name: name, distanceText: text, isInside: isInside,
      circle: Self.circle(region.shape),
      accessibilityLabel: "\(name), \(text)")
  }

  /// The circle of a region; `nil` for polygons, which have outlines, and for beacons.
  private static func circle(_ shape: RegionShape) -> MapCircle? {
    guard case .circle(let circle) = shape else { return nil }
    return MapCircle(center: MapPoint(circle.center), radius: circle.radius)
  }

  private static func name(_ region: Region) -> String { region.name.isEmpty ? region.id : region.name }
}

/// A region as a row, and as a circle on a map.
public struct RegionRow: Identifiable, Sendable, Hashable {
  public var id: String
  public var name: String
  /// The distance to its edge: "350 m".
  public var distanceText: String
  public var isInside: Bool
  /// The circle of the region; `nil`: polygons, or a beacon.
  public var circle: MapCircle?
  public var accessibilityLabel: String
}
