internal import CZstd

/// Compresses and decompresses frames of Zstandard (RFC 8878). The block contains the uncompressed size of each frame.
///
/// An instance owns the memory of zstd, which is reused for all parts of a block.
final class Zstandard {
  /// 1 is the fastest regular level. For columns of recorded tracks, level 9 gives the same size at half the speed.
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

  /// Compresses bytes. - Returns: the frame; `nil` if it is not smaller than the bytes.
  func compressed(_ bytes: [UInt8]) -> [UInt8]? {
    guard let compressor else { return nil }
    let room = ZSTD_compressBound(bytes.count)
    let frame = [UInt8](unsafeUninitializedCapacity: room) { frame, filled in
      let size = ZSTD_compressCCtx(compressor, frame.baseAddress, room, bytes, bytes.count, Self.level)
      filled = ZSTD_isError(size) == 0 ? size : 0
    }
    return frame.isEmpty || frame.count >= bytes.count ? nil : frame
  }

  /// - Parameter size: the number of bytes of the result. They are allocated before the frame is read, so the caller must limit the
  ///   number.
  func decompressed(_ frame: UnsafeRawBufferPointer, size: Int) throws(ColumnDamage) -> [UInt8] {
    // Each block of a frame has at least three bytes, and decompresses to at most 128 KiB.
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
