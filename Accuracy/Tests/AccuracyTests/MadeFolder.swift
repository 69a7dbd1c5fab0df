import Foundation

/// A folder with files of a made-up set, which is deleted with the value.
final class MadeFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("accuracy-\(UUID().uuidString)")

  /// - Parameter files: their texts by their names, which may have folders.
  init(_ files: [String: String]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files {
      let file = url.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}
