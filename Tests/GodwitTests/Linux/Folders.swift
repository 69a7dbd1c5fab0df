#if os(Linux)
  import Foundation
  import TestBus

  extension TemporaryFolder {
    /// Writes files, by their paths in the folder; makes the folders that they need.
    func write(_ files: [String: String]) throws {
      for (path, text) in files {
        let file = url.appendingPathComponent(path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
      }
    }

    /// A program that a test plays: a script of the shell.
    func program(_ name: String, _ script: String) throws -> String {
      let path = url.appendingPathComponent(name).path
      // Written by a process of its own: a file that another test's child still has open for writing, for the moment
      // between its fork and its exec, cannot be run.
      let command = "printf '%s' \"$2\" > \"$1\" && chmod 755 \"$1\""
      try ChildProcess.run("/bin/sh", ["-c", command, "sh", path, "#!/bin/sh\n" + script])
      return path
    }
  }
#endif
