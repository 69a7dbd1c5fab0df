internal import Foundation
internal import GodwitSQLite

/// What `godwit verify` says of a database file after a power cut.
public enum PageReport {
  /// Returns what it reports; empty: no damage.
  /// - Parameters:
  ///   - path: the file; there may be none.
  ///   - syncsAll: whether each commit was synced.
  public static func problems(ofFile path: String, syncsAll: Bool = true) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    do {
      let damaged = try PageScan.run(path, syncsAll: syncsAll).damaged
      return damaged.isEmpty ? [] : ["pages are reported as damaged: \(damaged)"]
    } catch {
      // The power failed while the file was made. A connection that may write rolls that back.
      if error.isReadOnly { return [] }
      throw error
    }
  }
}
