package import Foundation
internal import GodwitModel
package import GodwitServices
package import GodwitStore

/// The state of the mirror, for metrics, the API and `godwit doctor`.
package struct MirrorState: Sendable, Hashable {
  package let url: String
  /// The number of records that the mirror does not have yet. It is an upper bound, because some may be sent already.
  package let pendingRecords: Int
  /// The number of changes that are not sent yet.
  package let pendingChanges: Int
  /// The time of the oldest of these changes; `nil`: there is none, or its time is not known yet.
  package let oldest: Date?
  /// The number of devices whose history is not completely copied yet.
  package let uncopiedDevices: Int
  /// The number of successive failed attempts.
  package let failures: Int
  /// The reason of the last failure or of the last rejection of records; `nil`: none.
  package let problem: String?
  package let failed: Date?
  package let nextAttempt: Date?
  package let succeeded: Date?
  /// The number of records that were new for the mirror.
  package let sent: Int
  /// The number of records that the mirror rejected.
  package let rejected: Int

  /// Reads the state; `nil`: there is no mirror.
  package init?(_ db: any SQLConnection) throws {
    let pending = try db.first(
      "SELECT count(*) AS changes, coalesce(sum(records), 0) AS records, min(queued) AS oldest FROM mirror_changes"
    ) { (Int(clamping: try $0.integer("changes")), Int(clamping: try $0.integer("records")), try $0.optionalTime("oldest")) }
    let uncopied = try db.integer("SELECT count(*) FROM mirror_devices WHERE next IS NOT NULL") ?? 0
    let state = try db.first(
      """
      SELECT url, failures, next_attempt, last_error, failed, succeeded, sent, rejected FROM mirror_status
      """
    ) { row in
      let failures = Int(clamping: try row.integer("failures"))
      return (
        url: try row.text("url"), failures: failures, next: failures > 0 ? try row.optionalTime("next_attempt") : nil,
        problem: try row.optionalText("last_error"), failed: try row.optionalTime("failed"),
        succeeded: try row.optionalTime("succeeded"), sent: Int(clamping: try row.integer("sent")),
        rejected: Int(clamping: try row.integer("rejected"))
      )
    }
    guard let state, let pending else { return nil }
    (url, failures, nextAttempt, problem) = (state.url, state.failures, state.next, state.problem)
    (failed, succeeded, sent, rejected) = (state.failed, state.succeeded, state.sent, state.rejected)
    (pendingChanges, pendingRecords, oldest) = pending
    uncopiedDevices = Int(clamping: uncopied)
  }

  /// Returns the seconds since the oldest change that the mirror does not have; 0: there is none.
  package func delay(at now: Date) -> Double { oldest.map { max(0, now.timeIntervalSince($0)) } ?? 0 }

  /// Writes the state for Prometheus.
  package func write(at now: Date, to metrics: inout MetricsText) {
    metrics.gauge("godwit_mirror_pending_records", "Records that the mirror does not have yet, at most.", pendingRecords)
    metrics.gauge("godwit_mirror_pending_changes", "Changes that the mirror does not have yet.", pendingChanges)
    metrics.gauge(
      "godwit_mirror_delay_seconds", "Age of the oldest change that the mirror does not have.",
      Int(clamping: Int64(delay(at: now))))
    metrics.gauge("godwit_mirror_uncopied_devices", "Devices whose history is not yet copied to the mirror.", uncopiedDevices)
    metrics.gauge("godwit_mirror_failures", "Failed attempts to send to the mirror in a row.", failures)
    metrics.gauge(
      "godwit_mirror_last_success_timestamp_seconds", "Unix time of the last success; 0 before the first.",
      Int(clamping: Int64(succeeded?.timeIntervalSince1970 ?? 0)))
    metrics.add(
      "godwit_mirror_records_total", .counter, "Records that the mirror stored or rejected, since it was configured.",
      [.init(["result": "stored"], sent), .init(["result": "rejected"], rejected)])
  }
}
