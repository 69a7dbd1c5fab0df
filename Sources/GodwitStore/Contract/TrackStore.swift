public import Foundation
public import GodwitModel

/// Where the server keeps what devices tell it. Two implementations obey this contract: the embedded one
/// (SQLite) and the one for many machines (PostgreSQL).
///
/// - Writing: ``submit(_:)`` takes a request's records and calls back when they are durable. Records that
///   the store has already are ignored and counted as duplicates: the same device, kind, moment and place.
/// - Reading: any thread; a reader sees what was durable when it began.
public protocol TrackStore: Sendable {
  /// Stores a request's records. The completion is called once, from the store's thread, after the commit or
  /// the failure. A full queue refuses at once with ``StoreError/busy``.
  func submit(_ submission: Submission)

  /// The devices, by name.
  func devices() throws -> [DeviceSummary]
  /// A device by its name.
  func device(named name: String) throws -> Device?
  /// The device whose token has this hash and was not revoked.
  func device(tokenHash: [UInt8]) throws -> Device?
  /// Makes a device, or takes the one of that name, and gives it one more token.
  func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device
  /// Makes all tokens of a device worthless. - Returns: how many there were; `nil` when there is no such device.
  func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int?

  /// Fixes in the order of their times.
  func points(_ query: PointQuery) throws -> [StoredPoint]
  /// The newest fix of a device that is believed: neither flagged nor waiting for confirmation. `nil` when there is none.
  func newest(device: Int64) throws -> StoredPoint?
  /// Visits, trips and actions of one device in the order of their times.
  func events(device: Int64, from: Date?, to: Date?) throws -> [Record]
  /// What was refused, the newest first.
  func refusals(device: Int64?, limit: Int) throws -> [StoredRejectedRecord]
  /// What the devices' journals have told, by device and journal; of one device or of all.
  func journals(device: Int64?) throws -> [JournalSummary]

  /// Stores what waits and closes the store.
  func close()
}

extension TrackStore {
  public func newest(device: Int64) throws -> StoredPoint? { try devices().first { $0.device.id == device }?.last }
}
