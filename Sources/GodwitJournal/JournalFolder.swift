internal import Foundation
internal import GodwitSQLite

/// The folder of a journal, and the protection of the files in it.
package enum JournalFolder {
  /// Creates the folder of a file where it is missing: a new iPhone app has no folder "Application Support".
  /// - Parameter path: of the file.
  /// - Throws: ``JournalInUse`` when it cannot be created.
  package static func create(for path: String) throws(JournalInUse) {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard !Database.isInMemory(path), !FileManager.default.fileExists(atPath: folder) else { return }
    var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
    #if os(iOS)
      attributes[.protectionKey] = FileProtectionType.completeUntilFirstUserAuthentication
    #endif
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: attributes)
    } catch {
      throw JournalInUse(
        description: "\(folder), the folder of the journal, cannot be created: \(error.localizedDescription). "
          + "Name a journal in a folder that this program may create or write.")
    }
  }

  /// The files that belong to a database: itself, SQLite's log and index beside it, and the lock.
  static func files(of path: String) -> [String] { ["", "-wal", "-shm", ".lock"].map { path + $0 } }

  /// Lets files be read and written while a phone is locked, from its first unlock on. Under the capability Data
  /// Protection new files would be closed as soon as the phone is locked.
  package static func openWhileLocked(_ paths: [String]) {
    #if os(iOS)
      for path in paths.flatMap(files) where FileManager.default.fileExists(atPath: path) {
        // A file that keeps another class is written all the same until the phone is locked, and then the tracker reports
        // what it cannot write.
        try? FileManager.default.setAttributes(
          [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
      }
    #endif
  }
}
