internal import Foundation

extension AccessToken {
  /// The one that a file keeps, or a new one that it keeps from now on, readable by its owner only.
  /// - Parameter file: its path.
  /// - Returns: `nil` when a new one cannot be kept.
  package static func kept(in file: String) -> AccessToken? {
    if FileManager.default.fileExists(atPath: file) {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
      let kept = text.trimmingCharacters(in: .whitespacesAndNewlines)
      // A file that a power cut left empty holds no secret.
      if kept.utf8.count >= shortest { return AccessToken(kept) }
    }
    let made = AccessToken()
    do throws(PrivateFileError) { try PrivateFile.write(made.secret + "\n", to: file) } catch { return nil }
    return made
  }

  /// Characters that a kept token has at least.
  private static let shortest = 16
}
