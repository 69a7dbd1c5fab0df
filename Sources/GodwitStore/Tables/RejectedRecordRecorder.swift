/// Updates rejected records in the store's transactions: records the result of a retry in the transaction that stores its records,
/// and limits the number of rejected records.
///
/// `@unchecked Sendable`: used only on the store's thread.
package final class RejectedRecordRecorder: CommitParticipant, @unchecked Sendable {
  /// Number of rejected records of a device since they were last trimmed. An absent device was not trimmed since the start.
  private var counts: [Int64: Int] = [:]
  private var isDue: Set<Int64> = []
  /// Number of rejected records after which a device is trimmed again. The maximum may be exceeded by this number.
  private static let slack = 50
  /// Maximum cached devices.
  private static let maximumDevices = 50_000

  package init() {}

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws { isDue.removeAll(keepingCapacity: true) }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    if let retry = submission.retrying {
      if let rejected = submission.rejections.first {
        try RejectedRecordTable.countRejected(retry.rejection, rejected, at: retry.time, db)
      } else {
        try RejectedRecordTable.recordSolved(retry.rejection, at: retry.time, db)
      }
      return
    }
    guard !submission.rejections.isEmpty else { return }
    let device = submission.device.id
    let count = counts[device].map { $0 + submission.rejections.count } ?? .max
    if count >= Self.slack { isDue.insert(device) } else { counts[device] = count }
  }

  package func end(_ db: any SQLConnection) throws {
    if counts.count > Self.maximumDevices { counts.removeAll() }
    for device in isDue.sorted() {
      try RejectedRecordTable.trim(device: device, db)
      counts[device] = 0
    }
  }

  package func discardState() {
    counts.removeAll()
    isDue.removeAll()
  }
}
