internal import Foundation
internal import GodwitEngine
internal import GodwitSQLite

/// The table of the coverage log.
enum CoverageTable {
  /// Writes a line. The previous line is shortened to end at the start of this line: a clock that was ahead may have written a
  /// longer one. Requires a transaction.
  static func write(_ line: CoverageEntry, to database: Database) throws {
    let start = Int(line.start.timeIntervalSince1970 / 60)
    try database.run(
      """
      UPDATE coverage SET minutes = ?1 - start
      WHERE start = (SELECT max(start) FROM coverage WHERE start < ?1) AND start + minutes > ?1
      """, start)
    try database.run(
      "INSERT OR REPLACE INTO coverage (start, minutes, reason, fixes) VALUES (?, ?, ?, ?)", start, line.minutes,
      line.reason.rawValue, line.fixes)
  }
}
