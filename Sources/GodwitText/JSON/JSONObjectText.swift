/// The text of a JSON object that is kept as it came.
package enum JSONObjectText {
  /// Without the white space between its tokens; `nil` where it is empty or no JSON object.
  package static func compacted(_ text: String) -> [UInt8]? {
    var bytes = Array(text.utf8)
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    return bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return nil }
      var reader = JSONReader(base: base, count: count)
      guard reader.peek() == UInt8(ascii: "{") else { return nil }
      do throws(JSONReader.Fault) {
        let range = try reader.skipValue()
        try reader.finish()
        return compacted(UnsafeBufferPointer(rebasing: buffer[range]))
      } catch { return nil }
    }
  }

  /// The same of what has been validated.
  package static func compacted(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let result = compact(bytes)
    return result.count > 2 ? result : nil
  }

  /// Any value that has been validated, without the white space between its tokens.
  package static func compact(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var isInString = false
    var isEscaped = false
    for byte in bytes {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte <= 0x20 {
        continue
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      }
      result.append(byte)
    }
    return result
  }
}
