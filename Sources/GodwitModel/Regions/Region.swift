/// A geofence (a circle or polygons) or a beacon region.
///
///     for region in manager.geofencesByDistance { print(region.id, region.name, region.tags) }
///
/// Regions are created on a server, thousands of them, and copied to the devices; see Documentation/Regions.md.
public struct Region: Sendable, Hashable, Codable, Identifiable {
  /// The permanent identifier: 1 to 128 characters, no control characters. It distinguishes regions with the same circle.
  public var id: String
  /// The display name; may be empty.
  public var name: String
  public var shape: RegionShape
  /// Tags for selection, in their order, without duplicates.
  public var tags: [String]
  /// When the region is active; `nil` for always.
  public var schedule: RegionSchedule?
  /// Seconds after the entry until a dwell event is reported, > 0; `nil` for no dwell event.
  public var dwell: Double?
  /// Unknown members sent by the creator: the text of a JSON object, stored so that an export returns it.
  public var extras: String?

  public init(
    id: String, name: String = "", shape: RegionShape, tags: [String] = [], schedule: RegionSchedule? = nil,
    dwell: Double? = nil, extras: String? = nil
  ) {
    self.id = id
    self.name = name
    self.shape = shape
    self.tags = tags
    self.schedule = schedule
    self.dwell = dwell
    self.extras = extras
  }
}

/// The shape of a region.
public enum RegionShape: Sendable, Hashable, Codable {
  case circle(Circle)
  case polygons(MultiPolygon)
  case beacon(Beacon)
}

/// An installed iBeacon.
public struct Beacon: Sendable, Hashable, Codable {
  public var identity: BeaconIdentity
  /// Place of installation; `nil` if unknown.
  public var place: Coordinate?

  public init(identity: BeaconIdentity, place: Coordinate? = nil) {
    self.identity = identity
    self.place = place
  }
}
