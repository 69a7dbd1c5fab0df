/// A place that somebody wants to be told of: a geofence (a circle or polygons) or a beacon.
///
/// Regions are made on a server, thousands of them, and copied to the devices; see Documentation/Regions.md.
public struct Region: Sendable, Hashable, Codable, Identifiable {
  /// Names it for ever: 1 to 128 characters, no control characters. Two regions may be the same circle; they are told apart
  /// by this.
  public var id: String
  /// For people; may be empty.
  public var name: String
  public var shape: RegionShape
  /// Words that it is chosen by, in the order in which they were given, none twice.
  public var tags: [String]
  /// When it counts; `nil`: always.
  public var schedule: RegionSchedule?
  /// Seconds after the entry, > 0, after which staying is told as an event of its own; `nil`: it is not.
  public var dwell: Double?
  /// What the maker said beyond all this: the text of a JSON object, kept so that an export gives it back.
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

/// What a region is.
public enum RegionShape: Sendable, Hashable, Codable {
  case circle(Circle)
  case polygons(MultiPolygon)
  case beacon(Beacon)
}

/// A beacon that was put up somewhere, as an iBeacon sends it.
public struct Beacon: Sendable, Hashable, Codable {
  public var identity: BeaconIdentity
  /// Where it was put up; `nil`: nobody said.
  public var place: Coordinate?

  public init(identity: BeaconIdentity, place: Coordinate? = nil) {
    self.identity = identity
    self.place = place
  }
}
