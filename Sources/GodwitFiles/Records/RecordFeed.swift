package import Foundation
package import GodwitModel

/// Reads a file or a pipe piece by piece into a stream of records.
package struct RecordFeed {
  package let handle: FileHandle
  package let stream: RecordStream
  /// The number of bytes read, including those before a checkpoint.
  package var position = 0
  private var pending: (any Error)?
  private var hasEnded = false

  private static let pieceSize = 256 << 10
  private static let compressedPieceSize = 8 << 10

  package init(_ handle: FileHandle, into stream: RecordStream) { (self.handle, self.stream) = (handle, stream) }

  /// Returns the next records, in the order of the file; `nil` at its end.
  /// - Throws: the error of the file or the stream, once, after the records before it.
  package mutating func next() throws -> [Record]? {
    while true {
      if let records = stream.next() { return records }
      if let error = pending {
        (pending, hasEnded) = (nil, true)
        throw error
      }
      guard !hasEnded else { return nil }
      do { try feed() } catch { pending = error }
    }
  }

  private mutating func feed() throws {
    // Decompressed data may be hundreds of times larger, and all records of a piece are in memory.
    let isCompressed = stream.format == .gzip || stream.format == .zip
    let piece = try handle.read(upToCount: isCompressed ? Self.compressedPieceSize : Self.pieceSize) ?? Data()
    position += piece.count
    if piece.isEmpty {
      hasEnded = true
      try stream.finish()
    } else {
      try piece.withUnsafeBytes { try stream.feed($0.bindMemory(to: UInt8.self)) }
    }
  }
}
