internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Files and folders that only this program's system user can read.
package enum PrivateFile {
  /// Writes a file of mode 0600 whole or not at all.
  /// - Throws: ``PrivateFileError`` with the system's reason.
  package static func write(_ text: String, to path: String) throws(PrivateFileError) {
    let builder = path + ".new"
    unlink(builder)
    let file = open(builder, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw PrivateFileError(path: path, code: errno) }
    let bytes = Array(text.utf8)
    let isDurable = isWritten(bytes, to: file) && fsync(file) == 0
    let code = errno
    close(file)
    guard isDurable, rename(builder, path) == 0 else {
      let code = isDurable ? errno : code
      unlink(builder)
      throw PrivateFileError(path: path, code: code)
    }
  }

  private static func isWritten(_ bytes: [UInt8], to file: Int32) -> Bool {
    bytes.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) == bytes.count }
  }

  /// Makes a folder of mode 0700, and those above it, where there is none; root gives it to the owner of the folder that it is in.
  /// - Throws: ``PrivateFileError`` with the system's reason.
  package static func makeFolder(_ path: String) throws(PrivateFileError) {
    let above = (path as NSString).deletingLastPathComponent
    guard mkdir(path, 0o700) == 0 else {
      let code = errno
      if code == EEXIST { return }
      guard code == ENOENT, above != path, !above.isEmpty else { throw PrivateFileError(path: path, code: code) }
      try makeFolder(above)
      return try makeFolder(path)
    }
    var parent = stat()
    guard geteuid() == 0, stat(above, &parent) == 0 else { return }
    // A command of root must not lock a server of another system user out of it.
    _ = chown(path, parent.st_uid, parent.st_gid)
  }
}

/// A file of the owner's login that cannot be written.
package struct PrivateFileError: Error, CustomStringConvertible {
  package let path: String
  /// The system's error number.
  package let code: Int32

  package var description: String {
    "\(path) cannot be written: \(String(cString: strerror(code))). Run the command as the system user that owns the folder."
  }
}
