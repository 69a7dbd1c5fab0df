internal import GodwitPostgres

/// The workers of a distributed store. The records of each worker's devices are stored in a transaction of their own: while a worker
/// hangs, the coordinator cannot end a transaction that waits for it, nor release the locks on its devices. Records of a worker that
/// failed are rejected for a while without an attempt, so that records of other devices do not wait. Used by the writer's thread of
/// records.
struct PostgresWorkers {
  /// Submissions that are stored in one transaction.
  struct Part {
    /// The number of the worker; `nil` if the store is not distributed.
    var worker: Int64?
    var group: [Submission]
    /// Why the submissions are rejected without an attempt.
    var failure: (any Error)?
  }

  private struct Failure {
    let error: any Error
    /// The coordinator's process that was storing records of the worker.
    let process: Int64
    /// As the clock's uptime.
    let start: Duration
    var end: Duration
  }
  /// The failures by the number of the worker.
  private var failures: [Int64: Failure] = [:]
  /// The workers of devices. A device whose worker has changed is stored with devices of another worker until the next failure.
  private var workers: [Int64: Int64] = [:]
  /// Maximum known devices.
  private static let remembered = 100_000
  /// Bounds of the time after a failure in which no attempt is made.
  private static let pauses = Duration.seconds(1)...Duration.seconds(30)
  /// Timeout in seconds of a statement that stores records. A worker that takes longer counts as failed.
  static let timeout = 10

  /// Divides a group by worker; the order of each worker's submissions stays.
  mutating func parts(of group: [Submission], at now: Duration, _ session: PostgresSession) throws -> [Part] {
    if workers.count > Self.remembered { workers.removeAll() }
    let missing = Set(group.map(\.device.id)).filter { workers[$0] == nil }
    if !missing.isEmpty {
      var devices = PostgresArray(of: .int8)
      for device in missing { devices.append(device) }
      let rows = try session.run(
        """
        SELECT device, groupid FROM unnest(?) AS device, pg_dist_placement
        WHERE shardid = get_shard_id_for_distribution_column('points', device)
        """, [devices.value()])
      while rows.next() { try workers[rows.integer("device")] = rows.integer("groupid") }
    }
    let parts = Dictionary(grouping: group) { workers[$0.device.id] ?? -1 }
    return try parts.sorted { $0.key < $1.key }.map { worker, group in
      Part(worker: worker, group: group, failure: try failure(of: worker, at: now, session))
    }
  }

  /// Records the failure of a worker.
  /// - Parameters:
  ///   - worker: its number.
  ///   - error: the error.
  ///   - process: the coordinator's process of the attempt.
  ///   - start: when the attempt began, as the clock's uptime.
  ///   - now: the clock's uptime.
  mutating func failed(_ worker: Int64, _ error: any Error, process: Int64, since start: Duration, at now: Duration) {
    // If the machine of a worker is off, an attempt takes seconds to fail. The pause is ten times as long as the attempt.
    let pause = min(max((now - start) * 10, Self.pauses.lowerBound), Self.pauses.upperBound)
    failures[worker] = Failure(error: error, process: process, start: start, end: now + pause)
    workers.removeAll()
  }

  /// The error of a worker that failed recently, or for which the coordinator's process still waits.
  private mutating func failure(of worker: Int64, at now: Duration, _ session: PostgresSession) throws -> (any Error)? {
    guard let failure = failures[worker] else { return nil }
    if now >= failure.end {
      // The process of this session does not wait. Of another one, the state is that of the statement that was running, also while the
      // process cancels it on the worker.
      let waits = try session.text(
        """
        SELECT 'yes' FROM pg_stat_activity
        WHERE pid = ? AND pid <> pg_backend_pid() AND state = 'active' AND query_start < now() - make_interval(secs => ?)
        """, [.integer(failure.process), .real(Double((now - failure.start).components.seconds - Int64(Self.timeout)))])
      guard waits != nil else {
        failures[worker] = nil
        return nil
      }
      failures[worker]?.end = now + Self.pauses.lowerBound
    }
    return failure.error
  }
}

extension PostgresError {
  /// Whether the error may be the failure of a worker of a distributed store: the session with the coordinator is still usable.
  func isOfWorker(_ session: PostgresSession) -> Bool {
    session.isAlive && !session.isInTransaction && (kind == .connection || kind == .unavailable)
  }
}
