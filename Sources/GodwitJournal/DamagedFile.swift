internal import Foundation

/// A database that cannot be read.
package enum DamagedFile {
  /// Renames the database, and the files that SQLite stores next to it.
  /// - Returns: the new name of the database.
  @discardableResult
  package static func moveAside(_ path: String) throws -> String {
    var aside = path + ".damaged"
    var number = 1
    while FileManager.default.fileExists(atPath: aside) {
      number += 1
      aside = path + ".damaged-\(number)"
    }
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
      try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
    }
    return aside
  }
}
