internal import CZlib

/// Decompresses deflate data (RFC 1951) piece by piece. A class, because zlib keeps a pointer to its state.
final class Inflater {
  enum Wrapping: Int32 {
    /// Raw deflate data, as in zip archives.
    case none = -15
    /// The gzip format (RFC 1952).
    case gzip = 31
  }
  enum Problem: Error {
    case damaged
    case memory
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private let isReady: Bool
  private var output = [UInt8](repeating: 0, count: 256 << 10)
  /// Whether the end of the compressed data was reached.
  private(set) var isOver = false
  /// The number of decompressed bytes.
  private(set) var count = 0

  init(_ wrapping: Wrapping) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    isReady = inflateInit2_(stream, wrapping.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Resets the decompressor for another member of the same file.
  func reset() {
    inflateReset(stream)
    isOver = false
  }

  /// Decompresses a piece.
  /// - Parameters:
  ///   - bytes: the next compressed bytes.
  ///   - body: gets the decompressed bytes; returns `false` to stop.
  /// - Returns: the number of consumed bytes; fewer than all if the compressed data ended or `body` stopped the
  ///   decompression.
  func decompress(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Bool
  ) throws(Problem) -> Int {
    guard isReady else { throw .memory }
    guard let base = bytes.baseAddress, !isOver else { return 0 }
    // zlib only reads the input, although its declaration is not const.
    stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
    stream.pointee.avail_in = UInt32(bytes.count)
    var status = Z_OK
    var shouldContinue = true
    repeat {
      let capacity = output.count
      let made = output.withUnsafeMutableBufferPointer { buffer -> Int in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(capacity)
        status = inflate(stream, Z_NO_FLUSH)
        return capacity - Int(stream.pointee.avail_out)
      }
      guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { throw .damaged }
      if made > 0 {
        count += made
        shouldContinue = output.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<made])) }
      }
      isOver = status == Z_STREAM_END
    } while shouldContinue && !isOver && status == Z_OK && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
    return bytes.count - Int(stream.pointee.avail_in)
  }
}

/// The checksum of zip archives (CRC-32 of ISO 3309).
struct Checksum {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    value = UInt32(truncatingIfNeeded: crc32(UInt(value), bytes.baseAddress, UInt32(bytes.count)))
  }
}
