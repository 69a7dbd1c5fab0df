import Foundation

/// Operations on a server and its standby.
extension TestCluster {
  /// The name of the server in `synchronous_standby_names`.
  private var name: String { "node_\(port)" }
  /// The folder of the socket, and the port, with which standbys connect.
  var place: [String] { [folder.path, "\(port)"] }

  /// Makes a standby of this server synchronous: commits then wait for the disk of the standby.
  public func waitForCommits(on standby: TestCluster) throws {
    try sql("ALTER SYSTEM SET synchronous_standby_names = '\(standby.name)'; SELECT pg_reload_conf()", in: "postgres")
    try poll("the standby does not follow", "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
  }

  /// Promotes this standby to a primary.
  public func promote() throws { try notify("promote") }

  /// Makes this killed former primary a standby of the new primary, with `pg_rewind`.
  public func rejoin(_ primary: TestCluster) throws {
    // pg_rewind reads the new timeline from the control file, which a checkpoint writes.
    try primary.sql("CHECKPOINT", in: "postgres")
    try notify("rewind " + primary.place.joined(separator: " "))
  }

  /// Ends the replication to this standby, which keeps its data.
  public func endFollowing() throws {
    try sql("ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()", in: "postgres")
    try poll("the standby follows", "NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
  }

  /// Cancels the wait of all commits for the standby, as an administrator can.
  /// - Returns: the number of cancelled waits.
  public func cancelWaitingCommits() throws -> Int {
    let text = try sql(
      "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", in: "postgres")
    return Int(text) ?? 0
  }

  /// Waits until a condition is true. Each check has its own session, because a session that waits does not reload the settings.
  private func poll(_ failure: String, _ condition: String) throws {
    for _ in 1...600 where try sql("SELECT \(condition); SELECT pg_sleep(0.1)", in: "postgres").hasPrefix("t") { return }
    throw Failure(description: failure)
  }
}
