public import Foundation
public import GodwitModel

/// A fix with its context.
public struct StoredPoint: Sendable {
  public let device: Device
  public let fix: Fix
  /// The cursor of the page that follows this point.
  public let cursor: PointCursor
  private let id: RecordID?
  private let batteryLevel: Double?
  private let extras: String?
  private let context: PointContext

  /// - Parameters:
  ///   - context: the context without the battery level.
  ///   - sequence: the sequence number in the context's journal; `nil` if there is none.
  ///   - extras: see `Record.extras`.
  init(
    device: Device, fix: Fix, cursor: PointCursor, context: PointContext, sequence: Int64?, batteryLevel: Double?, extras: String?
  ) {
    (self.device, self.fix, self.cursor, self.context) = (device, fix, cursor, context)
    (self.batteryLevel, self.extras) = (batteryLevel, extras)
    guard let journal = context.journal, let sequence else {
      id = nil
      return
    }
    id = RecordID(journal: journal, sequence: RecordNumber(clamping: sequence))
  }

  /// A point of one record.
  package init(device: Device, fix: Fix, record: Record, cursor: PointCursor) {
    (self.device, self.fix, self.cursor, context) = (
      device, fix, cursor, PointContext(record.context, journal: record.id?.journal)
    )
    (id, batteryLevel, extras) = (record.id, record.context.batteryLevel, record.extras)
  }

  /// The fix with everything that was stored with it.
  public var record: Record {
    var context = context.values
    context.batteryLevel = batteryLevel
    return Record(id: id, kind: .fix(fix), context: context, extras: extras)
  }
}

/// The values that many points share. A class, because copying a reference is faster than copying several texts.
final class PointContext: Sendable {
  /// Without the battery level, which changes too often to be shared.
  let values: DeviceContext
  let journal: UInt64?

  init(_ values: DeviceContext = DeviceContext(), journal: UInt64? = nil) { (self.values, self.journal) = (values, journal) }
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
  /// Only points after this cursor.
  public var after: PointCursor?
  /// Whether flagged points are excluded.
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
