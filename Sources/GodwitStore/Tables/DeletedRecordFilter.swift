internal import GodwitModel

/// Drops deleted records that a device sends again, and records that were in flight when their device was deleted. The server
/// acknowledges both, as if they had arrived just before the deletion. Imports are explicit, so they may restore deleted records.
/// Records that were in flight when their device was renamed or merged get the device as it is now.
/// Used by the thread that stores records.
final class DeletedRecordFilter {
  private struct Journal: Hashable {
    var device: Int64
    var journal: UInt64
  }

  /// The version of the cached state; see ``FilterVersion``.
  private(set) var version: Int64 = -1
  private var ranges: [Journal: [ClosedRange<Int64>]] = [:]
  /// Devices that are known to exist, by number.
  private var devices: [Int64: Device] = [:]
  /// Maximum cached devices.
  private static let maximumDevices = 50_000

  /// The submissions as they may be stored.
  /// - Parameters:
  ///   - group: the received submissions.
  ///   - version: the ``FilterVersion``, which each deletion changes.
  ///   - db: in the transaction that will store the group, or just before it.
  func applied(to group: [Submission], at version: Int64, _ db: any SQLConnection) throws -> [Submission] {
    if version != self.version {
      (devices, ranges) = ([:], [:])
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
      let sender = group[index].device
      guard let device = try current(sender.id, db) ?? Self.target(of: sender.id, db) else {
        (kept[index].records, kept[index].rejections, kept[index].range) = ([], [], nil)
        // An import counts its batches with `alongside`. For other submissions of a deleted device, `alongside` is dropped.
        if !group[index].isHistory { kept[index].alongside = nil }
        continue
      }
      if device != sender { kept[index].device = device }
      // The target of a merge has records in the range that the sender does not know.
      if device.id != sender.id { kept[index].replaced = nil }
      guard !ranges.isEmpty, !group[index].isHistory else { continue }
      if group[index].records.contains(where: { isDeleted($0.id, device.id) }) {
        kept[index].records.removeAll { isDeleted($0.id, device.id) }
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

  /// The device with its current name; `nil` if it does not exist.
  private func current(_ device: Int64, _ db: any SQLConnection) throws -> Device? {
    if let known = devices[device] { return known }
    guard let found = try TrackTables.device(id: device, db) else { return nil }
    if devices.count >= Self.maximumDevices { devices.removeAll(keepingCapacity: true) }
    devices[device] = found
    return found
  }
}
