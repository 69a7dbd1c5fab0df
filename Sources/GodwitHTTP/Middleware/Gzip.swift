internal import CZlib
internal import Foundation

/// The gzip coding of bodies.
package enum Gzip {
  /// The compression level.
  package enum Level: Int32 {
    /// zlib's fastest level: half of the reduction in a fifth of the time.
    case fastest = 1
    /// zlib's best compression, for data that is compressed once.
    case smallest = 9
  }

  /// Whether a client accepts gzip (RFC 9110, 12.5.3).
  /// - Parameter header: `Accept-Encoding`.
  package static func isAccepted(_ header: String?) -> Bool {
    guard let header else { return false }
    return header.lowercased().split(separator: ",").contains { coding in
      let parts = coding.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.first == "gzip" || parts.first == "x-gzip" else { return false }
      return !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
    }
  }

  /// Returns the bytes as a gzip file; `nil` if zlib cannot allocate memory.
  package static func compressed(_ bytes: [UInt8], level: Level = .fastest) -> [UInt8]? {
    var stream = z_stream()
    // 15 bits of window; 16 selects gzip's header and trailer.
    guard
      deflateInit2_(
        &stream, level.rawValue, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = bytes
    let room = Int(deflateBound(&stream, UInt(bytes.count)))
    var isWhole = false
    let output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      input.withUnsafeMutableBufferPointer { source in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = buffer.baseAddress
        stream.avail_out = UInt32(buffer.count)
        isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = buffer.count - Int(stream.avail_out)
      }
    }
    return isWhole ? output : nil
  }
}
