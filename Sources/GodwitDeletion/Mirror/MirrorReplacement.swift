internal import GodwitHistory
internal import GodwitMirror
internal import GodwitModel
package import GodwitStore

/// Deletes the records that a submission with a ``ReplacedRange`` replaces, in the transaction that stores it: records that
/// the sending server no longer has. Records in both stay.
///
/// `@unchecked Sendable`: used only on the store's thread.
package final class MirrorReplacement: CommitParticipant, @unchecked Sendable {
  /// Contexts of deleted points, by the number of the submission in the transaction.
  private var removed: [Int: RemovedContexts] = [:]
  private var processed = 0

  package init() {}

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws {
    discardState()
    for (index, submission) in group.enumerated() {
      guard let replaced = submission.replaced, replaced.removal != .none, !replaced.times.isEmpty else { continue }
      removed[index] = try Self.remove(replaced, submission, db)
    }
  }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    if let contexts = removed[processed] { stored.removedContexts = contexts }
    processed += 1
  }

  package func discardState() { (removed, processed) = ([:], 0) }

  // MARK: Pieces

  private static func remove(
    _ replaced: ReplacedRange, _ submission: Submission, _ db: any SQLConnection
  ) throws -> RemovedContexts? {
    let (device, times) = (submission.device.id, replaced.times)
    let selection = PointSelection(device: device, from: times.lowerBound, to: times.upperBound)
    var contexts = RemovedContexts()
    let (points, left) = (DeletionPoints(selection), Set(submission.records.compactMap { PointKey($0) }))
    var after: PointKey?
    repeat {
      let page = try points.page(after: after, db)
      // Points between two points of one call are deleted as well. Therefore each call gets a run of consecutive points.
      for run in page.points.split(whereSeparator: { left.contains($0.key) }) {
        _ = try points.delete(Array(run), keepsNumbers: false, db)
        contexts.ids.formUnion(run.compactMap(\.context))
        contexts.isUsed = true
      }
      after = page.next
    } while after != nil
    if try removeEvents(device, times, db) { contexts.isUsed = true }
    if replaced.removal == .all { try removeRegionEvents(selection, db) }
    return contexts.isUsed ? contexts : nil
  }

  /// Deletes all events. The events of the submission are stored instead, also if only their content differs.
  private static func removeEvents(_ device: Int64, _ times: Range<Int64>, _ db: any SQLConnection) throws -> Bool {
    let records = try db.all(
      "SELECT record FROM events WHERE device = ? AND time >= ? AND time < ?", device, times.lowerBound, times.upperBound
    ) { try EventRow.record(json: $0.text("record")) }
    guard !records.isEmpty else { return false }
    try DeletionPoints.markDirty(
      records.flatMap { DirtyDays.times(of: $0.kind).map(\.millisecondsSince1970) }, device: device, db)
    try MirrorChanges.record(records.map { EventRow($0).time }, ofDevice: device, removal: .all, db)
    try db.run(
      "DELETE FROM events WHERE device = ? AND time >= ? AND time < ?", device, times.lowerBound, times.upperBound)
    return true
  }

  private static func removeRegionEvents(_ selection: PointSelection, _ db: any SQLConnection) throws {
    for event in try DeletionEvents(selection, db).regionEvents {
      try db.run("DELETE FROM webhook_deliveries WHERE event = ?", event)
      try db.run("DELETE FROM region_events WHERE id = ?", event)
    }
  }
}

/// The contexts of points that a replacement deleted.
package struct RemovedContexts: Sendable, Hashable {
  package var ids: Set<Int64> = []
  /// Whether anything was deleted.
  package var isUsed = false
}

/// The key of the by-product of a replacement.
private enum RemovedContextsKey: ByProductKey {
  static let initial = RemovedContexts()
}

extension SubmissionResult {
  /// The contexts of points that the submission replaced.
  package var removedContexts: RemovedContexts {
    get { byProducts[RemovedContextsKey.self] }
    set { byProducts[RemovedContextsKey.self] = newValue }
  }

  /// Deletes contexts and addresses that are unused after a replacement. Must be called after the commit. Blocks the
  /// thread.
  package func clearRemains(_ database: any StoreDatabase) throws {
    guard removedContexts.isUsed else { return }
    try DeletionRemains(database: database, trash: nil).clear(removedContexts.ids)
    _ = try database.clearDeleted()
  }
}
