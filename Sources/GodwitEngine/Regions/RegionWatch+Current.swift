public import GodwitModel

/// Where the device is inside now, in an order that is always the same.
extension RegionWatch {
  /// The newest fix that it knows of; what is older changes nothing.
  public var newestFix: Fix? { lastFix }

  /// The geofences whose entry was told and whose exit was not, nearest edge first (from the last known place), then by id.
  /// - Parameter catalogue: the one that was handled last.
  public func geofences(in catalogue: RegionCatalogue) -> [Region] {
    let place = lastFix?.coordinate ?? plan.place
    return stays.filter { $0.value.entered != nil }.keys.compactMap(catalogue.fenceNumber)
      .map { (distance: place.map(catalogue.areas[$0].distanceToEdge).map(abs) ?? 0, number: $0) }
      .sorted(by: <).map { catalogue.fence($0.number) }
  }

  /// The beacons that are near, nearest first (``BeaconProximity``), then by accuracy, then by id.
  /// - Parameter catalogue: the one that was handled last.
  public func beacons(in catalogue: RegionCatalogue) -> [CurrentBeacon] {
    signals.compactMap { id, signal in
      guard stays[id]?.entered != nil, let region = catalogue[id] else { return nil }
      return CurrentBeacon(region: region, proximity: signal.proximity, accuracy: signal.accuracy)
    }.sorted {
      ($0.proximity, $0.accuracy ?? .infinity, $0.region.id) < ($1.proximity, $1.accuracy ?? .infinity, $1.region.id)
    }
  }
}
