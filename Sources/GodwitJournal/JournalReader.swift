internal import Foundation
internal import GodwitEngine
internal import GodwitModel
internal import GodwitSQLite

/// The queries of the journal's reading connection. Used only while the journal's reader is locked.
final class JournalReader {
  let database: Database
  private let records: RecordReader

  init(path: String, journal: UInt64) throws {
    database = try Database(path: path, syncsAll: false)
    try database.execute("PRAGMA cache_size = -256")
    records = RecordReader(database, journal: journal)
  }

  /// The number of damaged rows that were read.
  var damagedCount: Int { records.damaged.count }

  /// Returns the records for an endpoint between two sequence numbers.
  /// - Parameters:
  ///   - after: the last sequence number that the endpoint has.
  ///   - last: the last sequence number that is flushed.
  ///   - limit, latestOnly, recordedBefore, delay: as in ``Journal/batch(endpoint:limit:latestOnly:recordedBefore:delay:)``.
  ///   - runningTime: the running time of trackers with this file in seconds.
  func batch(
    after: Int64, last: Int64, limit: Int, latestOnly: Bool, recordedBefore: Date?, delay: Double, runningTime: Int64
  ) throws -> Journal.Batch {
    // Whole seconds of running time, one more than the delay, because both times are rounded down.
    let oldAfter = Int64(max(0, min(delay, 1e12)).rounded(.up)) + 1
    // The first record that is too young also holds back the older records after it. If the clock was set back between them,
    // skipping the record would lose it.
    let young = try recordedBefore.flatMap { try firstRecord(after: after, recordedAfter: $0, notBefore: runningTime - oldAfter) }
    let newest =
      latestOnly
      ? "AND (kind <> 0 OR sequence = (SELECT max(sequence) FROM records WHERE kind = 0 AND sequence > ?1 AND sequence <= ?3))"
      : ""
    let rows = try database.statement(
      """
      SELECT \(RecordAppender.columns) FROM records
      WHERE sequence > ?1 AND sequence <= ?3 \(newest) ORDER BY sequence LIMIT ?2
      """)
    try rows.bind([after, limit, min(last, young.map { $0.sequence - 1 } ?? last)])
    defer { rows.reset() }
    var batch = Journal.Batch(after: after, through: after)
    batch.records.reserveCapacity(min(limit, 1000))
    while try rows.step() { batch.records.append(try records.read(rows)) }
    batch.through = batch.records.last?.sequence ?? after
    if batch.records.count < limit, let young, let recordedBefore {
      // The time of the record may be from before the clock was set back. The running time limits the wait.
      let remaining = Double(young.uptime + oldAfter - runningTime)
      let latest = recordedBefore.addingTimeInterval(delay + remaining)
      batch.notBefore = min(Date(timeIntervalSince1970: young.recorded + delay), latest)
    }
    return batch
  }

  /// Returns the first record that was recorded after a time, and for which trackers have not run longer than since `uptime`.
  private func firstRecord(
    after: Int64, recordedAfter time: Date, notBefore uptime: Int64
  ) throws -> (sequence: Int64, recorded: Double, uptime: Int64)? {
    let rows = try database.statement(
      """
      SELECT sequence, recorded, uptime FROM records WHERE sequence > ? AND recorded > ? AND uptime > ?
      ORDER BY sequence LIMIT 1
      """)
    try rows.bind([after, time.timeIntervalSince1970, uptime])
    defer { rows.reset() }
    return try rows.step() ? (rows.integer("sequence"), rows.double("recorded"), rows.integer("uptime")) : nil
  }

  func quarantined(endpoint: String) throws -> [(sequence: Int64, reason: String, record: Record)] {
    let rows = try database.statement(
      """
      SELECT \(RecordAppender.columns.split(separator: ", ").map { "records.\($0)" }.joined(separator: ", ")),
        quarantined_records.reason
      FROM quarantined_records JOIN records ON records.sequence = quarantined_records.sequence
      WHERE quarantined_records.endpoint = ? ORDER BY quarantined_records.sequence
      """)
    try rows.bind([endpoint])
    defer { rows.reset() }
    var result: [(sequence: Int64, reason: String, record: Record)] = []
    while try rows.step() {
      let reason = try rows.text("reason")
      let (sequence, record) = try records.read(rows)
      result.append((sequence, reason, record))
    }
    return result
  }

  func newestFix() throws -> Fix? {
    let rows = try database.statement(
      "SELECT \(RecordAppender.columns) FROM records WHERE kind = 0 ORDER BY sequence DESC LIMIT 1")
    defer { rows.reset() }
    guard try rows.step(), case .fix(let fix) = try records.read(rows).record.kind else { return nil }
    try rows.checkMemory()
    return fix
  }

  /// Returns the stored positions in a time, in the order of recording.
  func fixes(from: Date, to: Date, limit: Int) throws -> [Fix] {
    let rows = try database.statement(
      """
      SELECT \(RecordAppender.columns) FROM records WHERE kind = 0 AND time >= ? AND time < ? ORDER BY sequence LIMIT ?
      """)
    rows.bind(from.timeIntervalSince1970, at: 1)
    rows.bind(to.timeIntervalSince1970, at: 2)
    rows.bind(Int64(max(0, limit)), at: 3)
    defer { rows.reset() }
    var fixes: [Fix] = []
    while try rows.step() { if case .fix(let fix) = try records.read(rows).record.kind { fixes.append(fix) } }
    return fixes
  }

  /// Returns the time at which the first record from a sequence number on was recorded; `nil`: there is none.
  func recordedTime(from sequence: Int64) throws -> Date? {
    let rows = try database.statement(JournalSchema.oldest)
    rows.bind(sequence, at: 1)
    defer { rows.reset() }
    return try rows.step() ? Date(timeIntervalSince1970: try rows.double("recorded")) : nil
  }

  /// Returns the lines of the coverage log, oldest first.
  func coverage(from: Date, to: Date) throws -> [CoverageEntry] {
    let rows = try database.statement(
      "SELECT start, minutes, reason, fixes FROM coverage WHERE start + minutes > ? AND start < ? ORDER BY start")
    try rows.bind([from.timeIntervalSince1970 / 60, to.timeIntervalSince1970 / 60])
    defer { rows.reset() }
    var lines: [CoverageEntry] = []
    while try rows.step() {
      guard let reason = try CoverageEntry.Reason(rawValue: rows.text("reason")) else { continue }
      try lines.append(
        CoverageEntry(
          start: Date(timeIntervalSince1970: Double(rows.integer("start")) * 60), minutes: Int(rows.integer("minutes")),
          reason: reason, fixes: Int(rows.integer("fixes"))))
    }
    return lines
  }

  /// Returns the last changes of settings, newest first.
  func settingsEvents(limit: Int) throws -> [Journal.SettingsEvent] {
    let rows = try database.statement("SELECT time, source, name, old, new FROM settings_changes ORDER BY id DESC LIMIT ?")
    try rows.bind([limit])
    defer { rows.reset() }
    var events: [Journal.SettingsEvent] = []
    while try rows.step() {
      try events.append(
        Journal.SettingsEvent(
          time: Date(timeIntervalSince1970: rows.double("time")), source: rows.text("source"), name: rows.text("name"),
          old: rows.text("old"), new: rows.text("new")))
    }
    return events
  }
}
