internal import GodwitPostgres

/// The failed workers of a distributed store. Records of their devices are rejected for a while without an attempt, so that records
/// of other devices do not wait. Used by the writer's thread of records.
struct PostgresWorkers {
  private struct Failure {
    let error: any Error
    /// As the clock's uptime.
    let end: Duration
  }
  /// The failures by the number of the worker.
  private var failures: [Int64: Failure] = [:]
  /// The workers of devices, used while a worker has failed.
  private var workers: [Int64: Int64] = [:]
  /// Bounds of the time after a failure in which no attempt is made.
  private static let pauses = Duration.seconds(1)...Duration.seconds(30)

  /// Divides a group into submissions that may be stored now, and submissions whose worker failed recently.
  mutating func divided(
    _ group: [Submission], at now: Duration
  ) -> (stored: [Submission], rejected: [(submission: Submission, error: any Error)]) {
    guard !failures.isEmpty else { return (group, []) }
    failures = failures.filter { $0.value.end > now }
    if failures.isEmpty { workers.removeAll() }
    var (stored, rejected): ([Submission], [(submission: Submission, error: any Error)]) = ([], [])
    for submission in group {
      if let failure = workers[submission.device.id].flatMap({ failures[$0] }) {
        rejected.append((submission, failure.error))
      } else {
        stored.append(submission)
      }
    }
    return (stored, rejected)
  }

  /// Divides a group by worker; the order of each worker's submissions stays.
  /// - Throws: `PostgresError` if the store is not distributed.
  mutating func parts(of group: [Submission], _ session: PostgresSession) throws -> [(worker: Int64, group: [Submission])] {
    var devices = PostgresArray(of: .int8)
    for device in Set(group.map(\.device.id)) { devices.append(device) }
    let rows = try session.run(
      """
      SELECT device, groupid FROM unnest(?) AS device, pg_dist_placement
      WHERE shardid = get_shard_id_for_distribution_column('points', device)
      """, [devices.value()])
    while rows.next() { try workers[rows.integer("device")] = rows.integer("groupid") }
    let parts = Dictionary(grouping: group) { workers[$0.device.id] ?? -1 }
    return parts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Records the failure of a worker.
  /// - Parameters:
  ///   - worker: its number.
  ///   - error: the error.
  ///   - start: when the attempt began, as the clock's uptime.
  ///   - now: the clock's uptime.
  mutating func failed(_ worker: Int64, _ error: any Error, since start: Duration, at now: Duration) {
    // If the machine of a worker is off, an attempt takes seconds to fail. The pause is ten times as long as the attempt.
    let pause = min(max((now - start) * 10, Self.pauses.lowerBound), Self.pauses.upperBound)
    failures[worker] = Failure(error: error, end: now + pause)
  }
}

extension PostgresError {
  /// Whether the error may be the failure of a worker of a distributed store: the session with the coordinator is still usable.
  func isOfWorker(_ session: PostgresSession) -> Bool {
    session.isAlive && !session.isInTransaction && (kind == .connection || kind == .unavailable)
  }
}
