internal import CSQLite

/// What a checked file of SQLite's knows of itself. It belongs to one connection, and so to one thread at a time.
final class CheckedFile {
  /// What the file is.
  enum Kind {
    case database
    /// The write-ahead log of a database. Its frames have checksums of SQLite's, which SQLite itself reads only after a crash.
    case log(of: CheckedFile?)
  }

  let kind: Kind
  /// The full path of the database.
  let path: String
  /// The first page as it was last seen, in the database or in its log.
  private(set) var layout: PageLayout?

  /// Whether each commit is synced before the next transaction is written.
  var syncsAll = true

  /// Where the last write to a log ended.
  private var end: Int64?
  /// Frames without a checksum: after a page is written again within a transaction, those from there on get theirs when it is committed.
  private var unsealed: Set<Int64> = []

  /// - Parameter layout: the layout of a new database whose other pages are written before the first; `nil`: the first page has it.
  init(_ kind: Kind, path: String, layout: PageLayout? = nil) {
    self.kind = kind
    self.path = path
    self.layout = layout
  }

  /// Whether each page of the database has a checksum.
  var hasChecksums: Bool { layout?.hasChecksums ?? false }

  /// Bytes before the first frame of a log, and before the page of each frame: SQLite's file format, 4.1.
  static let logHeader: Int64 = 32
  static let frameHeader: Int64 = 24

  // MARK: The database

  /// Checks what was read from the database.
  /// - Parameter bytes: as read. The version for writing becomes SQLite's own.
  /// - Returns: `false` if a page does not match its checksum.
  func hasRead(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
    if offset == 0, bytes.count >= PageLayout.headerSize { return hasReadHeader(bytes) }
    guard hasChecksums, let number = pageNumber(bytes.count, offset) else { return true }
    return matches(UnsafeRawBufferPointer(bytes), number)
  }

  private func hasReadHeader(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    let isPage = PageLayout.isPageSize(bytes.count)
    // The page may say by damage that it has no checksum.
    let wasChecked = bytes[PageLayout.writeVersion] == PageLayout.checkedVersion
    let seen = PageLayout(UnsafeRawBufferPointer(bytes))
    // SQLite itself rejects what is no database.
    if seen == nil, layout == nil { return true }
    if let seen { layout = seen }
    guard hasChecksums || wasChecked else { return true }
    guard !isPage || matches(UnsafeRawBufferPointer(bytes), 1) else { return false }
    if wasChecked { bytes[PageLayout.writeVersion] = PageLayout.logVersion }
    return true
  }

  private func matches(_ page: UnsafeRawBufferPointer, _ number: UInt32) -> Bool {
    if PageChecksum.matches(page, number: number) { return true }
    DamagedPages.record(DamagedPage(path: path, place: .page(number)))
    return false
  }

  /// Gives a page its checksum before it is written to the database.
  func prepareWrite(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) {
    if offset == 0, let seen = PageLayout(UnsafeRawBufferPointer(bytes)) { layout = seen }
    guard hasChecksums, let number = pageNumber(bytes.count, offset) else { return }
    if offset == 0, bytes[PageLayout.writeVersion] == PageLayout.logVersion {
      bytes[PageLayout.writeVersion] = PageLayout.checkedVersion
    }
    PageChecksum(ofPage: UnsafeRawBufferPointer(bytes), number: number).store(in: bytes)
  }

  /// Whether a write of so many bytes may be one of a page.
  func isPage(_ count: Int, at offset: Int64) -> Bool { pageNumber(count, offset) != nil }

  private func pageNumber(_ count: Int, _ offset: Int64) -> UInt32? {
    guard PageLayout.isPageSize(count), offset % Int64(count) == 0 else { return nil }
    return UInt32(exactly: offset / Int64(count) + 1)
  }

  // MARK: The log

  /// Records a write to the log.
  func hasWritten(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    if let frame = frame(ofPageAt: offset, bytes.count) {
      // The page of a new frame follows its header.
      if end != offset { unsealed.insert(frame) }
      recordFirstPage(bytes)
    } else if let size = pageSize, offset >= Self.logHeader, bytes.count == Int(Self.frameHeader) {
      let (frame, rest) = (offset - Self.logHeader).quotientAndRemainder(dividingBy: Self.frameHeader + Int64(size))
      // Behind a page that was written again, headers have zeros until the transaction is committed.
      if rest == 0 {
        if bytes.dropFirst(8).contains(where: { $0 != 0 }) { unsealed.remove(frame) } else { unsealed.insert(frame) }
      }
    }
    end = offset + Int64(bytes.count)
  }

  /// Checks what was read from the log: a page against the header of its frame. SQLite reads the header of the log when it recovers from
  /// it; then the whole log is checked.
  /// - Returns: `false` if it does not match.
  func hasReadLog(_ bytes: UnsafeRawBufferPointer, at offset: Int64, from log: PlainFile) -> Bool {
    if isRecovery(bytes.count, at: offset) {
      guard case .log(let database) = kind, database?.syncsAll ?? true,
        let damaged = LogScan(log: log, pageSize: pageSize).damagedFrame()
      else { return true }
      DamagedPages.record(DamagedPage(path: path, place: .frame(damaged)))
      return false
    }
    guard let frame = frame(ofPageAt: offset, bytes.count) else { return true }
    guard unsealed.contains(frame) || frameMatches(bytes, at: offset, frame, log) else {
      DamagedPages.record(DamagedPage(path: path, place: .frame(frame + 1)))
      return false
    }
    recordFirstPage(bytes)
    return true
  }

  /// Whether a read begins a recovery from a log.
  func isRecovery(_ count: Int, at offset: Int64) -> Bool {
    guard case .log = kind else { return false }
    return offset == 0 && count == Int(Self.logHeader)
  }

  private func frameMatches(
    _ page: UnsafeRawBufferPointer, at offset: Int64, _ frame: Int64, _ log: PlainFile
  ) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Int(Self.logHeader), alignment: 8) { header in
      guard log.read(header, 0) else { return false }
      let isBigEndian = header.number(at: 0) & 1 == 1
      var sum = PageChecksum(first: header.number(at: 24), second: header.number(at: 28))
      let headerPart = UnsafeMutableRawBufferPointer(rebasing: header.prefix(Int(Self.frameHeader)))
      if frame > 0 {
        guard log.read(headerPart, offset - 2 * Self.frameHeader - Int64(page.count)) else { return false }
        sum = PageChecksum(first: header.number(at: 16), second: header.number(at: 20))
      }
      guard log.read(headerPart, offset - Self.frameHeader) else { return false }
      sum.add(UnsafeRawBufferPointer(rebasing: headerPart.prefix(8)), isBigEndian: isBigEndian)
      sum.add(page, isBigEndian: isBigEndian)
      return sum == PageChecksum(first: header.number(at: 16), second: header.number(at: 20))
    }
  }

  /// The first page in the log is newer than that of the file.
  private func recordFirstPage(_ page: UnsafeRawBufferPointer) {
    // No other page begins as this one: a page of a tree begins with its kind, another one with the number of the next.
    guard case .log(let database) = kind, let seen = PageLayout(page) else { return }
    database?.layout = seen
  }

  /// Bytes of a page in the log.
  private var pageSize: Int? { if case .log(let database) = kind { database?.layout?.pageSize } else { nil } }

  /// The frame, from 0, whose page is at an offset; `nil`: it is no whole page.
  private func frame(ofPageAt offset: Int64, _ count: Int) -> Int64? {
    guard PageLayout.isPageSize(count), offset >= Self.logHeader else { return nil }
    let (frame, rest) = (offset - Self.logHeader).quotientAndRemainder(dividingBy: Self.frameHeader + Int64(count))
    return rest == Self.frameHeader ? frame : nil
  }
}
