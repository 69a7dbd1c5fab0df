package import Foundation
internal import Synchronization

/// The list of backups and copies of a data folder's store that were written on this machine. They still contain data that
/// is deleted afterwards.
package enum DatabaseCopies {
  /// A file.
  package struct Copy: Sendable, Codable, Hashable {
    /// The absolute path.
    package var path: String
    package var time: Date
  }

  /// Maximum files in the list.
  private static let maximum = 200
  private static let lock = Mutex(())

  private static func file(_ folder: String) -> String { folder + "/copies.json" }

  /// Adds a file to the list. If the folder cannot be written, the error is ignored, because the copy itself is complete.
  static func add(_ path: String, of folder: String, at now: Date) {
    let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    lock.withLock { _ in
      let others = all(of: folder).filter { $0.path != full }
      let copies = (others + [Copy(path: full, time: now)]).suffix(maximum)
      try? JSONEncoder().encode(Array(copies)).write(to: URL(fileURLWithPath: file(folder)), options: .atomic)
    }
  }

  /// Returns the files that still exist, oldest first.
  package static func all(of folder: String) -> [Copy] {
    let copies = FileManager.default.contents(atPath: file(folder)).flatMap { try? JSONDecoder().decode([Copy].self, from: $0) }
    return (copies ?? []).filter { FileManager.default.fileExists(atPath: $0.path) }
  }
}
