public import Foundation
public import GodwitModel

/// A fix with its context.
public struct StoredPoint: Sendable {
  public var device: Device
  public var fix: Fix
  public var record: Record
  /// The cursor after this point.
  public var cursor: PointCursor

  package init(device: Device, fix: Fix, record: Record, cursor: PointCursor) {
    (self.device, self.fix, self.record, self.cursor) = (device, fix, record, cursor)
  }
}

/// A query for points.
public struct PointQuery: Sendable {
  /// `nil`: all devices, one after the other.
  public var device: Int64?
  /// Inclusive.
  public var from: Date?
  /// Exclusive.
  public var to: Date?
  public var box: BoundingBox?
  /// Only points after it.
  public var after: PointCursor?
  /// Whether flagged points are left out.
  package var leavesOutMarked = false
  public var limit: Int
  public init(
    device: Int64? = nil, from: Date? = nil, to: Date? = nil, box: BoundingBox? = nil, after: PointCursor? = nil,
    limit: Int
  ) {
    self.device = device
    self.from = from
    self.to = to
    self.box = box
    self.after = after
    self.limit = limit
  }
}

/// A box between two meridians and two parallels. `west > east` spans the antimeridian.
public struct BoundingBox: Sendable, Hashable, Codable {
  public var west: Degrees
  public var south: Degrees
  public var east: Degrees
  public var north: Degrees
  public init(west: Degrees, south: Degrees, east: Degrees, north: Degrees) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }
}

/// The key of a point, used as a cursor for pages.
public struct PointCursor: Sendable, Hashable, LosslessStringConvertible {
  public var device: RowNumber
  public var time: EpochMilliseconds
  public var latitude: DegreesE7
  public var longitude: DegreesE7

  public init(device: RowNumber, time: EpochMilliseconds, latitude: DegreesE7, longitude: DegreesE7) {
    self.device = device
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
  }

  public init?(_ description: String) {
    let parts = description.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 4, let device = RowNumber(parts[0]), let time = EpochMilliseconds(parts[1]),
      let latitude = DegreesE7(parts[2]), let longitude = DegreesE7(parts[3])
    else { return nil }
    self.init(device: device, time: time, latitude: latitude, longitude: longitude)
  }

  public var description: String { "\(device)_\(time)_\(latitude)_\(longitude)" }
}
