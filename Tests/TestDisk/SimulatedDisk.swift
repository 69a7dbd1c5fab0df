internal import Foundation
internal import GodwitSQLite
internal import Synchronization

/// The disk of one folder, for the SQLite databases in it. Files are written as usual. The disk records which of the changes a power cut
/// may lose, and makes operations fail.
///
/// The content of a file is durable after a sync. The names in the folder are durable after SQLite has synced the folder: with the first
/// sync of a new log or journal, and with some deletions. Files that SQLite does not create are not recorded.
public final class SimulatedDisk: Sendable {
  /// The operations of SQLite on the disk, which may fail.
  public enum Operation: Int, Sendable, CaseIterable {
    case open, write, truncate, sync, delete, map
  }

  /// A fault of operations.
  public struct Fault: Sendable {
    /// The kind of the operations; `nil`: any kind.
    public var kind: Operation?
    /// The number of operations of the kind before the failed one.
    public var delay: Int
    /// Whether all later operations of the kind also fail.
    public var isLasting: Bool
    /// Whether writes fail because the disk is full, and not because of a device error.
    public var isFull: Bool

    public init(_ kind: Operation? = nil, after delay: Int, isLasting: Bool, isFull: Bool = false) {
      (self.kind, self.delay, self.isLasting, self.isFull) = (kind, delay, isLasting, isFull)
    }

    /// Counts an operation.
    /// - Returns: whether the operation fails.
    fileprivate mutating func fails(_ operation: Operation) -> Bool {
      guard kind == nil || kind == operation else { return false }
      delay -= 1
      return isLasting ? delay < 0 : delay == -1
    }
  }

  public let folder: String

  fileprivate struct State {
    /// The files of the durable names and of the current names, by path.
    var synced: [String: FileNumber] = [:]
    var current: [String: FileNumber] = [:]
    var files: [FileNumber: DiskFile] = [:]
    var created: FileNumber = 0
    var operations = 0
    var fault: Fault?
    var failures = 0
    var observer: (@Sendable (Int) -> Bool)?
    var cuts: (@Sendable (PowerCut) -> Void)?
    var ignoresSyncs = false
  }
  private let state = Mutex(State())

  /// - Parameter folder: an existing folder. Its contents are durable.
  /// - Throws: an error if a file cannot be read.
  public init(folder: String) throws {
    self.folder = folder
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where Self.isRecorded(name) {
      let path = folder + "/" + name
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
      let image = DiskImage([UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
      state.withLock { state in
        let number = state.add(DiskFile(synced: image))
        state.current[path] = number
        state.synced[path] = number
      }
    }
    start()
  }

  /// Creates the disk after a crash of the program, not of the power: all written data is in the files, and a later power cut may still
  /// lose the unsynced data.
  /// - Parameters:
  ///   - folder: the folder of the disk, which is replaced.
  ///   - crash: the disk at the crash.
  /// - Throws: an error if a file cannot be written.
  public init(folder: String, after crash: PowerCut) throws {
    self.folder = folder
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, entry) in crash.entries {
      let path = folder + "/" + name
      if let file = entry.current { try Data(file.content.bytes).write(to: URL(fileURLWithPath: path)) }
      state.withLock { state in
        if let file = entry.current { state.current[path] = state.add(file) }
        if entry.isSynced {
          state.synced[path] = state.current[path]
        } else if let file = entry.synced {
          state.synced[path] = state.add(file)
        }
      }
    }
    start()
  }

  private func start() {
    DiskFileSystem.add(self)
    FolderDisks.use(DiskFileSystem.name, in: folder)
  }

  /// Ends the recording. Files must be closed before.
  public func end() {
    FolderDisks.use(nil, in: folder)
    DiskFileSystem.remove(self)
  }

  /// Returns whether a file is recorded: each recovery creates the shared memory of a log again, so it is not.
  private static func isRecorded(_ name: String) -> Bool { !name.hasSuffix("-shm") }

  /// The number of operations.
  public var operations: Int { state.withLock { $0.operations } }

  /// The number of failed operations.
  public var failures: Int { state.withLock { $0.failures } }

  /// Starts to take cuts.
  /// - Parameters:
  ///   - isCut: returns whether the power fails instead of the operation with a number. Called on the threads of the operations.
  ///   - cut: receives the disk at the power cut.
  public func observe(_ isCut: @escaping @Sendable (Int) -> Bool, _ cut: @escaping @Sendable (PowerCut) -> Void) {
    state.withLock { ($0.observer, $0.cuts) = (isCut, cut) }
  }

  /// The disk at a power cut at this time.
  public var cut: PowerCut { state.withLock { $0.cut($0.operations) } }

  /// Stops taking cuts.
  public func endCuts() { state.withLock { $0.observer = nil } }

  /// Makes operations fail; `nil`: no operation fails.
  public func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }

  /// Sets whether syncs do nothing, as on a disk that reports unwritten data as written.
  public func ignoreSyncs(_ ignores: Bool) { state.withLock { $0.ignoresSyncs = ignores } }

  // MARK: For the VFS

  /// Counts an operation.
  /// - Returns: the error code of SQLite if the operation fails; `nil`: it is performed.
  func begin(_ operation: Operation) -> Int32? {
    let (number, observer, code) = state.withLock { state in
      state.operations += 1
      let isFull = state.fault?.isFull ?? false
      let fails = state.fault?.fails(operation) ?? false
      if fails { state.failures += 1 }
      return (state.operations, state.observer, fails ? DiskFileSystem.code(operation, isFull: isFull) : nil)
    }
    if let observer, observer(number) {
      let (cut, receiver) = state.withLock { ($0.cut(number), $0.cuts) }
      receiver?(cut)
    }
    return code
  }

  /// Records that a file was opened, and created if it did not exist.
  func opened(_ path: String) -> FileNumber? {
    guard Self.isRecorded(path) else { return nil }
    return state.withLock { state in
      if let number = state.current[path] { return number }
      let number = state.add(DiskFile())
      state.current[path] = number
      return number
    }
  }

  func changed(_ file: FileNumber, _ change: DiskFile.Change) { state.withLock { $0.files[file]?.changes.append(change) } }

  /// Records a sync of a file.
  /// - Parameter isFolder: whether the names in the folder are also synced.
  func synced(_ file: FileNumber, isFolder: Bool) {
    state.withLock { state in
      guard !state.ignoresSyncs else { return }
      state.files[file]?.sync()
      if isFolder { state.synced = state.current }
    }
  }

  func deleted(_ path: String, isFolder: Bool) {
    state.withLock { state in
      state.current[path] = nil
      if isFolder { state.synced = state.current }
    }
  }

  typealias FileNumber = Int
}

extension SimulatedDisk.State {
  fileprivate mutating func add(_ file: DiskFile) -> Int {
    created += 1
    files[created] = file
    return created
  }

  fileprivate func cut(_ operation: Int) -> PowerCut {
    var entries: [String: PowerCut.Entry] = [:]
    for path in Set(current.keys).union(synced.keys) {
      guard let name = path.split(separator: "/").last else { continue }
      entries[String(name)] = PowerCut.Entry(
        synced: synced[path].flatMap { files[$0] }, current: current[path].flatMap { files[$0] },
        isSynced: synced[path] == current[path])
    }
    return PowerCut(operation: operation, entries: entries)
  }
}
