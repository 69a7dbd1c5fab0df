internal import Foundation
internal import GodwitSQLite

/// The folder of a journal, and the protection of the files in it.
package enum JournalFolder {
  /// Creates the folder of a file if it does not exist. A new iPhone app has no folder "Application Support".
  /// - Parameter path: the path of the file.
  /// - Throws: ``JournalUnavailable`` if the folder cannot be created.
  package static func create(for path: String) throws(JournalUnavailable) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard !Database.isInMemory(path), !FileManager.default.fileExists(atPath: folder) else { return }
    var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
    #if os(iOS)
      attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
    #endif
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: attributes)
    } catch {
      throw JournalUnavailable(
        description: "\(folder), the folder of the journal, cannot be created: \(error.localizedDescription). "
          + "Choose a journal in a folder that this program can create or write.")
    }
  }

  /// Returns the files of a database: the database, SQLite's log and index, and the lock.
  static func files(of path: String) -> [String] { ["", "-wal", "-shm", ".lock"].map { path + $0 } }

  /// Allows access to files while a phone is locked, after its first unlock. With the capability Data Protection, new files would
  /// be closed when the phone is locked.
  package static func openWhileLocked(_ paths: [String]) {
    #if os(iOS)
      for path in paths.flatMap(files) where FileManager.default.fileExists(atPath: path) {
        // If this fails, the file can be written until the phone is locked; then the tracker reports the write error.
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
      }
    #endif
  }
}
