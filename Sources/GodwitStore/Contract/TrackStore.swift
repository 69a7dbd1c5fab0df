public import Foundation
public import GodwitModel

/// Stores the records of devices. There are two implementations: the embedded store (SQLite), and the store for several servers
/// (PostgreSQL).
///
/// - Writing: ``submit(_:)`` accepts the records of a request and calls back when they are durable. Records that are already stored
///   (the same device, kind, time and place) are ignored and counted as duplicates.
/// - Reading: on any thread. A reader sees what was durable when the read began.
public protocol TrackStore: Sendable {
  /// Stores a request's records. The completion is called once, on the store's thread, after the commit or the failure.
  /// A full queue fails at once with ``StoreError/busy``.
  func submit(_ submission: Submission)

  /// The devices, by name.
  func devices() throws -> [DeviceSummary]
  /// A device by its name.
  func device(named name: String) throws -> Device?
  /// The device of an unrevoked token with this hash.
  func device(tokenHash: [UInt8]) throws -> Device?
  /// Creates a device if the name is new, and adds a token to it.
  func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device
  /// Revokes all tokens of a device. - Returns: their number; `nil` if the device does not exist.
  func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int?

  /// Fixes in the order of their times.
  func points(_ query: PointQuery) throws -> [StoredPoint]
  /// The newest fix of a device that is neither flagged nor unconfirmed; `nil` if there is none.
  func newest(device: Int64) throws -> StoredPoint?
  /// Visits, trips and actions of one device in the order of their times.
  func events(device: Int64, from: Date?, to: Date?) throws -> [Record]
  /// Rejected records, the newest first.
  func rejections(device: Int64?, limit: Int) throws -> [StoredRejectedRecord]
  /// The state of the journals of one device or of all devices, in the order of devices and journals.
  func journals(device: Int64?) throws -> [JournalSummary]

  /// Stores pending submissions and closes the store.
  func close()
}

extension TrackStore {
  public func newest(device: Int64) throws -> StoredPoint? { try devices().first { $0.device.id == device }?.last }
}
