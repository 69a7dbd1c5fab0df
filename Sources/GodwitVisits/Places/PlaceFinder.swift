package import GodwitHistory
package import GodwitModel
package import GodwitStore

/// Finds the named place of a visit. It runs for each request, so that a changed place needs no recomputation.
package struct PlaceFinder: Sendable {
  private let places: [NamedPlace]

  package init(_ places: [NamedPlace]) { self.places = places }

  /// Creates a finder for the visits of a device.
  package init(device: Int64, _ db: any SQLConnection) throws {
    places = try PlaceTables.all(of: try TrackTables.owner(of: device, db), db)
  }

  /// Maximum metres between a visit and a circle. The limit is lower if the visit's radius is smaller.
  package static let tolerance: Meters = 50

  /// Returns the place of a visit as it is shown: the place that a user chose, otherwise the place of the computed visit.
  package func place(of shown: ShownVisit) -> NamedPlace? {
    if let id = shown.placeID, let place = places.first(where: { $0.id == id }) { return place }
    return place(of: shown.visit)
  }

  /// Returns the nearest place whose circle contains or touches a visit.
  package func place(of visit: FoundVisit) -> NamedPlace? {
    place(at: visit.coordinate, within: min(visit.radius, Self.tolerance))
  }

  /// - Parameter tolerance: Metres beyond a circle.
  package func place(at coordinate: Coordinate, within tolerance: Meters) -> NamedPlace? {
    var best: (place: NamedPlace, distance: Meters)?
    for place in places {
      // A degree of latitude is 111 km.
      if abs(place.options.center.latitude - coordinate.latitude) * 111_000 > place.options.radius + tolerance + 1000 { continue }
      let distance = GreatCircle.distance(place.options.center, coordinate)
      if distance <= place.options.radius + tolerance, distance < best?.distance ?? .infinity { best = (place, distance) }
    }
    return best?.place
  }
}
