internal import CZstd

/// Frames of Zstandard (RFC 8878). The size of each before compression stands beside it in the block.
///
/// An instance has the memory of zstd, which is reused for all parts of a block.
final class Zstandard {
  /// 1 is the fastest regular level. On columns of recorded tracks, level 9 is as large and half as fast.
  private static let level: Int32 = 1

  private let compressor: OpaquePointer?
  private let decompressor: OpaquePointer?

  private init(compressor: OpaquePointer?, decompressor: OpaquePointer?) {
    (self.compressor, self.decompressor) = (compressor, decompressor)
  }

  static func forCompression() -> Zstandard { Zstandard(compressor: ZSTD_createCCtx(), decompressor: nil) }

  static func forDecompression() -> Zstandard { Zstandard(compressor: nil, decompressor: ZSTD_createDCtx()) }

  deinit {
    ZSTD_freeCCtx(compressor)
    ZSTD_freeDCtx(decompressor)
  }

  /// - Returns: the frame, or `nil` if it is not smaller than the bytes.
  func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard let compressor else { return nil }
    let room = ZSTD_compressBound(bytes.count)
    let frame = [UInt8](unsafeUninitializedCapacity: room) { frame, filled in
      let size = ZSTD_compressCCtx(compressor, frame.baseAddress, room, bytes, bytes.count, Self.level)
      filled = ZSTD_isError(size) == 0 ? size : 0
    }
    return frame.isEmpty || frame.count >= bytes.count ? nil : frame
  }

  /// - Parameter size: bytes of the result; it is allocated before anything is read, so the caller limits it.
  func decompressed(_ frame: UnsafeRawBufferPointer, size: Int) throws(ColumnDamage) -> [UInt8] {
    // A block of a frame has three bytes or more and becomes at most 128 KiB.
    guard size <= (frame.count / 3 + 1) << 17 else { throw ColumnDamage("a part has fewer bytes than its content needs") }
    guard let decompressor else { throw ColumnDamage("there is no memory to decompress it") }
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { bytes, filled in
      let written = ZSTD_decompressDCtx(decompressor, bytes.baseAddress, size, frame.baseAddress, frame.count)
      filled = ZSTD_isError(written) == 0 ? min(written, size) : 0
    }
    guard bytes.count == size, size > 0 else { throw ColumnDamage("a part cannot be decompressed") }
    return bytes
  }
}
