internal import GodwitModel
package import GodwitPostgres

/// The partitions of `points`: one for each month (UTC) with points, created by the server that receives the first point of the
/// month. Points of implausible months stay in the default partition. While a partition cannot be created, the points of its month
/// are stored there, too; no point is rejected. Used by the writer's thread.
package struct PostgresPartitions {
  private var known: Set<Month> = []
  /// The time of receipt from which partitions are created again, after the failure of a worker.
  private var nextAttempt = Int64.min
  /// Milliseconds between the failure of a worker and the next attempt.
  private static let pause: Int64 = 60_000

  /// A month, counted from January of the year 0. Only plausible months have a partition.
  package struct Month: Hashable, Comparable {
    package let number: Int
    package static func < (left: Month, right: Month) -> Bool { left.number < right.number }
  }

  /// The first plausible month. The limit bounds the number of partitions that wrong clocks can cause.
  private static let first = Month(year: 2000, month: 1)

  /// Creates the partitions that points need, in separate transactions.
  /// - Parameters:
  ///   - times: times of points, in milliseconds since 1970.
  ///   - now: time of receipt. Partitions are created up to the following month.
  ///   - session: outside of a transaction.
  mutating func prepare(for times: some Sequence<Int64>, at now: Int64, _ session: PostgresSession) throws {
    let sensible = Self.first.start..<max(Self.first.start, Month(milliseconds: now).next.next.start)
    var newest = 0..<0 as Range<Int64>
    var missing: Set<Month> = []
    // Usually a time is in the month of the previous one.
    for time in times where !newest.contains(time) && sensible.contains(time) {
      let month = Month(milliseconds: time)
      newest = month.start..<month.next.start
      if !known.contains(month) { missing.insert(month) }
    }
    for month in missing.sorted() where now >= nextAttempt {
      do {
        try make(month, session)
        known.insert(month)
      } catch let error as PostgresError where error.isConflict {
        // A long read blocks the default partition. The next points of the month cause another attempt.
      } catch  where (error as? PostgresError)?.isOfWorker(session) ?? (error is DistributionError) {
        // In a distributed store, each worker has a part of each partition.
        nextAttempt = now &+ Self.pause
      }
    }
  }

  /// Creates a month's partition, and moves its rows from the default partition.
  private func make(_ month: Month, _ session: PostgresSession) throws {
    try session.transaction(attempts: 2) {
      try session.execute("SET LOCAL lock_timeout = '2s'; " + PostgresLock.partitions.statement)
      try Self.attach(month, session)
    }
  }

  /// Creates a month's partition in an open transaction, and moves its rows from the default partition.
  package static func attach(_ month: Month, _ session: PostgresSession) throws {
    let bounds = "FROM (\(month.start)) TO (\(month.next.start))"
    guard try session.text("SELECT to_regclass(?)::text", [.text(month.table)]) == nil else { return }
    let isDistributed = try PostgresDistribution.isDistributed(session)
    if isDistributed {
      try PostgresDistribution.checkWorkers(session.address)
      try session.execute(PostgresDistribution.sequential)
    }
    // Readers wait for some milliseconds, because the default partition is nearly empty.
    try session.execute("LOCK TABLE points_default IN ACCESS EXCLUSIVE MODE")
    try session.execute("CREATE TABLE \(month.table) (LIKE points INCLUDING ALL)")
    if isDistributed {
      try session.execute("SELECT create_distributed_table('\(month.table)', 'device', colocate_with => 'points')")
    }
    let moved = "FROM points_default WHERE time >= \(month.start) AND time < \(month.next.start)"
    try session.execute("INSERT INTO \(month.table) SELECT * \(moved)")
    try session.execute("DELETE \(moved)")
    try session.execute("ALTER TABLE points ATTACH PARTITION \(month.table) FOR VALUES \(bounds)")
  }

  /// Creates a month's partition, if the month is plausible and the database is PostgreSQL.
  package static func attachIfPlausible(_ month: Month, _ db: any SQLConnection) throws {
    guard isOfPartition(month), let session = (db as? PostgresConnection)?.session else { return }
    try attach(month, session)
  }

  /// Whether a month is plausible for a partition, regardless of the current time.
  package static func isOfPartition(_ month: Month) -> Bool { month >= first && month < Month(year: 2100, month: 1) }
}

extension PostgresPartitions.Month {
  package init(year: Int, month: Int) { self.init(number: year * 12 + month - 1) }

  /// The month of a time.
  /// - Parameter milliseconds: since 1970.
  package init(milliseconds: Int64) {
    let days = DayLength.number(of: milliseconds)
    let date = RFC3339.civil(daysSince1970: Int(days))
    self.init(year: date.year, month: date.month)
  }

  package var next: Self { Self(number: number + 1) }

  /// Start of the month, in milliseconds since 1970.
  package var start: Int64 {
    Int64(RFC3339.daysSince1970(year: number / 12, month: number % 12 + 1, day: 1)) * DayLength.milliseconds
  }

  /// `points_2026_11`.
  package var table: String {
    let month = number % 12 + 1
    return "points_\(number / 12)_\(month < 10 ? "0" : "")\(month)"
  }
}
