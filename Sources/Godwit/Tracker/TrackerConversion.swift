internal import Foundation
internal import GodwitJournal
internal import GodwitRegionStorage

/// Converts a tracker's file that a development build wrote: a journal or a file of regions.
package enum TrackerConversion {
  /// Writes a new file with the content of an old one. The old file is not changed.
  /// - Parameters:
  ///   - source: the path of the old file.
  ///   - target: the path of the new file, which must not exist.
  /// - Returns: whether the source is a file; otherwise nothing was done.
  /// - Throws: `JournalConversion.Failure`, for example if the target exists; `SQLiteError`.
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
