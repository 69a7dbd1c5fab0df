#if os(Linux)
  import Foundation
  import TestBus

  extension TemporaryFolder {
    /// Writes files, by their paths in the folder, and creates their parent folders.
    func write(_ files: [String: String]) throws {
      for (path, text) in files {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
    }

    /// Creates a shell script that takes the place of a program, and returns its path.
    func program(_ name: String, _ script: String) throws -> String {
      let path = url.appendingPathComponent(name).path
      // A separate process writes the file. Otherwise a child process of another test could inherit the file open for
      // writing between its fork and exec, and the script could not be run.
      let command = "printf '%s' \"$2\" > \"$1\" && chmod 755 \"$1\""
      try ScopedProcess.run("/bin/sh", ["-c", command, "sh", path, "#!/bin/sh\n" + script])
      return path
    }
  }
#endif
