/// Updates rejected records in the store's transactions: stores the result of a retry with its records, and bounds
/// their number.
///
/// `@unchecked Sendable`: used only on the store's thread.
package final class RejectedRecordRecorder: CommitParticipant, @unchecked Sendable {
  /// Rejected records since a device's were last counted; an absent device was not counted yet.
  private var counts: [Int64: Int] = [:]
  private var isDue: Set<Int64> = []
  /// Rejected records after which they are counted again; the maximum may be exceeded by so many.
  private static let slack = 50
  /// Maximum cached devices.
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
