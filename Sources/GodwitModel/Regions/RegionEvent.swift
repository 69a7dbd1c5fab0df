public import struct Foundation.Date

/// A device came into a region, left it, or has been in it for as long as the region asks for.
public struct RegionEvent: Sendable, Hashable, Codable {
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case entered, exited, dwelled
  }

  /// When it happened, as far as that is known.
  public var time: Date
  public var kind: Kind
  public var region: RegionMention
  /// Where the device was; `nil`: not known.
  public var coordinate: Coordinate?
  /// Metres, ≥ 0.
  public var horizontalAccuracy: Meters?
  /// When it had come in; `nil` at an entry, and where that is not known.
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

/// A region as an event tells it: as it was then, because it may be changed or deleted later.
public struct RegionMention: Sendable, Hashable, Codable {
  public var id: String
  public var name: String
  public var tags: [String]
  /// Centre of the circle, or of the one round the polygons; of a beacon where it was put up.
  public var center: Coordinate?
  /// Metres; `nil` for a beacon.
  public var radius: Meters?
  /// The beacon that was met.
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
