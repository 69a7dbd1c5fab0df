internal import Foundation

/// Where things are kept when nobody says otherwise.
enum DataFolder {
  /// `$GODWIT_DATA`, else `godwit` in `$XDG_DATA_HOME`, else `~/.local/share/godwit`.
  static var standard: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["GODWIT_DATA"], !folder.isEmpty { return folder }
    if let folder = environment["XDG_DATA_HOME"], !folder.isEmpty { return folder + "/godwit" }
    return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/godwit"
  }

  /// How the help names it.
  static let shown = "$GODWIT_DATA, or ~/.local/share/godwit"
}
