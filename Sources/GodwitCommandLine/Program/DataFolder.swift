internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// The folder of a program's files if no option names another.
package enum DataFolder {
  /// `$GODWIT_DATA`, else `godwit` in `$XDG_DATA_HOME`, else `~/.local/share/godwit`.
  package static var standard: String {
    if let folder = ProcessInfo.processInfo.environment["GODWIT_DATA"], !folder.isEmpty { return folder }
    return usual
  }

  /// The same without `$GODWIT_DATA`, which another shell may not have.
  package static var usual: String {
    let environment = ProcessInfo.processInfo.environment
    if let folder = environment["XDG_DATA_HOME"], !folder.isEmpty { return folder + "/godwit" }
    return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/godwit"
  }

  /// A tracker's journal where no option names one.
  package static var journal: String { standard + "/tracker.journal" }

  /// The standard folder in a help text.
  package static let shown = "$GODWIT_DATA, $XDG_DATA_HOME/godwit or ~/.local/share/godwit"

  /// The path of a file in the standard folder, in a help text.
  package static func shown(file: String) -> String {
    "$GODWIT_DATA/\(file), $XDG_DATA_HOME/godwit/\(file) or ~/.local/share/godwit/\(file)"
  }

  /// Makes a folder if there is none, for its owner alone: it holds positions.
  package static func make(_ path: String) throws {
    guard !FileManager.default.fileExists(atPath: path) else { return }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    } catch {
      // Foundation's own text is a number.
      let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
      let isPOSIX = cause?.domain == NSPOSIXErrorDomain
      let reason = cause.map { isPOSIX ? ": " + String(cString: strerror(Int32($0.code))) : "" } ?? ""
      throw Failure("\(path): the folder cannot be created\(reason). Check the path and its permissions.")
    }
  }

  /// The folder that a file is in, for making it: `.` where the path names none. Foundation's own answer to a name of one letter
  /// is the end of the program.
  package static func of(file path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
