public import struct Foundation.Date

/// An entry of a device into a region, an exit, a dwell or a crossing. Each event is recorded and reported once, also after the app
/// was killed.
///
///     for await event in manager.regionEvents where event.kind == .entered { greet(event.region.name) }
public struct RegionEvent: Sendable, Hashable, Codable {
  /// Kind of the event. `dwelled`: the device has been in the region for ``Region/dwell`` seconds. `crossed`: the device entered
  /// and left the region between two positions; only a server reports this.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case entered, exited, dwelled, crossed
  }

  /// The best known time of the event.
  public var time: Date
  public var kind: Kind
  public var region: RegionMention
  /// The position of the device; `nil` if unknown.
  public var coordinate: Coordinate?
  /// Horizontal accuracy in metres, ≥ 0.
  public var horizontalAccuracy: Meters?
  /// The time of the entry; `nil` for an entry and a crossing, or if unknown.
  public var entered: Date?

  public init(
    time: Date, kind: Kind, region: RegionMention, coordinate: Coordinate? = nil, horizontalAccuracy: Meters? = nil,
    entered: Date? = nil
  ) {
    self.time = time
    self.kind = kind
    self.region = region
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.entered = entered
  }
}

/// A copy of a region at the time of an event, because the region may be changed or deleted later.
public struct RegionMention: Sendable, Hashable, Codable {
  public var id: String
  public var name: String
  public var tags: [String]
  /// Centre of the circle or of the enclosing circle of the polygons, or position of the beacon.
  public var center: Coordinate?
  /// Radius in metres; `nil` for a beacon.
  public var radius: Meters?
  /// Identity of the beacon.
  public var beacon: BeaconIdentity?

  public init(
    id: String, name: String = "", tags: [String] = [], center: Coordinate? = nil, radius: Meters? = nil,
    beacon: BeaconIdentity? = nil
  ) {
    self.id = id
    self.name = name
    self.tags = tags
    self.center = center
    self.radius = radius
    self.beacon = beacon
  }
}
