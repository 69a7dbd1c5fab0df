import Foundation

/// The file with the snapshot that the widget shows, in the folder of the app group. Without the app group there is no file.
enum SharedFile {
  private static var file: URL? {
    guard let group = Bundle.main.object(forInfoDictionaryKey: "GodwitAppGroup") as? String else { return nil }
    return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.appendingPathComponent("snapshot.json")
  }

  static func read() -> Data? { file.flatMap { try? Data(contentsOf: $0) } }

  /// Writes a snapshot. Errors are ignored: the next change writes a new snapshot.
  static func write(_ bytes: Data) {
    guard let file else { return }
    try? bytes.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
  }
}
