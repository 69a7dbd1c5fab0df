import Foundation

/// A server and its standby.
extension TestCluster {
  /// The name of the server in `synchronous_standby_names`.
  private var name: String { "node_\(port)" }
  /// Where its standbys find it: folder of the socket, and port.
  var place: [String] { [folder.path, "\(port)"] }

  /// Makes a standby that follows this server a synchronous one: from now on a commit waits for its disk.
  public func waitForCommits(on standby: TestCluster) throws {
    try sql("ALTER SYSTEM SET synchronous_standby_names = '\(standby.name)'; SELECT pg_reload_conf()", in: "postgres")
    try poll("the standby does not follow", "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')")
  }

  /// Makes a standby a primary.
  public func promote() throws { try notify("promote") }

  /// Makes a former primary, which was killed, a standby of the server that took its place, with `pg_rewind`.
  public func rejoin(_ primary: TestCluster) throws {
    // pg_rewind reads the new timeline from the control file, which a checkpoint writes.
    try primary.sql("CHECKPOINT", in: "postgres")
    try notify("rewind " + primary.place.joined(separator: " "))
  }

  /// Ends the connection of a standby to its primary: it keeps what it has.
  public func endFollowing() throws {
    try sql("ALTER SYSTEM SET primary_conninfo = ''; SELECT pg_reload_conf()", in: "postgres")
    try poll("the standby follows", "NOT EXISTS (SELECT FROM pg_stat_wal_receiver)")
  }

  /// Ends each commit's wait for the standby, as an administrator may.
  /// - Returns: the number of commits.
  public func cancelWaitingCommits() throws -> Int {
    let text = try sql(
      "SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'", in: "postgres")
    return Int(text) ?? 0
  }

  /// Waits until a condition is true, in a session of its own each time: one that waits does not read the settings again.
  private func poll(_ failure: String, _ condition: String) throws {
    for _ in 1...600 where try sql("SELECT \(condition); SELECT pg_sleep(0.1)", in: "postgres").hasPrefix("t") { return }
    throw Failure(description: failure)
  }
}
