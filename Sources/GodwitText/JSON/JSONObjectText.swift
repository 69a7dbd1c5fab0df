/// The text of a JSON object that is stored as received.
package enum JSONObjectText {
  /// Returns the object without white space between its tokens; `nil` if it is empty or not a JSON object.
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

  /// Returns a validated object without white space between its tokens; `nil` if it is empty.
  package static func compacted(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let result = compact(bytes)
    return result.count > 2 ? result : nil
  }

  /// Returns any validated value without white space between its tokens.
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
