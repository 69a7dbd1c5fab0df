internal import GodwitModel
package import GodwitStore

/// Stores the times of new records for the mirror, in the transactions that store the records. A crash loses nothing, and no
/// other server or program on the database can store a record without it.
///
/// `@unchecked Sendable`: used only on the thread of the store.
package final class MirrorRecorder: CommitParticipant, @unchecked Sendable {
  private var isConfigured = false

  package init() {}

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws {
    isConfigured = try MirrorTables.isConfigured(db)
  }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    guard isConfigured, stored.saved > 0 else { return }
    var known = stored.known[...]
    var times: [Int64] = []
    for index in submission.records.indices {
      if known.first == index { known.removeFirst() } else { times.append(Self.time(of: submission.records[index])) }
    }
    try MirrorChanges.add(times, ofDevice: submission.device.id, isHistory: submission.isHistory, at: submission.received, db)
  }

  package func discardState() {}

  /// Returns the time under which a record is stored, milliseconds since 1970.
  private static func time(of record: Record) -> Int64 {
    if case .fix(let fix) = record.kind { return fix.time.millisecondsSince1970 }
    return EventRow(record).time
  }
}
