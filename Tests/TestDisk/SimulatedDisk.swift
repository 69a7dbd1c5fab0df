internal import Foundation
internal import GodwitSQLite
internal import Synchronization

/// The disk of one folder, for the SQLite databases in it. Files are written as always; the disk records what a power cut would leave of
/// them, and lets operations fail.
///
/// The content of a file is durable after a sync; the names of the folder are, where SQLite syncs the folder: with the first sync of a new
/// log or journal, and with some deletions. Files that other code than SQLite makes are not recorded.
public final class SimulatedDisk: Sendable {
  /// What SQLite asks of the disk, and what may fail.
  public enum Operation: Int, Sendable, CaseIterable {
    case open, write, truncate, sync, delete, map
  }

  /// Operations that fail.
  public struct Fault: Sendable {
    /// `nil`: of any kind.
    public var kind: Operation?
    /// Operations of the kind that take place before one fails.
    public var delay: Int
    /// Whether all later operations of the kind fail as well.
    public var isLasting: Bool
    /// Whether writes fail for want of space, and not by an error of the device.
    public var isFull: Bool

    public init(_ kind: Operation? = nil, after delay: Int, isLasting: Bool, isFull: Bool = false) {
      (self.kind, self.delay, self.isLasting, self.isFull) = (kind, delay, isLasting, isFull)
    }

    /// - Returns: whether an operation that begins fails.
    fileprivate mutating func fails(_ operation: Operation) -> Bool {
      guard kind == nil || kind == operation else { return false }
      delay -= 1
      return isLasting ? delay < 0 : delay == -1
    }
  }

  public let folder: String

  fileprivate struct State {
    /// What the names lead to on the disk, and what they lead to now. By path.
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

  /// - Parameter folder: an existing folder. What is in it is durable.
  /// - Throws: what reading its files throws.
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

  /// A disk after the program, and not the power, ended at a cut: everything that was written is there, and what was not synced may still be
  /// lost.
  /// - Parameter folder: made new.
  /// - Throws: what writing the files throws.
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

  /// Ends the recording. Open files must be closed before.
  public func end() {
    FolderDisks.use(nil, in: folder)
    DiskFileSystem.remove(self)
  }

  /// The shared memory of a log is created again by each recovery.
  private static func isRecorded(_ name: String) -> Bool { !name.hasSuffix("-shm") }

  /// Operations so far.
  public var operations: Int { state.withLock { $0.operations } }

  /// Operations that have failed.
  public var failures: Int { state.withLock { $0.failures } }

  /// Takes cuts from now on.
  /// - Parameters:
  ///   - isCut: whether the power fails in place of an operation with a number. Called on the threads of the operations.
  ///   - cut: receives the disk.
  public func observe(_ isCut: @escaping @Sendable (Int) -> Bool, _ cut: @escaping @Sendable (PowerCut) -> Void) {
    state.withLock { ($0.observer, $0.cuts) = (isCut, cut) }
  }

  /// What a power cut leaves that comes now.
  public var cut: PowerCut { state.withLock { $0.cut($0.operations) } }

  /// Takes no more cuts.
  public func endCuts() { state.withLock { $0.observer = nil } }

  /// Lets operations fail; `nil`: none.
  public func fail(_ fault: Fault?) { state.withLock { $0.fault = fault } }

  /// Whether syncs do nothing from now on, as on a disk that says to have written what it has not.
  public func ignoreSyncs(_ ignores: Bool) { state.withLock { $0.ignoresSyncs = ignores } }

  // MARK: For the VFS

  /// Counts an operation that begins.
  /// - Returns: SQLite's code of the error by which it fails; `nil`: it takes place.
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

  /// Records that a path was opened, and made if there was no file.
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

  /// - Parameter isFolder: whether the names of the folder are synced with the file.
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
