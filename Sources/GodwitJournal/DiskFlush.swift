internal import Foundation
internal import GodwitSQLite

/// Decides when appended data is flushed to the disk. Used only while the journal's writer is locked.
struct DiskFlush {
  private let database: Database
  /// Maximum seconds until appended data is flushed; 0: with each commit.
  private let interval: Double
  /// Whether commits are flushed at present.
  private var isSynchronous = true
  /// The time of the last flush, by the clock of the appender.
  var last = Date.distantPast
  /// Whether data was appended since the last flush.
  var isPending = false

  init(_ database: Database, interval: Double) {
    self.database = database
    self.interval = interval
  }

  func isDue(_ now: Date) -> Bool {
    // After a clock was set back the elapsed time is unknown.
    interval <= 0 || now < last || now.timeIntervalSince(last) >= interval
  }

  /// Flushes the appended data. A flushed commit includes all earlier commits.
  mutating func flushAppended() throws {
    try synchronise(true)
    try writeCount()
    isPending = false
  }

  /// Changes the file, so that the commit is flushed. SQLite writes and flushes nothing if a transaction stores only values that
  /// are already stored.
  func writeCount() throws {
    try database.run("INSERT INTO meta (key, value) VALUES ('flushes', 1) ON CONFLICT DO UPDATE SET value = value + 1")
  }

  /// Sets whether commits are flushed.
  mutating func synchronise(_ isWanted: Bool) throws {
    guard isWanted != isSynchronous else { return }
    try database.execute("PRAGMA synchronous = \(isWanted ? "FULL" : "NORMAL")")
    isSynchronous = isWanted
  }
}
