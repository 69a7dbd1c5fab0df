package import Foundation
internal import GodwitHTTP
internal import GodwitSQLite
internal import GodwitStore

/// A copy of the embedded database, made while a server writes to it: all that was durable at one moment, in one file without a log.
package struct Snapshot: Sendable {
  /// Bytes of the copy.
  package var size: Int

  /// When a copy was last made of a folder's database, and where it is.
  package struct Note: Sendable, Codable, Hashable {
    package var time: Date
    package var path: String
  }

  /// Copies a folder's database. Readers and writers go on meanwhile.
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - path: of the copy.
  ///   - replaces: whether one that is there is replaced, in one step.
  ///   - preservesLayout: whether the copy of a database without checksums of pages has none either, for an older program.
  ///   - now: the time.
  /// - Throws: what the file system or the database refuse; the copy is there whole or not at all.
  package static func create(
    of folder: String, to path: String, replaces: Bool, preservesLayout: Bool = false, at now: Date
  ) throws -> Snapshot {
    let source = folder + "/godwit.sqlite"
    let files = FileManager.default
    guard files.fileExists(atPath: source) else {
      throw Problem(description: "There is no database in \(folder). Name the data folder with --data.")
    }
    guard replaces || !files.fileExists(atPath: path) else {
      throw Problem(description: "\(path) exists already. Use another file, or give --replace.")
    }
    let unfinished = path + ".unfinished"
    try? files.removeItem(atPath: unfinished)
    defer { try? files.removeItem(atPath: unfinished) }
    // A copy has new indexes: damage of the old ones would not be in it.
    try check(source)
    do {
      let database = try Database(path: source)
      if preservesLayout { database.preserveLayout() }
      // It reads in one transaction, and writes a file without holes.
      try database.copy(to: unfinished)
    }
    try leaveOutDeleted(unfinished, preservesLayout)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: unfinished)
    try check(unfinished)
    try Self.sync(unfinished)
    guard rename(unfinished, path) == 0 else {
      throw Problem(description: "\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
    let size = (try files.attributesOfItem(atPath: path)[.size] as? NSNumber)?.intValue ?? 0
    let full = path.hasPrefix("/") ? path : files.currentDirectoryPath + "/" + path
    // A user that may read the database and not write beside it still gets a copy.
    try? JSONEncoder().encode(Note(time: now, path: full)).write(
      to: URL(fileURLWithPath: Self.lastSnapshotFile(folder)), options: .atomic)
    DatabaseCopies.add(path, of: folder, at: now)
    return Snapshot(size: size)
  }

  /// Removes deleted data that can still be undone from a copy.
  private static func leaveOutDeleted(_ copy: String, _ preservesLayout: Bool) throws {
    let database = try Database(path: copy)
    if preservesLayout { database.preserveLayout() }
    var isChanged = false
    for table in BackupTable.deleted {
      // A database of an older version has no trash.
      guard try database.integer("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", table) != nil,
        try database.integer("SELECT 1 FROM \(table) LIMIT 1") != nil
      else { continue }
      try database.execute("PRAGMA secure_delete = ON; DELETE FROM \(table)")
      isChanged = true
    }
    // The file without the pages that became free, and without a log: a reader would leave an empty one beside it.
    if isChanged { try database.execute("VACUUM") }
    try database.execute("PRAGMA journal_mode = DELETE")
  }

  /// The last copy that was made of a folder's database; `nil`: none is known.
  package static func last(of folder: String) -> Note? {
    FileManager.default.contents(atPath: lastSnapshotFile(folder)).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
  }

  private static func lastSnapshotFile(_ folder: String) -> String { folder + "/last-snapshot.json" }

  /// Reads all of a database and checks its integrity.
  /// - Throws: what is wrong with it.
  package static func check(_ path: String) throws {
    let database = try Database(path: path, access: .readOnly)
    let results = try database.problems(maximum: 5)
    guard results.isEmpty else {
      throw Problem(description: "\(path) is damaged: \(results.joined(separator: "; ")). Restore the last snapshot.")
    }
  }

  private static func sync(_ path: String) throws {
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try handle.synchronize()
    try handle.close()
  }

  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }
}
