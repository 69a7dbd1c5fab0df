internal import GodwitLocks

/// The folders whose databases use another VFS of SQLite than the system's. Tests simulate disks and their faults with it. Programs
/// do not use it.
package enum FolderDisks {
  /// The wrapped VFS, and the VFS with checksums around it.
  private struct Disk: Sendable {
    var plain: String
    var checked: String?
  }
  private struct State {
    /// The disks by the path of their folder.
    var disks: [String: Disk] = [:]
    /// The VFS with checksums, by the name of the wrapped VFS.
    var checked: [String: String] = [:]
  }
  private static let state = Mutex(State())

  /// Sets the VFS that connections use that are opened from now on to databases in a folder.
  /// - Parameters:
  ///   - vfs: the name of a registered VFS; `nil`: the VFS of the system.
  ///   - folder: the path of the folder, as the paths of its databases begin.
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
