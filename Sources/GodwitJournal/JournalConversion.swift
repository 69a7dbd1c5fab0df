internal import Foundation
internal import GodwitSQLite

/// Converts a journal that a development build wrote. Unsent records, the cursors of endpoints and their sequence numbers are
/// kept, so a server that has some of the records stores none of them twice.
public enum JournalConversion {
  /// Writes a new journal with all data of a former one. The former file is not changed. No tracker may use it during the conversion.
  /// - Parameters:
  ///   - source: the former journal.
  ///   - target: the new journal. The file must not exist.
  /// - Throws: ``Failure`` if the files are not as described; `SQLiteError` if a file cannot be read or written. No new file
  /// exists then.
  public static func convert(from source: String, to target: String) throws {
    let files = FileManager.default
    guard files.fileExists(atPath: source) else { throw Failure(description: "\(source): there is no such file.") }
    guard !files.fileExists(atPath: target) else {
      throw Failure(description: "\(target) exists already. Use a new file.")
    }
    let (copy, unfinished) = (target + ".former", target + ".unfinished")
    func clean() {
      for path in [copy, unfinished] { for end in ["", "-wal", "-shm"] { try? files.removeItem(atPath: path + end) } }
    }
    clean()
    defer { clean() }
    try update(source, in: copy)
    do {
      let database = try Database(path: unfinished)
      try JournalSchema.migrations.apply(to: database)
      try database.run("ATTACH DATABASE ? AS former", copy)
      try database.transaction { try database.execute(rows) }
      try database.execute("DETACH DATABASE former")
      try database.execute("PRAGMA journal_mode = DELETE")
    }
    guard rename(unfinished, target) == 0 else {
      throw Failure(description: "\(target) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  /// The reason why a file is not converted.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// A sentence with the reason and the action to take.
    public let description: String
  }

  /// Whether a file is a journal of a development build.
  package static func isFormer(_ path: String) -> Bool {
    guard let database = try? Database(path: path, access: .readOnly) else { return false }
    return (try? version(of: database)) != nil
  }

  /// Returns the version of a former journal. - Throws: ``Failure`` if the file is not a former journal.
  private static func version(of database: Database) throws -> Int64 {
    let version = try database.integer("PRAGMA user_version") ?? 0
    let tables = try database.integer("SELECT count(*) FROM sqlite_master WHERE name IN ('records', 'cursors', 'set_aside')")
    guard try database.integer("PRAGMA application_id") == 0, (1...FormerJournalSchema.version).contains(version), tables == 3
    else {
      throw Failure(
        description: "\(database.path): this is not a journal of a development build. A journal of this godwit needs no "
          + "conversion.")
    }
    return version
  }

  /// Copies a former journal and migrates the copy to the newest former version.
  private static func update(_ source: String, in copy: String) throws {
    do {
      let database = try Database(path: source, access: .readOnly)
      _ = try version(of: database)
      try database.copy(to: copy)
    }
    let database = try Database(path: copy)
    let first = try version(of: database)
    try database.transaction {
      for step in FormerJournalSchema.steps.dropFirst(Int(first - 1)) { try database.execute(step) }
      try database.execute("PRAGMA user_version = \(FormerJournalSchema.version)")
    }
    try database.execute("PRAGMA journal_mode = DELETE")
  }

  /// Copies all rows from the former names to the current ones.
  private static let rows = """
    INSERT INTO contexts (id, context, extras) SELECT id, context, extras FROM former.contexts;
    INSERT INTO records (sequence, recorded, kind, time, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy,
        speed, speed_accuracy, course, course_accuracy, context, detail, uptime)
      SELECT sequence, recorded, kind, time, latitude, longitude, horizontal_accuracy, altitude, vertical_accuracy,
        speed, speed_accuracy, course, course_accuracy, context, detail, lived FROM former.records;
    INSERT INTO cursors (endpoint, acknowledged, identifier, number, covered, dialect)
      SELECT endpoint, acknowledged, identifier, number, covered, dialect FROM former.cursors;
    INSERT INTO quarantined_records (endpoint, sequence, reason, time, uptime)
      SELECT endpoint, sequence, reason, time, lived FROM former.set_aside;
    INSERT INTO lost_records (id, endpoint, reason, time, first, last, count)
      SELECT id, endpoint, reason, time, first, last, count FROM former.losses;
    INSERT INTO coverage (start, minutes, reason, fixes) SELECT start, minutes, reason, fixes FROM former.ledger;
    INSERT INTO settings_changes (id, time, source, name, old, new)
      SELECT id, time, source, name, old, new FROM former.settings_changes;
    INSERT INTO usage (endpoint, day, bytes) SELECT endpoint, day, bytes FROM former.usage;
    INSERT INTO meta (key, value) SELECT CASE key WHEN 'lived' THEN 'uptime' ELSE key END, value FROM former.meta;
    INSERT INTO stored_values (key, value) SELECT key, value FROM former.notes;
    """
}
