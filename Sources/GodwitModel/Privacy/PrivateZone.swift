/// A circle whose positions are hidden.
public struct PrivateZone: Sendable, Hashable, Codable {
  public var center: Coordinate
  /// Radius in metres.
  public var radius: Meters

  public init(center: Coordinate, radius: Meters) {
    self.center = center
    self.radius = radius
  }

  /// Returns whether a place is inside. The edge counts as inside.
  public func contains(_ place: Coordinate) -> Bool { GreatCircle.distance(center, place) <= radius }
}

extension [PrivateZone] {
  /// Returns the record without its positions in a zone; `nil` if the record as a whole is in a zone.
  public func leavingOut(_ record: Record) -> Record? {
    guard !isEmpty else { return record }
    func isInside(_ place: Coordinate) -> Bool { contains { $0.contains(place) } }
    var record = record
    switch record.kind {
    case .fix(let fix): return isInside(fix.coordinate) ? nil : record
    case .visit(let visit): return isInside(visit.coordinate) ? nil : record
    case .trip(var trip):
      if let fix = trip.startFix, isInside(fix.coordinate) { trip.startFix = nil }
      if let fix = trip.endFix, isInside(fix.coordinate) { trip.endFix = nil }
      record.kind = .trip(trip)
    case .region(var event):
      if let place = event.region.center, isInside(place) { return nil }
      if let place = event.coordinate, isInside(place) { (event.coordinate, event.horizontalAccuracy) = (nil, nil) }
      record.kind = .region(event)
    case .action(var action):
      if let place = action.coordinate, isInside(place) { action.coordinate = nil }
      record.kind = .action(action)
    }
    return record
  }
}
