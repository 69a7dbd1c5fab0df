internal import Foundation
internal import GodwitHTTP
internal import GodwitServices
package import GodwitStore

/// Rejected records for the command line, without a running server.
package struct RejectedRecords: Sendable {
  private let store: any StoreDatabase

  package init(_ store: any StoreDatabase) { self.store = store }

  /// Lists rejected records, the newest first.
  /// - Parameters:
  ///   - name: the name of the device; `nil`: all devices.
  ///   - isSolvedToo: whether resolved records are included.
  ///   - limit: the maximum number.
  package func list(device name: String?, isSolvedToo: Bool, limit: Int) throws -> [StoredRejectedRecord] {
    let query = RejectedRecordTable.Query(devices: try devices(name), state: isSolvedToo ? .all : .open, limit: limit)
    return try store.read { try RejectedRecordTable.all(query, $0) }
  }

  /// Number of rejected records that were dropped because a device exceeded the maximum.
  package func dropped(device name: String?) throws -> Int {
    let devices = try devices(name)
    return try store.read { try RejectedRecordTable.dropped($0) }.filter { devices?.contains($0.key) ?? true }.values.reduce(0, +)
  }

  /// Returns the rejected record with a number. - Throws: ``Missing`` if it does not exist.
  package func one(_ text: String) throws -> StoredRejectedRecord {
    guard let id = Int64(text), let found = try store.read({ try RejectedRecordTable.one(id, $0) }) else {
      throw Missing(description: "No rejected record has the number \"\(text)\". `godwit rejected list` shows all of them.")
    }
    return found
  }

  package func retry(_ text: String, raw: [UInt8]?, format: RejectedRecordOrigin.Format?) throws -> RejectedRecordRetry.Outcome {
    let rejection = try one(text)
    do { return try RejectedRecordRetry(store: store).run(rejection, raw: raw, format: format, at: store.clock.now) } catch let
      problem
      as Problem
    {
      throw Missing(description: problem.detail)
    }
  }

  /// Retries all unresolved rejected records.
  package func retryAll(
    device name: String?, reason: String?, format: RejectedRecordOrigin.Format?
  ) throws -> RejectedRecordRetry.Summary {
    let devices = try devices(name)
    var all = RejectedRecordRetry.Summary()
    var after: Int64? = 0
    while let from = after {
      let part = try RejectedRecordRetry(store: store).runMany(
        devices: devices, reason: reason, after: from, limit: 500, format: format, at: store.clock.now)
      all.solved += part.solved
      all.rejected += part.rejected
      all.skipped += part.skipped
      after = part.next
    }
    return all
  }

  /// Deletes the rejected records with these numbers or, without numbers, those of a device and reason. - Returns: the number of
  /// deleted records.
  package func delete(_ texts: [String], device name: String?, reason: String?) async throws -> Int {
    if texts.isEmpty {
      let query = RejectedRecordTable.Query(devices: try devices(name), reason: reason, limit: 1)
      return try await store.write { try RejectedRecordTable.remove(query, $0) }
    }
    let ids = try texts.map { try one($0).id }
    return try await store.write { db in
      try ids.reduce(0) {
        try $0 + RejectedRecordTable.remove(RejectedRecordTable.Query(before: $1 + 1, after: $1 - 1, limit: 1), db)
      }
    }
  }

  private func devices(_ name: String?) throws -> [Int64]? {
    guard let name else { return nil }
    guard let device = try store.device(named: name) else { throw PendingSettings.UnknownDevice(name: name) }
    return [device.id]
  }

  /// Rejected records as a JSON array in the form of the API, followed by a line break.
  package static func json(_ rejections: [StoredRejectedRecord]) throws -> [UInt8] {
    try ResultEncoder.bytes(rejections.map { RejectedRecordObject($0) })
  }

  /// The format of a rejected record.
  package static func format(_ rejection: StoredRejectedRecord) -> String? { rejection.rejected.origin?.format.rawValue }

  package struct Missing: Error, CustomStringConvertible {
    package let description: String
  }
}
