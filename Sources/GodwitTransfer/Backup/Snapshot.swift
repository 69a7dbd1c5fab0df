package import Foundation
internal import GodwitHTTP
internal import GodwitSQLite
internal import GodwitStore

/// A consistent copy of the embedded database, created while a server may write to it: one file without a write-ahead log.
package struct Snapshot: Sendable {
  /// Bytes of the copy.
  package var size: Int

  /// The time and the path of the last copy of a folder's database.
  package struct Note: Sendable, Codable, Hashable {
    package var time: Date
    package var path: String
  }

  /// Copies a folder's database. Readers and writers are not blocked.
  /// - Parameters:
  ///   - folder: the data folder.
  ///   - path: the path of the copy.
  ///   - replaces: whether an existing file is replaced, atomically.
  ///   - preservesLayout: whether the copy of a database without page checksums has none, for an older program.
  ///   - now: the time.
  /// - Throws: an error of the file system or the database. The copy is complete or does not exist.
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
    // The source is checked first, because the indexes of the copy are rebuilt, which would hide damage.
    try check(source)
    do {
      let database = try Database(path: source)
      if preservesLayout { database.preserveLayout() }
      // The copy is read in one transaction, and written as a compact file.
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
    // An error is ignored, so that a user with read-only access to the folder can create a copy.
    try? JSONEncoder().encode(Note(time: now, path: full)).write(
      to: URL(fileURLWithPath: Self.lastSnapshotFile(folder)), options: .atomic)
    DatabaseCopies.add(path, of: folder, at: now)
    return Snapshot(size: size)
  }

  /// Removes data from a copy that was deleted but can still be restored in the original.
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
    // Frees unused pages. Without a write-ahead log, a reader creates no files beside the copy.
    if isChanged { try database.execute("VACUUM") }
    try database.execute("PRAGMA journal_mode = DELETE")
  }

  /// Returns the last copy of a folder's database; `nil`: none is known.
  package static func last(of folder: String) -> Note? {
    FileManager.default.contents(atPath: lastSnapshotFile(folder)).flatMap { try? JSONDecoder().decode(Note.self, from: $0) }
  }

  private static func lastSnapshotFile(_ folder: String) -> String { folder + "/last-snapshot.json" }

  /// Reads a whole database, and checks its integrity.
  /// - Throws: ``Problem`` with the damage.
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
