internal import GodwitModel

/// Drops deleted records that a device sends again, and records that were in flight when their device was deleted. The server
/// acknowledges both, as if they had arrived just before the deletion. Imports are explicit, so they may restore deleted records.
/// Used by the thread that stores records.
final class DeletedRecordFilter {
  private struct Journal: Hashable {
    var device: Int64
    var journal: UInt64
  }

  /// The version of the cached state; see ``FilterVersion``.
  private(set) var version: Int64 = -1
  private var ranges: [Journal: [ClosedRange<Int64>]] = [:]
  /// Devices that are known to exist.
  private var devices: Set<Int64> = []
  /// Maximum cached devices.
  private static let maximumDevices = 50_000

  /// The submissions as they may be stored.
  /// - Parameters:
  ///   - group: the received submissions.
  ///   - version: the ``FilterVersion``, which each deletion changes.
  ///   - db: in the transaction that will store the group, or just before it.
  func applied(to group: [Submission], at version: Int64, _ db: any SQLConnection) throws -> [Submission] {
    if version != self.version {
      devices = []
      ranges = [:]
      try db.forEach(
        """
        SELECT journals.device, journals.journal, first, last FROM deleted_ranges
        JOIN journals ON journals.id = deleted_ranges.journal ORDER BY deleted_ranges.journal, first
        """
      ) {
        let key = try Journal(device: $0.integer("device"), journal: UInt64(bitPattern: $0.integer("journal")))
        let first = try $0.integer("first")
        ranges[key, default: []].append(first...max(first, try $0.integer("last")))
      }
      self.version = version
    }
    var kept = group
    for index in group.indices {
      if try !isThere(group[index].device.id, db), let target = try Self.target(of: group[index].device.id, db) {
        kept[index].device = target
      }
      guard try isThere(kept[index].device.id, db) else {
        (kept[index].records, kept[index].rejections, kept[index].range) = ([], [], nil)
        // An import counts its batches with `alongside`. For other submissions of a deleted device, `alongside` is dropped.
        if !group[index].isHistory { kept[index].alongside = nil }
        continue
      }
      guard !ranges.isEmpty, !group[index].isHistory else { continue }
      let device = kept[index].device.id
      if group[index].records.contains(where: { isDeleted($0.id, device) }) {
        kept[index].records.removeAll { isDeleted($0.id, device) }
      }
    }
    return kept
  }

  /// Discards the state after a rollback.
  func discardState() { version = -1 }

  private func isDeleted(_ id: RecordID?, _ device: Int64) -> Bool {
    guard let id, let ranges = ranges[Journal(device: device, journal: id.journal)] else { return false }
    // The last range that begins at or before the sequence number.
    let next = ranges.partitioningIndex { $0.lowerBound > id.sequence.value }
    return next > 0 && ranges[next - 1].contains(id.sequence.value)
  }

  /// The device into which a device was merged while its records were in flight; `nil` if the device was deleted.
  private static func target(of device: Int64, _ db: any SQLConnection) throws -> Device? {
    var current = device
    // Merges cannot form a cycle. The limit is for a damaged table.
    for _ in 0..<100 {
      guard let next = try db.integer("SELECT target FROM merged_devices WHERE former = ?", current) else { return nil }
      if let found = try TrackTables.device(id: next, db) { return found }
      current = next
    }
    return nil
  }

  private func isThere(_ device: Int64, _ db: any SQLConnection) throws -> Bool {
    if devices.contains(device) { return true }
    guard try db.integer("SELECT id FROM devices WHERE id = ?", device) != nil else { return false }
    if devices.count >= Self.maximumDevices { devices.removeAll(keepingCapacity: true) }
    devices.insert(device)
    return true
  }
}
