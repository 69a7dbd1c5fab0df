internal import Foundation
internal import GodwitJournal
internal import GodwitRegionStorage

/// Converts a file of a tracker that a development build wrote: a journal, or a file of regions.
package enum TrackerConversion {
  /// Writes a new file with what a former one has. The former file stays as it is.
  /// - Parameters:
  ///   - source: the former file.
  ///   - target: the new one; there must be no such file.
  /// - Returns: whether it was a file of a tracker. Otherwise nothing was done.
  /// - Throws: `JournalConversion.Failure`, where the target exists; `SQLiteError`.
  package static func convert(from source: String, to target: String) throws -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), !isFolder.boolValue else { return false }
    if RegionStorageConversion.isFormer(source), !FileManager.default.fileExists(atPath: target) {
      try RegionStorageConversion.convert(from: source, to: target)
    } else {
      try JournalConversion.convert(from: source, to: target)
    }
    return true
  }
}
