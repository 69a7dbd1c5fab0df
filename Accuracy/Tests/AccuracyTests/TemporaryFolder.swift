import Foundation

/// A temporary folder with the files of a synthetic data set, which is deleted with the object. A test that reads it extends its lifetime
/// with `defer { withExtendedLifetime(folder) {} }`, because the object may end after its last use.
final class TemporaryFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("accuracy-\(UUID().uuidString)")

  /// - Parameter files: the texts of the files by name; a name may contain folders.
  init(_ files: [String: String]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try write(name, text) }
  }

  /// Writes a file.
  /// - Parameter name: the name; it may contain folders.
  func write(_ name: String, _ text: String) throws {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
