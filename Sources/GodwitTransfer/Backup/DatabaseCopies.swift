package import Foundation
internal import Synchronization

/// Backups and copies that were written on this machine of a data folder's store: they still contain what is deleted afterwards.
package enum DatabaseCopies {
  /// A file.
  package struct Copy: Sendable, Codable, Hashable {
    /// From the root.
    package var path: String
    package var time: Date
  }

  /// Most files that are remembered.
  private static let maximum = 200
  private static let lock = Mutex(())

  private static func file(_ folder: String) -> String { folder + "/copies.json" }

  /// Remembers a file. A folder that cannot be written is no fault of the copy.
  static func add(_ path: String, of folder: String, at now: Date) {
    let full = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    lock.withLock { _ in
      let others = all(of: folder).filter { $0.path != full }
      let copies = (others + [Copy(path: full, time: now)]).suffix(maximum)
      try? JSONEncoder().encode(Array(copies)).write(to: URL(fileURLWithPath: file(folder)), options: .atomic)
    }
  }

  /// The files that still exist, the oldest first.
  package static func all(of folder: String) -> [Copy] {
    let copies = FileManager.default.contents(atPath: file(folder)).flatMap { try? JSONDecoder().decode([Copy].self, from: $0) }
    return (copies ?? []).filter { FileManager.default.fileExists(atPath: $0.path) }
  }
}
