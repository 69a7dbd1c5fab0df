internal import CZlib
internal import CZstd

/// The compression of directories and tiles of an archive, by its number in PMTiles.
package enum TileCompression: Int, Sendable {
  case none = 1
  case gzip = 2
  case zstd = 4

  /// Creates a compression from its number in the header.
  init(number: UInt8) throws(TileArchiveError) {
    guard let known = TileCompression(rawValue: Int(number)) else { throw .compression(Int(number)) }
    self = known
  }

  /// Decompresses a part.
  /// - Parameters:
  ///   - bytes: the part as stored.
  ///   - limit: maximum bytes of the result.
  ///   - part: the name of the part, for errors.
  /// - Throws: `damaged`, or `tooLarge` if the result would exceed `limit`.
  package func decompressed(_ bytes: [UInt8], limit: Int, part: String) throws(TileArchiveError) -> [UInt8] {
    switch self {
    case .none:
      guard bytes.count <= limit else { throw .tooLarge(part) }
      return bytes
    case .gzip: return try Self.inflated(bytes, limit: limit, part: part)
    case .zstd: return try Self.unpacked(bytes, limit: limit, part: part)
    }
  }

  /// Decompresses gzip (RFC 1952) with one member. The size in its last four bytes is only a hint.
  private static func inflated(_ bytes: [UInt8], limit: Int, part: String) throws(TileArchiveError) -> [UInt8] {
    guard bytes.count >= 18, bytes.count <= Int(UInt32.max) else { throw .damaged("\(part) is not gzip") }
    let hint = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    var stream = z_stream()
    guard inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw .damaged("\(part): no memory to decompress it")
    }
    defer { inflateEnd(&stream) }
    // One byte more than expected, to detect a larger result.
    var result = [UInt8](repeating: 0, count: min(max(hint, 64), limit, bytes.count * 1_032) + 1)
    var filled = 0
    var status = Z_OK
    while status == Z_OK {
      if filled == result.count {
        guard filled <= limit else { throw .tooLarge(part) }
        result.append(contentsOf: repeatElement(0, count: min(result.count, limit + 1 - filled)))
      }
      let space = result.count - filled
      let used = Int(stream.total_in)
      (status, filled) = bytes.withUnsafeBufferPointer { input in
        result.withUnsafeMutableBufferPointer { output in
          // zlib does not write to the input, although its declaration is not const.
          stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress.map { $0 + used })
          stream.avail_in = UInt32(input.count - used)
          stream.next_out = output.baseAddress.map { $0 + filled }
          stream.avail_out = UInt32(min(space, Int(UInt32.max)))
          let status = inflate(&stream, Z_NO_FLUSH)
          return (status, filled + min(space, Int(UInt32.max)) - Int(stream.avail_out))
        }
      }
    }
    guard status == Z_STREAM_END else { throw .damaged("the compressed data of \(part)") }
    guard filled <= limit else { throw .tooLarge(part) }
    result.removeLast(result.count - filled)
    return result
  }

  /// Decompresses Zstandard (RFC 8878) with one or more frames. Windows of more than 32 MiB are rejected; no tile needs one.
  private static func unpacked(_ bytes: [UInt8], limit: Int, part: String) throws(TileArchiveError) -> [UInt8] {
    guard let stream = ZSTD_createDStream() else { throw .damaged("\(part): no memory to decompress it") }
    defer { ZSTD_freeDStream(stream) }
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 25)
    var result = [UInt8](repeating: 0, count: min(max(bytes.count * 4, 1_024), limit) + 1)
    var (used, filled) = (0, 0)
    var state = bytes.isEmpty ? 1 : 0
    while used < bytes.count || state != 0 {
      if filled == result.count {
        guard filled <= limit else { throw .tooLarge(part) }
        result.append(contentsOf: repeatElement(0, count: min(result.count, limit + 1 - filled)))
      }
      let before = (used, filled)
      bytes.withUnsafeBytes { source in
        result.withUnsafeMutableBytes { target in
          var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: used)
          var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: filled)
          state = ZSTD_decompressStream(stream, &output, &input)
          (used, filled) = (input.pos, output.pos)
        }
      }
      // The input is invalid, or ends inside a frame.
      guard ZSTD_isError(state) == 0, before != (used, filled) else { throw .damaged("the compressed data of \(part)") }
    }
    guard filled <= limit else { throw .tooLarge(part) }
    result.removeLast(result.count - filled)
    return result
  }
}
