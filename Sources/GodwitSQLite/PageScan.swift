internal import CSQLite

/// Reads each page of a database file from the disk and compares it with its checksum. Other programs may write to the file in the
/// meantime.
package enum PageScan {
  /// The result of a scan.
  package struct Result: Sendable, Hashable {
    /// Number of pages of the file.
    package var pages: Int64
    package var bytes: Int64
    /// The numbers of the pages that do not match, from 1, ascending.
    package var damaged: [UInt32]
    /// Whether the pages have checksums; `false`: nothing was compared.
    package var isProtected: Bool
  }

  /// Maximum bytes of one read.
  private static let chunk = 1 << 20
  /// Maximum reads of a page that another program may be writing at the same time.
  private static let attempts = 20

  /// - Parameters:
  ///   - path: the database file.
  ///   - syncsAll: as in ``Database/init(path:access:synchronous:syncsAll:)``.
  ///   - proceed: called before each read, with the number of bytes to read. May block in order to slow down the scan.
  /// - Throws: `SQLiteError` if the file cannot be opened or read, or if its write-ahead log is damaged.
  package static func run(
    _ path: String, syncsAll: Bool = true, proceed: (Int) -> Void = { _ in }
  ) throws(SQLiteError) -> Result {
    let database = try Database(path: path, access: .readOnly, syncsAll: syncsAll)
    // Reads the first page, and the log.
    _ = try database.integer("PRAGMA user_version")
    guard let file = CheckedFileSystem.plainFile(of: database.handle) else {
      throw database.error(SQLiteError.readFailed, sql: nil)
    }
    let size = file.size
    guard let pageSize = CheckedFileSystem.file(of: database.handle)?.layout?.pageSize, database.hasChecksums else {
      let pageSize = try database.integer("PRAGMA page_size") ?? 4096
      return Result(pages: size / max(1, pageSize), bytes: size, damaged: [], isProtected: false)
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(chunk, pageSize), alignment: 16)
    defer { buffer.deallocate() }
    let log = CheckedFileSystem.plainLog(of: database.handle)
    var damaged: [UInt32] = []
    var offset: Int64 = 0
    while offset + Int64(pageSize) <= size {
      let count = Int(min(Int64(buffer.count), size - offset)) / pageSize * pageSize
      proceed(count)
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count))
      guard file.read(part, offset) else { throw database.error(SQLiteError.readFailed, sql: nil) }
      for place in stride(from: 0, to: count, by: pageSize) {
        // SQLite supports at most 2^32 - 2 pages.
        let number = UInt32(clamping: (offset + Int64(place)) / Int64(pageSize) + 1)
        let page = UnsafeMutableRawBufferPointer(rebasing: part[place..<place + pageSize])
        if !matches(page, number, in: file, log) { damaged.append(number) }
      }
      offset += Int64(count)
    }
    if !damaged.isEmpty {
      let unused = unusedPages(of: file, pageSize)
      damaged.removeAll(where: unused.contains)
    }
    return Result(pages: size / Int64(pageSize), bytes: size, damaged: damaged, isProtected: true)
  }

  private static func matches(
    _ page: UnsafeMutableRawBufferPointer, _ number: UInt32, in file: PlainFile, _ log: PlainFile?
  ) -> Bool {
    if PageChecksum.matches(UnsafeRawBufferPointer(page), number: number) { return true }
    let offset = Int64(number - 1) * Int64(page.count)
    // SQLite never writes the page with the range that it locks.
    if offset == PageLayout.lockedOffset { return true }
    for _ in 0..<attempts {
      // A power cut during a checkpoint leaves torn pages. SQLite reads these pages from the log, and the next checkpoint writes
      // them again.
      if let log, isPage(number, inFramesToCheckpointOf: file, log, page.count) { return true }
      sqlite3_sleep(5)
      if file.read(page, offset), PageChecksum.matches(UnsafeRawBufferPointer(page), number: number) { return true }
    }
    return false
  }

  private static func isPage(
    _ number: UInt32, inFramesToCheckpointOf file: PlainFile, _ log: PlainFile, _ pageSize: Int
  ) -> Bool {
    guard let frames = file.framesToCheckpoint else { return false }
    return withUnsafeTemporaryAllocation(byteCount: 4, alignment: 4) { header in
      frames.contains { frame in
        let offset = CheckedFile.logHeader + Int64(frame - 1) * (CheckedFile.frameHeader + Int64(pageSize))
        return log.read(header, offset) && header.number(at: 0) == number
      }
    }
  }

  /// The leaf pages of the free list, which have no content (SQLite's file format, 1.5), and the pages after the end of the
  /// database. SQLite reads neither, and may never have written them.
  private static func unusedPages(of file: PlainFile, _ pageSize: Int) -> Set<UInt32> {
    withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 16) { page in
      guard file.read(page, 0) else { return [] }
      let count = page.number(at: 28)
      var (trunk, unused) = (page.number(at: 32), Set<UInt32>())
      if Int64(count) < file.size / Int64(pageSize) {
        unused.formUnion(count + 1...UInt32(clamping: file.size / Int64(pageSize)))
      }
      var trunks = page.number(at: 36)
      while trunk != 0, trunk <= count, trunks > 0, file.read(page, Int64(trunk - 1) * Int64(pageSize)) {
        guard PageChecksum.matches(UnsafeRawBufferPointer(page), number: trunk) else { break }
        for leaf in 0..<min(Int(page.number(at: 4)), pageSize / 4 - 2) { unused.insert(page.number(at: 8 + 4 * leaf)) }
        (trunk, trunks) = (page.number(at: 0), trunks - 1)
      }
      return unused
    }
  }
}
