internal import CSQLite
internal import Synchronization

/// The VFS of SQLite (<https://sqlite.org/vfs.html>) that reports to the simulated disk of each file's folder.
enum DiskFileSystem {
  private static let disks = Mutex<[String: SimulatedDisk]>([:])

  static func add(_ disk: SimulatedDisk) { disks.withLock { $0[disk.folder] = disk } }
  static func remove(_ disk: SimulatedDisk) { disks.withLock { $0[disk.folder] = nil } }

  private static func disk(of path: String) -> SimulatedDisk? {
    path.lastIndex(of: "/").flatMap { end in disks.withLock { $0[String(path[..<end])] } }
  }

  /// Returns the error code of SQLite for a failed operation.
  static func code(_ operation: SimulatedDisk.Operation, isFull: Bool) -> Int32 {
    switch operation {
    case .open: SQLITE_CANTOPEN
    case .write: isFull ? SQLITE_FULL : SQLITE_IOERR | 3 << 8
    case .sync: SQLITE_IOERR | 4 << 8
    case .truncate: SQLITE_IOERR | 6 << 8
    case .delete: SQLITE_IOERR | 10 << 8
    case .map: SQLITE_IOERR | 21 << 8
    }
  }

  // MARK: Registration

  /// The name of the VFS.
  static let name: String = {
    guard let system = sqlite3_vfs_find(nil) else { return "" }
    let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    vfs.initialize(to: system.pointee)
    vfs.pointee.szOsFile += Int32(OpenFile.size)
    vfs.pointee.pNext = nil
    vfs.pointee.xOpen = open
    vfs.pointee.xDelete = delete
    let name = "godwit-test-disk"
    let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: name.utf8.count + 1)
    _ = text.initialize(from: name.utf8CString)
    vfs.pointee.zName = UnsafePointer(text.baseAddress)
    sqlite3_vfs_register(vfs, 0)
    return name
  }()

  /// The VFS of the system, which exists until the process ends.
  nonisolated(unsafe) private static let system = sqlite3_vfs_find(nil)

  /// The methods of a file, which are allocated once and not changed.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: table)
    return UnsafePointer(methods)
  }()

  // MARK: Files

  /// An open file of a connection, which is used by one thread at a time.
  private final class Recorded {
    let disk: SimulatedDisk
    /// `nil`: the file is not recorded.
    let number: Int?
    /// Whether the next sync also syncs the folder.
    var syncsFolder: Bool

    init(_ disk: SimulatedDisk, _ number: Int?, syncsFolder: Bool) {
      (self.disk, self.number, self.syncsFolder) = (disk, number, syncsFolder)
    }
  }

  /// The memory that SQLite allocates for a file: the methods, a ``Recorded``, and then the file of the system's VFS.
  private struct OpenFile {
    var base: sqlite3_file
    var recorded: Unmanaged<Recorded>?

    static let size = (MemoryLayout<OpenFile>.size + 15) & ~15

    static func at(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<OpenFile> {
      UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
    }

    static func inner(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
      (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
    }
  }

  private static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { _, name, file, flags, outFlags in
      guard let file, let system, let systemOpen = system.pointee.xOpen else { return SQLITE_CANTOPEN }
      // Temporary files have no name, and are not read after a power cut.
      guard let name, let disk = disk(of: String(cString: name)) else {
        return systemOpen(system, name, file, flags, outFlags)
      }
      let place = OpenFile.at(file)
      place.initialize(to: OpenFile(base: sqlite3_file(pMethods: nil), recorded: nil))
      if let code = disk.begin(.open) { return code }
      let code = systemOpen(system, name, OpenFile.inner(file), flags, outFlags)
      guard code == SQLITE_OK else { return code }
      // The same condition as in the VFS of the system.
      let syncsFolder = flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL) != 0 && flags & SQLITE_OPEN_CREATE != 0
      let recorded = Recorded(disk, disk.opened(String(cString: name)), syncsFolder: syncsFolder)
      place.initialize(
        to: OpenFile(base: sqlite3_file(pMethods: methods), recorded: Unmanaged.passRetained(recorded)))
      return code
    }

  private static let delete: @convention(c) (UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, Int32) -> Int32 = {
    _, name, isFolder in
    guard let name, let system, let systemDelete = system.pointee.xDelete else { return SQLITE_IOERR }
    guard let disk = disk(of: String(cString: name)) else { return systemDelete(system, name, isFolder) }
    if let code = disk.begin(.delete) { return code }
    // The folder of a simulated disk needs no sync.
    let code = systemDelete(system, name, 0)
    if code == SQLITE_OK { disk.deleted(String(cString: name), isFolder: isFolder != 0) }
    return code
  }

  /// Calls a method of the file of the system's VFS.
  private static func forward(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ failure: Int32 = SQLITE_IOERR,
    _ body: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32?
  ) -> Int32 {
    guard let file else { return failure }
    let inner = OpenFile.inner(file)
    guard let methods = inner.pointee.pMethods?.pointee else { return failure }
    return body(methods, inner) ?? failure
  }

  /// Performs an operation unless it is to fail, and records it if it succeeded.
  private static func perform(
    _ operation: SimulatedDisk.Operation, _ file: UnsafeMutablePointer<sqlite3_file>?,
    _ body: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32?,
    recording record: (SimulatedDisk, Int, Recorded) -> Void = { _, _, _ in }
  ) -> Int32 {
    let recorded = file.flatMap { OpenFile.at($0).pointee.recorded?.takeUnretainedValue() }
    if let recorded, let code = recorded.disk.begin(operation) { return code }
    let code = forward(file, SQLITE_IOERR, body)
    if code == SQLITE_OK, let recorded, let number = recorded.number { record(recorded.disk, number, recorded) }
    return code
  }

  private static var table: sqlite3_io_methods {
    sqlite3_io_methods(
      iVersion: 2,
      xClose: { file in
        guard let file else { return SQLITE_OK }
        DiskFileSystem.OpenFile.at(file).pointee.recorded?.release()
        DiskFileSystem.OpenFile.at(file).pointee.recorded = nil
        return DiskFileSystem.forward(file, SQLITE_OK) { $0.xClose?($1) }
      },
      xRead: { file, buffer, count, offset in DiskFileSystem.forward(file) { $0.xRead?($1, buffer, count, offset) } },
      xWrite: { file, buffer, count, offset in
        DiskFileSystem.perform(.write, file) {
          $0.xWrite?($1, buffer, count, offset)
        } recording: { disk, number, _ in
          let bytes = Array(UnsafeRawBufferPointer(start: buffer, count: Int(count)))
          disk.changed(number, .write(offset: Int(offset), bytes: bytes))
        }
      },
      xTruncate: { file, size in
        DiskFileSystem.perform(.truncate, file) {
          $0.xTruncate?($1, size)
        } recording: { disk, number, _ in
          disk.changed(number, .truncate(to: Int(size)))
        }
      },
      // The disk of the machine is not synced.
      xSync: { file, flags in
        DiskFileSystem.perform(.sync, file) { _, _ in
          SQLITE_OK
        } recording: { disk, number, recorded in
          disk.synced(number, isFolder: recorded.syncsFolder)
          recorded.syncsFolder = false
        }
      },
      xFileSize: { file, size in DiskFileSystem.forward(file) { $0.xFileSize?($1, size) } },
      xLock: { file, level in DiskFileSystem.forward(file) { $0.xLock?($1, level) } },
      xUnlock: { file, level in DiskFileSystem.forward(file) { $0.xUnlock?($1, level) } },
      xCheckReservedLock: { file, result in DiskFileSystem.forward(file) { $0.xCheckReservedLock?($1, result) } },
      xFileControl: { file, operation, argument in
        DiskFileSystem.forward(file, SQLITE_NOTFOUND) { $0.xFileControl?($1, operation, argument) }
      },
      xSectorSize: { file in DiskFileSystem.forward(file, 4096) { $0.xSectorSize?($1) } },
      xDeviceCharacteristics: { file in DiskFileSystem.forward(file, 0) { $0.xDeviceCharacteristics?($1) } },
      xShmMap: { file, region, size, extend, memory in
        DiskFileSystem.perform(.map, file) { $0.xShmMap?($1, region, size, extend, memory) }
      },
      xShmLock: { file, offset, count, flags in DiskFileSystem.forward(file) { $0.xShmLock?($1, offset, count, flags) } },
      xShmBarrier: { file in
        _ = DiskFileSystem.forward(file, 0) {
          $0.xShmBarrier?($1)
          return 0
        }
      },
      xShmUnmap: { file, delete in DiskFileSystem.forward(file, SQLITE_OK) { $0.xShmUnmap?($1, delete) } },
      xFetch: nil, xUnfetch: nil)
  }
}
