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

  /// The folder that a file is in, for making it: `.` where the path names none. Foundation's own answer to a name of one letter
  /// is the end of the program.
  static func of(file path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
