internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The default folder of a program's files.
package enum DataFolder {
  /// Path of the folder: `$GODWIT_DATA`, otherwise `godwit` in `$XDG_DATA_HOME`, otherwise `~/.local/share/godwit`.
  package static var standard: String {
    if let folder = ProcessInfo.processInfo.environment["GODWIT_DATA"], !folder.isEmpty { return folder }
    return usual
  }

  /// Path of the folder without `$GODWIT_DATA`, which may not be set in another shell.
  package static var usual: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_DATA_HOME"], !folder.isEmpty { return folder + "/godwit" }
    return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/godwit"
  }

  /// Default path of a tracker's journal.
  package static var journal: String { standard + "/tracker.journal" }

  /// The standard folder in a help text.
  package static let shown = "$GODWIT_DATA, $XDG_DATA_HOME/godwit or ~/.local/share/godwit"

  /// Returns the path of a file in the standard folder for a help text.
  package static func shown(file: String) -> String {
    "$GODWIT_DATA/\(file), $XDG_DATA_HOME/godwit/\(file) or ~/.local/share/godwit/\(file)"
  }

  /// Creates a folder if it does not exist. Only its owner has access, because it contains positions.
  package static func make(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    } catch {
      // Foundation's own error text contains only a number.
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      let isPOSIX = cause?.domain == NSPOSIXErrorDomain
      let reason = cause.map { isPOSIX ? ": " + String(cString: strerror(Int32($0.code))) : "" } ?? ""
      throw Failure("\(path): the folder cannot be created\(reason). Check the path and its permissions.")
    }
  }

  /// Returns the folder of a file; `.` for a path without a folder. Foundation's implementation ends the program for a name of one
  /// letter.
  package static func of(file path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
