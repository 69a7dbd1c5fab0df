/// Checks a write-ahead log before SQLite recovers from it. SQLite recovers the frames before the first one that does not match its
/// checksum, and ignores all later frames.
///
/// A power cut leaves such a frame only in the last transaction, because each commit is synced before the next transaction is
/// written. If an intact frame follows the end of the transaction with the mismatch, or the end of a later transaction, the file
/// was damaged afterwards. Damage within the last transaction cannot be distinguished from a power cut.
///
/// Transactions that were not committed, because a sync failed, may have left intact frames after the last committed transaction.
/// None of these frames follows the end of a transaction: its checksum would include that of the transaction's end.
struct LogScan {
  let log: PlainFile
  /// Bytes of a page of the database; `nil` if unknown.
  let pageSize: Int?

  /// The header of a frame: SQLite's file format, 4.1.
  private struct Frame {
    /// Whether the frame is the last one of a transaction.
    var isCommit: Bool
    /// The two salts of the log. They change when the log is restarted.
    var salts: UInt64
    /// The checksum of the frame, as stored and as computed.
    var stored: PageChecksum
    var computed: PageChecksum
    /// The checksum that is computed if the stored checksum of the previous frame is assumed to be damaged.
    var otherwise: PageChecksum

    var matches: Bool { stored == computed || stored == otherwise }
  }

  private static let magic: UInt32 = 0x377F_0682

  /// The first frame, from 1, that was damaged after a later transaction was written; 0 if the header of the log is damaged; `nil`
  /// if neither is the case.
  func damagedFrame() -> Int64? {
    withUnsafeTemporaryAllocation(byteCount: Int(CheckedFile.logHeader), alignment: 8) { header in
      guard log.size > CheckedFile.logHeader, log.read(header, 0) else { return nil }
      let isBigEndian = header.number(at: 0) & 1 == 1
      let stored = PageChecksum(first: header.number(at: 24), second: header.number(at: 28))
      var computed = PageChecksum(first: 0, second: 0)
      computed.add(UnsafeRawBufferPointer(rebasing: header.prefix(24)), isBigEndian: isBigEndian)
      let isIntact = header.number(at: 0) & ~1 == Self.magic && stored == computed
      let salts = UInt64(header.number(at: 16)) << 32 | UInt64(header.number(at: 20))
      let pageSize = isIntact ? (header.number(at: 8) == 1 ? 65_536 : Int(header.number(at: 8))) : self.pageSize
      guard let pageSize, PageLayout.isPageSize(pageSize) else { return nil }
      return withUnsafeTemporaryAllocation(byteCount: pageSize + Int(CheckedFile.frameHeader), alignment: 8) { buffer in
        func frames(_ isBigEndian: Bool) -> Frames {
          Frames(log: log, size: log.size, buffer: buffer, isBigEndian: isBigEndian, last: (stored, computed))
        }
        if isIntact { return damagedFrame(frames(isBigEndian), salts: salts) }
        return hasMatch(frames(false)) || hasMatch(frames(true)) ? 0 : nil
      }
    }
  }

  private func damagedFrame(_ frames: consuming Frames, salts: UInt64) -> Int64? {
    var number: Int64 = 0
    var damaged: Int64?
    var followsCommit = false
    while let frame = frames.next() {
      number += 1
      let isIntact = frame.matches && frame.salts == salts
      if let damaged, isIntact, followsCommit { return damaged }
      if damaged == nil, !isIntact { damaged = number }
      // Either the whole header of a frame is in one sector, or its salts are in one sector and the rest is in the sector of the
      // intact frame before it.
      followsCommit = frame.isCommit && (frame.salts == salts || frame.matches)
    }
    return nil
  }

  /// Whether a log whose header does not match its checksum has an intact frame after the first. A power cut does not cause this:
  /// the header is in one sector, which is written completely or not at all.
  private func hasMatch(_ frames: consuming Frames) -> Bool {
    _ = frames.next()
    while let frame = frames.next() { if frame.matches { return true } }
    return false
  }

  /// The frames of a log, in order.
  private struct Frames {
    let log: PlainFile
    /// Bytes of the log.
    let size: Int64
    /// Memory for one frame with its header.
    let buffer: UnsafeMutableRawBufferPointer
    let isBigEndian: Bool
    /// The checksum of the previous frame, as stored and as computed.
    var last: (stored: PageChecksum, computed: PageChecksum)
    var offset = CheckedFile.logHeader

    mutating func next() -> Frame? {
      guard offset + Int64(buffer.count) <= size, log.read(buffer, offset) else { return nil }
      offset += Int64(buffer.count)
      let stored = PageChecksum(first: buffer.number(at: 16), second: buffer.number(at: 20))
      let computed = sum(from: last.stored)
      let otherwise = last.stored == last.computed ? computed : sum(from: last.computed)
      last = (stored, otherwise == stored ? otherwise : computed)
      return Frame(
        isCommit: buffer.number(at: 4) != 0, salts: UInt64(buffer.number(at: 8)) << 32 | UInt64(buffer.number(at: 12)),
        stored: stored, computed: computed,
        otherwise: otherwise)
    }

    private func sum(from start: PageChecksum) -> PageChecksum {
      var sum = start
      sum.add(UnsafeRawBufferPointer(rebasing: buffer.prefix(8)), isBigEndian: isBigEndian)
      sum.add(UnsafeRawBufferPointer(rebasing: buffer.dropFirst(Int(CheckedFile.frameHeader))), isBigEndian: isBigEndian)
      return sum
    }
  }
}
