internal import GodwitLocks

/// The folders whose databases are not on the system's VFS of SQLite. Tests simulate disks and their faults by it; a program has none.
package enum FolderDisks {
  /// The VFS below the checksums and the one with them.
  private struct Disk: Sendable {
    var plain: String
    var checked: String?
  }
  private struct State {
    /// By the path of the folder.
    var disks: [String: Disk] = [:]
    /// VFS with checksums, by the name of the VFS below them.
    var checked: [String: String] = [:]
  }
  private static let state = Mutex(State())

  /// Lets connections that are opened from now on to databases of a folder use a VFS.
  /// - Parameters:
  ///   - vfs: the name of a registered VFS; `nil`: the system's.
  ///   - folder: the path of the folder, as it begins the paths of the databases.
  package static func use(_ vfs: String?, in folder: String) {
    state.withLock { state in
      if let vfs {
        if state.checked[vfs] == nil { state.checked[vfs] = CheckedFileSystem.register(over: vfs) }
        state.disks[folder] = Disk(plain: vfs, checked: state.checked[vfs])
      } else {
        state.disks[folder] = nil
      }
    }
  }

  /// The name of the VFS for a database; `nil`: SQLite's default.
  static func vfs(of path: String, checksPages: Bool) -> String? {
    let disk = state.withLock { state in
      state.disks.isEmpty ? nil : path.lastIndex(of: "/").flatMap { state.disks[String(path[..<$0])] }
    }
    if let disk { return checksPages ? disk.checked : disk.plain }
    return checksPages ? CheckedFileSystem.name : nil
  }
}
