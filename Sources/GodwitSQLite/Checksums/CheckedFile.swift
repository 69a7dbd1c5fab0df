internal import CSQLite

/// The state of a checked file of SQLite. It belongs to one connection, and so to one thread at a time.
final class CheckedFile {
  /// The kind of the file.
  enum Kind {
    case database
    /// The write-ahead log of a database. SQLite gives its frames checksums, but compares them only during a recovery after a
    /// crash.
    case log(of: CheckedFile?)
  }

  let kind: Kind
  /// The full path of the database.
  let path: String
  /// The layout in the first page as it was last read or written, in the database or in its log.
  private(set) var layout: PageLayout?

  /// Whether each commit is synced before the next transaction is written.
  var syncsAll = true

  /// The offset at which the last write to the log ended.
  private var end: Int64?
  /// Frames whose checksum is not valid yet. After a page is written again within a transaction, the frames from this page on get
  /// their checksums when the transaction is committed.
  private var unsealed: Set<Int64> = []

  /// - Parameter layout: the layout of a new database whose first page is written after all others; `nil`: the layout is read from
  ///   the first page.
  init(_ kind: Kind, path: String, layout: PageLayout? = nil) {
    self.kind = kind
    self.path = path
    self.layout = layout
  }

  /// Whether each page of the database has a checksum.
  var hasChecksums: Bool { layout?.hasChecksums ?? false }

  /// Bytes before the first frame of a log, and bytes before the page in each frame: SQLite's file format, 4.1.
  static let logHeader: Int64 = 32
  static let frameHeader: Int64 = 24

  // MARK: The database

  /// Checks bytes that were read from the database.
  /// - Parameter bytes: the bytes as read. The write version in the header is changed to the one that SQLite expects.
  /// - Returns: `false` if a page does not match its checksum.
  func hasRead(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool {
    if offset == 0, bytes.count >= PageLayout.headerSize { return hasReadHeader(bytes) }
    guard hasChecksums, let number = pageNumber(bytes.count, offset) else { return true }
    return matches(UnsafeRawBufferPointer(bytes), number)
  }

  private func hasReadHeader(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
    let isPage = PageLayout.isPageSize(bytes.count)
    // A damaged page may have a header without the mark for checksums.
    let wasChecked = bytes[PageLayout.writeVersion] == PageLayout.checkedVersion
    let seen = PageLayout(UnsafeRawBufferPointer(bytes))
    // SQLite itself rejects a file that is not a database.
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

  /// Stores the checksum of a page in the page, before it is written to the database.
  func prepareWrite(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) {
    if offset == 0, let seen = PageLayout(UnsafeRawBufferPointer(bytes)) { layout = seen }
    guard hasChecksums, let number = pageNumber(bytes.count, offset) else { return }
    if offset == 0, bytes[PageLayout.writeVersion] == PageLayout.logVersion {
      bytes[PageLayout.writeVersion] = PageLayout.checkedVersion
    }
    PageChecksum(ofPage: UnsafeRawBufferPointer(bytes), number: number).store(in: bytes)
  }

  /// Whether a read or write of `count` bytes may be that of a page.
  func isPage(_ count: Int, at offset: Int64) -> Bool { pageNumber(count, offset) != nil }

  private func pageNumber(_ count: Int, _ offset: Int64) -> UInt32? {
    guard PageLayout.isPageSize(count), offset % Int64(count) == 0 else { return nil }
    return UInt32(exactly: offset / Int64(count) + 1)
  }

  // MARK: The log

  /// Records a write to the log.
  func hasWritten(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    if let frame = frame(ofPageAt: offset, bytes.count) {
      // A new frame is written header first, so that its page begins where the last write ended. Otherwise the page of an existing
      // frame is written again.
      if end != offset { unsealed.insert(frame) }
      recordFirstPage(bytes)
    } else if let size = pageSize, offset >= Self.logHeader, bytes.count == Int(Self.frameHeader) {
      let (frame, rest) = (offset - Self.logHeader).quotientAndRemainder(dividingBy: Self.frameHeader + Int64(size))
      // After a page was written again, SQLite writes headers with zeros until the transaction is committed.
      if rest == 0 {
        if bytes.dropFirst(8).contains(where: { $0 != 0 }) { unsealed.remove(frame) } else { unsealed.insert(frame) }
      }
    }
    end = offset + Int64(bytes.count)
  }

  /// Checks bytes that were read from the log: a page is compared with the checksum in the header of its frame. SQLite reads the
  /// header of the log when it begins a recovery; then the whole log is checked.
  /// - Returns: `false` if the bytes do not match a checksum.
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

  /// Whether a read begins a recovery from the log.
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

  /// Records the layout of a first page in the log, which is newer than that of the database file.
  private func recordFirstPage(_ page: UnsafeRawBufferPointer) {
    // Only the first page begins with this header: a page of a B-tree begins with its kind, any other page with the number of the
    // next page.
    guard case .log(let database) = kind, let seen = PageLayout(page) else { return }
    database?.layout = seen
  }

  /// Bytes of a page in the log; `nil` if they are unknown.
  private var pageSize: Int? { if case .log(let database) = kind { database?.layout?.pageSize } else { nil } }

  /// The number of the frame, from 0, whose page is at an offset; `nil` if no whole page is there.
  private func frame(ofPageAt offset: Int64, _ count: Int) -> Int64? {
    guard PageLayout.isPageSize(count), offset >= Self.logHeader else { return nil }
    let (frame, rest) = (offset - Self.logHeader).quotientAndRemainder(dividingBy: Self.frameHeader + Int64(count))
    return rest == Self.frameHeader ? frame : nil
  }
}
