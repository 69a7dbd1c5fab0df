import Foundation

/// The file through which the app gives the widget what it shows, in the folder of the app group. Without the group there is none.
enum SharedFile {
  private static var file: URL? {
    guard let group = Bundle.main.object(forInfoDictionaryKey: "GodwitAppGroup") as? String else { return nil }
    return FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)?.appendingPathComponent("snapshot.json")
  }

  static func read() -> Data? { file.flatMap { try? Data(contentsOf: $0) } }

  /// What cannot be written now is written with the next change.
  static func write(_ bytes: Data) {
    guard let file else { return }
    try? bytes.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
  }
}
