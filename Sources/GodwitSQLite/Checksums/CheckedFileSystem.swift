internal import CSQLite

/// A VFS of SQLite (<https://sqlite.org/vfs.html>) that adds a checksum to each page. It wraps the VFS of the system.
///
/// The last bytes of each page of the database file contain the page's checksum. It is written and checked by this VFS, between
/// SQLite and the disk. Frames of the write-ahead log have SQLite's own checksums, which are checked at each read, too. A mismatch
/// is reported as `SQLITE_IOERR_DATA`. A database without checksums is read and written unchanged.
enum CheckedFileSystem {
  /// The name of the VFS that wraps the system's VFS; `nil` if SQLite has no VFS to wrap, or rejected this one.
  static let name: String? = register(over: nil)
  /// The error for a page that does not match its checksum: `SQLITE_IOERR_DATA`, a macro that Swift does not import.
  static let checksumMismatch = SQLITE_IOERR | 32 << 8

  /// The layout of the copy that is being written. SQLite writes the first page, which contains the layout, after all others.
  @TaskLocal static var layoutOfCopy: PageLayout?

  /// Allocated once, and never changed afterwards.
  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: table)
    return UnsafePointer(methods)
  }()

  /// A VFS as SQLite knows it, followed by the VFS that it wraps.
  private struct Layer {
    var vfs: sqlite3_vfs
    var system: UnsafeMutablePointer<sqlite3_vfs>
  }

  /// Registers a VFS until the end of the process.
  /// - Parameter system: the name of the wrapped VFS; `nil`: the default VFS of the system.
  /// - Returns: the name of the new VFS; `nil` if there is no VFS to wrap, or SQLite rejected the new one.
  static func register(over system: String?) -> String? {
    guard let found = sqlite3_vfs_find(system) else { return nil }
    let name = system.map { "godwit over \($0)" } ?? "godwit"
    // The functions of the wrapped VFS are used with the members that they expect. Only the size of a file and the function that
    // opens it differ.
    let layer = UnsafeMutablePointer<Layer>.allocate(capacity: 1)
    layer.initialize(to: Layer(vfs: found.pointee, system: found))
    layer.pointee.vfs.szOsFile += Int32(OpenFile.size)
    layer.pointee.vfs.zName = persistent(name)
    layer.pointee.vfs.pNext = nil
    layer.pointee.vfs.xOpen = open
    // The VFS is the first member of the layer.
    let vfs = UnsafeMutableRawPointer(layer).assumingMemoryBound(to: sqlite3_vfs.self)
    return sqlite3_vfs_register(vfs, 0) == SQLITE_OK ? name : nil
  }

  /// Returns a C string that is valid until the end of the process.
  private static func persistent(_ text: String) -> UnsafePointer<CChar>? {
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
    _ = copy.initialize(from: text.utf8CString)
    return UnsafePointer(copy.baseAddress)
  }

  /// The memory that SQLite allocates for a file: the methods, a ``CheckedFile``, and after them the file of the wrapped VFS.
  private struct OpenFile {
    var base: sqlite3_file
    var state: Unmanaged<CheckedFile>?

    /// Bytes before the file of the wrapped VFS.
    static let size = (MemoryLayout<OpenFile>.size + 15) & ~15

    static func state(_ file: UnsafeMutablePointer<sqlite3_file>?) -> CheckedFile? {
      file.flatMap { at($0).pointee.state?.takeUnretainedValue() }
    }

    static func at(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<OpenFile> {
      UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self)
    }

    /// The file of the wrapped VFS.
    static func inner(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
      (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
    }
  }

  /// The state of the database file that a connection has open; `nil` if the file is not checked.
  static func file(of handle: OpaquePointer) -> CheckedFile? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK else { return nil }
    return isOurs(file) ? OpenFile.state(file) : nil
  }

  /// The database file that a connection has open, without checks.
  static func plainFile(of handle: OpaquePointer) -> PlainFile? { plainFile(SQLITE_FCNTL_FILE_POINTER, of: handle) }

  /// The write-ahead log that a connection has open, without checks.
  static func plainLog(of handle: OpaquePointer) -> PlainFile? { plainFile(SQLITE_FCNTL_JOURNAL_POINTER, of: handle) }

  private static func plainFile(_ which: Int32, of handle: OpaquePointer) -> PlainFile? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", which, &file) == SQLITE_OK, isOurs(file) else { return nil }
    return file.map { PlainFile(inner: OpenFile.inner($0)) }
  }

  private static func isOurs(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Bool {
    file?.pointee.pMethods == methods
  }

  // MARK: Opening

  private static let open:
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vfs>?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_file>?, Int32,
      UnsafeMutablePointer<Int32>?
    ) -> Int32 = { vfs, name, file, flags, outFlags in
      guard let vfs, let file else { return SQLITE_CANTOPEN }
      let system = UnsafeMutableRawPointer(vfs).assumingMemoryBound(to: Layer.self).pointee.system
      guard let systemOpen = system.pointee.xOpen else { return SQLITE_CANTOPEN }
      guard let name, flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL) != 0 else {
        return systemOpen(system, name, file, flags, outFlags)
      }
      let code = systemOpen(system, name, OpenFile.inner(file), flags, outFlags)
      let place = OpenFile.at(file)
      guard code == SQLITE_OK else {
        place.initialize(to: OpenFile(base: sqlite3_file(pMethods: nil), state: nil))
        return code
      }
      var state = CheckedFile(.database, path: String(cString: name), layout: layoutOfCopy)
      if flags & SQLITE_OPEN_WAL != 0 {
        let database = sqlite3_database_file_object(name)
        state = CheckedFile(
          .log(of: isOurs(database) ? OpenFile.state(database) : nil), path: String(cString: sqlite3_filename_database(name)))
      }
      place.initialize(
        to: OpenFile(base: sqlite3_file(pMethods: methods), state: Unmanaged.passRetained(state)))
      return code
    }

  // MARK: Reading and writing

  private static func read(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    guard let file, let buffer, let state = OpenFile.state(file) else { return SQLITE_IOERR }
    let inner = OpenFile.inner(file)
    guard let systemRead = inner.pointee.pMethods?.pointee.xRead else { return SQLITE_IOERR }
    let code = systemRead(inner, buffer, count, offset)
    guard code == SQLITE_OK else { return code }
    let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
    let isIntact =
      switch state.kind {
      case .database: state.hasRead(bytes, at: offset)
      case .log: state.hasReadLog(UnsafeRawBufferPointer(bytes), at: offset, from: PlainFile(inner: inner))
      }
    guard isIntact else { return checksumMismatch }
    // A process that crashed may have left transactions that were not synced. They must be synced before the next transaction is
    // written: LogScan relies on this order. They must also be synced before a tracker sends their records, because after a power
    // cut it would use the sequence numbers of these records again.
    return state.isRecovery(bytes.count, at: offset) ? PlainFile(inner: inner).sync() : SQLITE_OK
  }

  private static func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ buffer: UnsafeRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    guard let file, let buffer, let state = OpenFile.state(file) else { return SQLITE_IOERR }
    let inner = OpenFile.inner(file)
    guard let systemWrite = inner.pointee.pMethods?.pointee.xWrite else { return SQLITE_IOERR }
    let bytes = UnsafeRawBufferPointer(start: buffer, count: Int(count))
    if case .database = state.kind, state.isPage(bytes.count, at: offset) {
      // The page is copied, because SQLite's own copy must not change.
      return withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 16) { page in
        page.copyMemory(from: bytes)
        state.prepareWrite(page, at: offset)
        return systemWrite(inner, page.baseAddress, count, offset)
      }
    }
    let code = systemWrite(inner, buffer, count, offset)
    if case .log = state.kind { state.hasWritten(bytes, at: offset) }
    return code
  }

  // MARK: Forwarding

  /// Calls a method of the wrapped file.
  private static func forward(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ failure: Int32,
    _ body: (sqlite3_io_methods, UnsafeMutablePointer<sqlite3_file>) -> Int32?
  ) -> Int32 {
    guard let file else { return failure }
    let inner = OpenFile.inner(file)
    guard let methods = inner.pointee.pMethods?.pointee else { return failure }
    return body(methods, inner) ?? failure
  }

  private static var table: sqlite3_io_methods {
    sqlite3_io_methods(
      // Version 2 of the methods has no memory mapping, with which pages would be read unchecked.
      iVersion: 2,
      xClose: { file in
        guard let file else { return SQLITE_OK }
        CheckedFileSystem.OpenFile.at(file).pointee.state?.release()
        CheckedFileSystem.OpenFile.at(file).pointee.state = nil
        return CheckedFileSystem.forward(file, SQLITE_OK) { $0.xClose?($1) }
      },
      xRead: { CheckedFileSystem.read($0, $1, $2, $3) },
      xWrite: { CheckedFileSystem.write($0, $1, $2, $3) },
      xTruncate: { file, size in CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xTruncate?($1, size) } },
      xSync: { file, flags in CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xSync?($1, flags) } },
      xFileSize: { file, size in CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xFileSize?($1, size) } },
      xLock: { file, level in CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xLock?($1, level) } },
      xUnlock: { file, level in CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xUnlock?($1, level) } },
      xCheckReservedLock: { file, result in CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xCheckReservedLock?($1, result) }
      },
      xFileControl: { file, operation, argument in
        CheckedFileSystem.forward(file, SQLITE_NOTFOUND) { $0.xFileControl?($1, operation, argument) }
      },
      xSectorSize: { file in CheckedFileSystem.forward(file, 4096) { $0.xSectorSize?($1) } },
      // Removes the flag with which SQLite would read parts of pages (SQLITE_IOCAP_SUBPAGE_READ).
      xDeviceCharacteristics: { file in CheckedFileSystem.forward(file, 0) { $0.xDeviceCharacteristics?($1) } & ~0x8000 },
      xShmMap: { file, region, size, extend, memory in
        CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xShmMap?($1, region, size, extend, memory) }
      },
      xShmLock: { file, offset, count, flags in
        CheckedFileSystem.forward(file, SQLITE_IOERR) { $0.xShmLock?($1, offset, count, flags) }
      },
      xShmBarrier: { file in
        _ = CheckedFileSystem.forward(file, 0) {
          $0.xShmBarrier?($1)
          return 0
        }
      },
      xShmUnmap: { file, delete in CheckedFileSystem.forward(file, SQLITE_OK) { $0.xShmUnmap?($1, delete) } },
      xFetch: nil,
      xUnfetch: nil)
  }
}

/// A file of the wrapped VFS, which is read without checks.
struct PlainFile {
  fileprivate let inner: UnsafeMutablePointer<sqlite3_file>

  /// Bytes of the file; 0 if the size is unknown.
  var size: Int64 {
    var size: Int64 = 0
    return inner.pointee.pMethods?.pointee.xFileSize?(inner, &size) == SQLITE_OK ? size : 0
  }

  /// Fills a buffer with bytes from an offset; `false` if the file has fewer bytes or reading fails.
  func read(_ bytes: UnsafeMutableRawBufferPointer, _ offset: Int64) -> Bool {
    guard let read = inner.pointee.pMethods?.pointee.xRead, let count = Int32(exactly: bytes.count) else { return false }
    return read(inner, bytes.baseAddress, count, offset) == SQLITE_OK
  }

  /// Syncs the file to the disk. - Returns: SQLite's result code.
  func sync() -> Int32 { inner.pointee.pMethods?.pointee.xSync?(inner, SQLITE_SYNC_FULL) ?? SQLITE_IOERR }

  /// The frames of the log, from 1, that no checkpoint has written to this database file yet; `nil` if there are none or they are
  /// unknown. Their numbers are in the shared memory of the connections (SQLite's "WAL-Mode File Format", 2.1).
  var framesToCheckpoint: ClosedRange<UInt32>? {
    var memory: UnsafeMutableRawPointer?
    let code = inner.pointee.pMethods?.pointee.xShmMap?(inner, 0, 32 << 10, 0, &memory)
    guard code == SQLITE_OK, let memory else { return nil }
    let (last, written) = (memory.load(fromByteOffset: 16, as: UInt32.self), memory.load(fromByteOffset: 96, as: UInt32.self))
    return written < last ? written + 1...last : nil
  }
}
