internal import CZlib
internal import Foundation

/// Decompresses a request body within a limit, because a small body can expand to a huge one.
package enum RequestBody {
  /// Maximum bytes of a small compressed body, and its maximum bytes after decompression.
  package static let smallSize = 64 << 10
  package static let smallUnpackedSize = 4 << 20
  /// Maximum ratio of the decompressed size to the compressed size of a larger body. For 40,000 records of OpenLocate, the
  /// ratio is 28 if the device moves or its receiver has noise, 67 if the device stays at the same place, and 123 if only
  /// the time differs.
  package static let maximumRatio = 256

  /// Whether a body is compressed.
  /// - Parameter encoding: the header `Content-Encoding`.
  package static func isCompressed(_ encoding: String?) -> Bool { !["", "identity"].contains(encoding?.lowercased() ?? "") }

  /// - Parameter encoding: the header `Content-Encoding`.
  package static func decoded(_ body: [UInt8], encoding: String?, limit: Int) throws(Problem) -> [UInt8] {
    switch encoding?.lowercased() {
    case nil, "", "identity": return body
    case "gzip", "x-gzip", "deflate":
      let (size, isHuge) = body.count.multipliedReportingOverflow(by: maximumRatio)
      return try inflated(body, limit: min(limit, body.count <= smallSize ? smallUnpackedSize : isHuge ? limit : size))
    case let other?:
      throw Problem(
        415, "Unknown compression",
        "Content-Encoding is \"\(other)\"; this server reads gzip, deflate and plain bodies.")
    }
  }

  private static func inflated(_ body: [UInt8], limit: Int) throws(Problem) -> [UInt8] {
    var stream = z_stream()
    // 15 bits of window; 32 detects gzip or zlib.
    guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw Problem(503, "Out of memory", "The body could not be decompressed. Try again in a moment.", retryAfter: 5)
    }
    defer { inflateEnd(&stream) }
    var output: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    var input = body
    let problem: Problem? = input.withUnsafeMutableBufferPointer { source in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      while true {
        let (code, made) = chunk.withUnsafeMutableBufferPointer { buffer in
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          let code = inflate(&stream, Z_NO_FLUSH)
          return (code, buffer.count - Int(stream.avail_out))
        }
        // The capacity is doubled each time, up to the limit.
        let size = output.count + made
        if output.capacity < size { output.reserveCapacity(max(size, min(output.capacity * 2, limit))) }
        output.append(contentsOf: chunk[..<made])
        if output.count > limit {
          return Problem(
            413, "Body too large",
            "Decompressed, the body has more than \(limit) bytes. Send the records in several requests.")
        }
        switch code {
        case Z_STREAM_END:
          // A gzip file may have several members.
          if stream.avail_in == 0 { return nil }
          if inflateReset(&stream) != Z_OK { return broken(at: body.count - Int(stream.avail_in), stream.msg) }
        case Z_OK: if made == 0, stream.avail_in == 0 { return cut(body.count, output.count) }
        case Z_BUF_ERROR: return cut(body.count, output.count)
        default: return broken(at: body.count - Int(stream.avail_in), stream.msg)
        }
      }
    }
    if let problem { throw problem }
    return output
  }

  private static func cut(_ size: Int, _ made: Int) -> Problem {
    Problem(
      400, "Truncated body",
      "The compressed body is incomplete: it ends after \(size) bytes (\(made) bytes decompressed). Send it again.")
  }

  private static func broken(at byte: Int, _ message: UnsafeMutablePointer<CChar>?) -> Problem {
    let why = message.map { String(cString: $0) } ?? "not gzip and not zlib"
    return Problem(400, "Damaged body", "The compressed body is damaged at byte \(byte): \(why).")
  }
}
