package import Foundation
package import GodwitModel
package import GodwitStore

/// An area whose points are coarsened or not stored.
package struct PrivacyZone: Sendable {
  package enum ZoneAction: String, Sendable, Codable, CaseIterable {
    /// All positions in the zone are replaced by one: the centre of the grid cell that contains the zone's centre. The cell
    /// is as large as the zone's radius, and at least 100 m.
    case coarsen
    /// Positions in the zone are not stored.
    case drop
  }

  package enum Shape: Sendable, Codable, Hashable {
    case circle(Circle)
    case area(MultiPolygon)
  }

  package struct Options: Sendable, Codable, Hashable {
    private enum CodingKeys: String, CodingKey {
      case name
      case shape
      // The name in stored JSON.
      case action = "treatment"
    }

    package var name: String
    package var shape: Shape
    package var action: ZoneAction

    package init(name: String, shape: Shape, action: ZoneAction) {
      self.name = name
      self.shape = shape
      self.action = action
    }
  }

  package let id: Int64
  /// The user to whose devices it applies; `nil`: the administrator.
  package let account: Int64?
  package let options: Options
  package let created: Date

  package init(id: Int64, account: Int64?, options: Options, created: Date) {
    self.id = id
    self.account = account
    self.options = options
    self.created = created
  }

  package var name: String { "zon_\(id)" }

  /// Returns the number in a zone's name; `nil`: invalid.
  package static func number(of name: String) -> Int64? { RowNumber(name, after: "zon_")?.value }
}

/// A zone that is prepared for comparison with many positions.
package struct PreparedZone: Sendable {
  package let action: PrivacyZone.ZoneAction
  /// The position that is stored for points inside, and its maximum distance from them in metres.
  package let reported: Coordinate
  package let uncertainty: Meters
  private let circle: Circle
  private let area: PreparedPolygon?
  private let polygons: MultiPolygon?

  package init(_ options: PrivacyZone.Options) {
    action = options.action
    switch options.shape {
    case .circle(let circle): (self.circle, area, polygons) = (circle, nil, nil)
    case .area(let polygons): (circle, area, self.polygons) = (polygons.enclosingCircle, PreparedPolygon(polygons), polygons)
    }
    // The centre itself is not used, because it is usually a home.
    let center = Fix(time: Date(timeIntervalSince1970: 0), coordinate: circle.center)
    let cell = Precision.grid(max(100, circle.radius)).applied(to: center)
    reported = cell.coordinate
    uncertainty = (GreatCircle.distance(reported, circle.center) + circle.radius).rounded(.up)
  }

  package func contains(_ place: Coordinate) -> Bool {
    guard circle.contains(place) else { return false }
    return area?.contains(place) ?? true
  }

  /// Whether the zone is within a distance of a place.
  func isNear(_ place: Coordinate, within metres: Meters) -> Bool {
    guard circle.distanceToEdge(from: place) <= metres else { return false }
    guard let polygons else { return true }
    return contains(place) || abs(polygons.distanceToEdge(from: place)) <= metres
  }
}

/// Applies the zones of a user to records.
package struct ZoneSet: Sendable {
  private let zones: [PreparedZone]

  package init(_ zones: [PreparedZone]) { self.zones = zones }

  package var isEmpty: Bool { zones.isEmpty }

  /// Whether any zone is within a distance of a place.
  package func isNear(_ place: Coordinate, within metres: Meters) -> Bool {
    zones.contains { $0.isNear(place, within: metres) }
  }

  /// Whether a place is in any zone.
  package func contains(_ place: Coordinate) -> Bool { zones.contains { $0.contains(place) } }

  /// The result of applying the zones to a record.
  package enum Outcome: Sendable {
    case asItWas
    case coarsened(Record)
    case dropped
  }

  /// Applies the zones to all positions in a record.
  package func applied(to record: Record) -> Outcome {
    var changed = record
    var isTouched = false
    // Returns the zone of a place. A zone that drops positions takes precedence.
    func zone(_ place: Coordinate?) -> PreparedZone? {
      guard let place else { return nil }
      let found = zones.filter { $0.contains(place) }
      return found.first { $0.action == .drop } ?? found.first
    }
    switch record.kind {
    case .fix(let fix):
      guard let zone = zone(fix.coordinate) else { return .asItWas }
      if zone.action == .drop { return .dropped }
      changed.kind = .fix(Self.coarsened(fix, zone))
      isTouched = true
    case .visit(var visit):
      guard let zone = zone(visit.coordinate) else { return .asItWas }
      if zone.action == .drop { return .dropped }
      (visit.coordinate, visit.horizontalAccuracy) = (zone.reported, zone.uncertainty)
      changed.kind = .visit(visit)
      isTouched = true
    case .trip(var trip):
      // Only the start and the end have positions; the rest of the trip stays.
      for path in [\Trip.startFix, \Trip.endFix] {
        guard let fix = trip[keyPath: path], let zone = zone(fix.coordinate) else { continue }
        trip[keyPath: path] = zone.action == .drop ? nil : Self.coarsened(fix, zone)
        isTouched = true
      }
      changed.kind = .trip(trip)
    case .region(var event):
      let zones = [zone(event.coordinate), zone(event.region.center)].compactMap(\.self)
      guard let first = zones.first else { return .asItWas }
      if zones.contains(where: { $0.action == .drop }) { return .dropped }
      if event.coordinate != nil { (event.coordinate, event.horizontalAccuracy) = (first.reported, first.uncertainty) }
      if event.region.center != nil { (event.region.center, event.region.radius) = (first.reported, first.uncertainty) }
      changed.kind = .region(event)
      isTouched = true
    case .action(var action):
      guard let zone = zone(action.coordinate) else { return .asItWas }
      action.coordinate = zone.action == .drop ? nil : zone.reported
      changed.kind = .action(action)
      isTouched = true
    }
    guard isTouched else { return .asItWas }
    // Public databases contain the positions of wifi networks, and the extras may contain any value.
    (changed.context.wifi, changed.context.wifiBSSID, changed.extras) = (nil, nil, nil)
    return .coarsened(changed)
  }

  /// Returns a rejected record without its bytes and without the numbers in the reason, because both may reveal the
  /// position.
  package func applied(to rejected: RejectedRecord) -> RejectedRecord {
    RejectedRecord(
      place: rejected.place,
      reason: "the original bytes were not stored because of private zones: "
        + String(rejected.reason.map { $0.isNumber ? "#" : $0 }), raw: [],
      origin: rejected.origin.map { RejectedRecordOrigin($0.format, isPart: $0.isPart) })
  }

  private static func coarsened(_ fix: Fix, _ zone: PreparedZone) -> Fix {
    Fix(time: fix.time, coordinate: zone.reported, horizontalAccuracy: zone.uncertainty)
  }
}
