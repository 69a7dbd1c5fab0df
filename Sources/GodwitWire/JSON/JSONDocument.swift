package import GodwitText

/// A complete JSON text. Errors contain the format, the byte, the line and the path.
package struct JSONDocument {
  /// The text, followed by the zero bytes that the reader requires.
  private let bytes: [UInt8]
  /// The size of the text in bytes.
  private let count: Int
  private let format: String
  private let maximumRecords: Int

  /// - Parameters:
  ///   - bytes: the complete text.
  ///   - format: the name of the format in errors.
  ///   - maximumRecords: the maximum number of records in the text.
  package init(_ bytes: consuming [UInt8], format: String, maximumRecords: Int = RecordLimits.records) {
    count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    self.bytes = bytes
    self.format = format
    self.maximumRecords = maximumRecords
  }

  /// Reads the text and converts a fault to an error.
  /// - Parameter body: reads the value. Text after the value is a fault.
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
  /// Returns the fault with `part` before its path.
  func below(_ part: String) -> JSONReader.Fault {
    var fault = self
    fault.path = part + path
    return fault
  }

  /// - Parameters:
  ///   - format: the name of the format.
  ///   - bytes: the text. The error has a line number if the text has more than one line.
  func formatError(_ format: String, in bytes: UnsafeBufferPointer<UInt8>) -> FormatError {
    var line: Int?
    if bytes.contains(0x0A) { line = bytes.prefix(offset).reduce(into: 1) { $0 += $1 == 0x0A ? 1 : 0 } }
    let path = path.hasPrefix(".") ? String(path.dropFirst()) : path
    return FormatError(
      format: format, place: FormatError.Place(byte: offset, line: line, path: path.isEmpty ? nil : path), reason: reason,
      isLimit: isLimit)
  }
}
