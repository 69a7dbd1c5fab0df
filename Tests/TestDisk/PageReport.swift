internal import Foundation
internal import GodwitSQLite

/// The report of `godwit verify` about a database file after a power cut.
public enum PageReport {
  /// Returns the reported problems.
  /// - Parameters:
  ///   - path: the path of the file, which need not exist.
  ///   - syncsAll: whether each commit was synced.
  public static func problems(ofFile path: String, syncsAll: Bool = true) throws -> [String] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    do {
      let damaged = try PageScan.run(path, syncsAll: syncsAll).damaged
      return damaged.isEmpty ? [] : ["pages are reported as damaged: \(damaged)"]
    } catch {
      // The power failed while the file was created. A connection with write access rolls the creation back.
      if error.isReadOnly { return [] }
      throw error
    }
  }
}
