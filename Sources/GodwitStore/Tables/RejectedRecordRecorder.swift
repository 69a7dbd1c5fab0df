/// Looks after refused parts in the store's transactions: notes what became of one that was tried again, in the transaction that
/// stores its records, and keeps their number within bounds.
///
/// `@unchecked Sendable`: everything in it is touched only on the store's thread.
package final class RejectedRecordRecorder: CommitParticipant, @unchecked Sendable {
  /// Parts that came since a device's were last counted; a device that is not here was not counted yet.
  private var counts: [Int64: Int] = [:]
  private var isDue: Set<Int64> = []
  /// Parts after which they are counted again: so many more than there should be are there for a while.
  private static let slack = 50
  /// Devices that are remembered.
  private static let maximumDevices = 50_000

  package init() {}

  package func begin(_ group: [Submission], in connection: any SQLConnection) throws { isDue.removeAll(keepingCapacity: true) }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, in connection: any SQLConnection) throws {
    if let retry = submission.retrying {
      if let refused = submission.refusals.first {
        try RejectedRecordTable.countRejected(retry.refusal, refused, at: retry.time, connection)
      } else {
        try RejectedRecordTable.noteSolved(retry.refusal, at: retry.time, connection)
      }
      return
    }
    guard !submission.refusals.isEmpty else { return }
    let device = submission.device.id
    let count = counts[device].map { $0 + submission.refusals.count } ?? .max
    if count >= Self.slack { isDue.insert(device) } else { counts[device] = count }
  }

  package func end(in connection: any SQLConnection) throws {
    if counts.count > Self.maximumDevices { counts.removeAll() }
    for device in isDue.sorted() {
      try RejectedRecordTable.trim(device: device, connection)
      counts[device] = 0
    }
  }

  package func discardState() {
    counts.removeAll()
    isDue.removeAll()
  }
}
