internal import Foundation

/// The space of disks and the sizes of databases.
package enum DiskSpace {
  /// Returns the free bytes on the disk of a file or a folder; `nil`: unknown.
  package static func free(at path: String) -> Int64? {
    (try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber)?.int64Value
  }

  /// Returns the bytes of a database and its write-ahead log; 0: it does not exist.
  package static func size(ofDatabase path: String) -> Int64 {
    ["", "-wal"].reduce(0) { size, suffix in
      size + ((try? FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? NSNumber)?.int64Value ?? 0)
    }
  }
}
