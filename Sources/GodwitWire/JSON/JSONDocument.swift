package import GodwitText

/// A whole text of JSON. Where it is wrong, the error names the format, the byte, the line and the path.
package struct JSONDocument {
  /// The text, and the zero bytes that must follow it.
  private let bytes: [UInt8]
  /// Bytes of the text.
  private let count: Int
  private let format: String
  private let maximumRecords: Int

  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - format: its name in errors.
  ///   - maximumRecords: that it may have.
  package init(_ bytes: consuming [UInt8], format: String, maximumRecords: Int = RecordLimits.records) {
    count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    self.bytes = bytes
    self.format = format
    self.maximumRecords = maximumRecords
  }

  /// Reads the text, and turns a fault into an error.
  /// - Parameter body: reads all of it; what follows behind it is a fault.
  /// - Throws: `FormatError`.
  package func read<Value>(
    _ body: (inout JSONReader) throws(JSONReader.Fault) -> Value
  ) throws(FormatError) -> Value {
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<Value, FormatError> in
      guard let base = buffer.baseAddress else {
        return .failure(FormatError(format: format, place: FormatError.Place(byte: 0), reason: "the text is empty"))
      }
      var json = JSONReader(base: base, count: count)
      json.maximumRecords = maximumRecords
      do throws(JSONReader.Fault) {
        let value = try body(&json)
        try json.finish()
        return .success(value)
      } catch {
        return .failure(error.formatError(format, in: UnsafeBufferPointer(rebasing: buffer[..<count])))
      }
    }
    return try result.get()
  }
}

extension JSONReader.Fault {
  /// The same, seen from one level above.
  func below(_ part: String) -> JSONReader.Fault {
    var fault = self
    fault.path = part + path
    return fault
  }

  /// - Parameters:
  ///   - format: its name.
  ///   - bytes: the text; the line is counted where it has more than one.
  func formatError(_ format: String, in bytes: UnsafeBufferPointer<UInt8>) -> FormatError {
    var line: Int?
    if bytes.contains(0x0A) { line = bytes.prefix(offset).reduce(into: 1) { $0 += $1 == 0x0A ? 1 : 0 } }
    let path = path.hasPrefix(".") ? String(path.dropFirst()) : path
    return FormatError(
      format: format, place: FormatError.Place(byte: offset, line: line, path: path.isEmpty ? nil : path), reason: reason,
      isLimit: isLimit)
  }
}
