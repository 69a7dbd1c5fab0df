internal import Foundation
package import GodwitStore
internal import GodwitText

/// Reads and writes a row of a backup as a line of JSON: `[1,"phone",null]`, with bytes in Base64.
package enum BackupRow {
  package static func append(_ row: [SQLArgument], to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (index, value) in row.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      switch value {
      case .null: JSONWriter.raw("null", to: &bytes)
      case .integer(let number): bytes += Array(String(number).utf8)
      // The shortest text from which the same number is read.
      case .real(let number): bytes += Array("\(number)".utf8)
      case .text(let text): JSONWriter.string(text, to: &bytes)
      case .blob(let blob):
        bytes.append(UInt8(ascii: "\""))
        bytes += Array(Data(blob).base64EncodedData())
        bytes.append(UInt8(ascii: "\""))
      }
    }
    JSONWriter.raw("]\n", to: &bytes)
  }

  /// The fault of a line.
  package struct Fault: Error {
    package let reason: String
  }

  /// Reads a line that ``append(_:to:)`` wrote, without its end.
  package static func read(_ line: UnsafeBufferPointer<UInt8>, _ kinds: [BackupTable.Kind]) throws(Fault) -> [SQLArgument] {
    var scanner = Scanner(bytes: line)
    var row: [SQLArgument] = []
    row.reserveCapacity(kinds.count)
    try scanner.expect("[")
    for (index, kind) in kinds.enumerated() {
      if index > 0 { try scanner.expect(",") }
      row.append(try scanner.value(kind))
    }
    try scanner.expect("]")
    guard scanner.place == line.count else { throw Fault(reason: "it has more columns than declared") }
    return row
  }

  private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var place = 0

    mutating func expect(_ character: Unicode.Scalar) throws(Fault) {
      guard place < bytes.count, bytes[place] == UInt8(ascii: character) else {
        throw Fault(reason: "expected \(character) at byte \(place) of the line")
      }
      place += 1
    }

    mutating func value(_ kind: BackupTable.Kind) throws(Fault) -> SQLArgument {
      guard place < bytes.count else { throw Fault(reason: "the line is truncated") }
      if bytes[place] == UInt8(ascii: "n") {
        place += 4
        return .null
      }
      switch kind {
      case .integer:
        let text = word()
        guard let number = Int64(text) else { throw Fault(reason: "\"\(text)\" is not a whole number") }
        return .integer(number)
      case .real:
        let text = word()
        guard let number = Double(text) else { throw Fault(reason: "\"\(text)\" is not a number") }
        return .real(number)
      case .text: return .text(String(decoding: try string(), as: UTF8.self))
      case .blob:
        guard let data = Data(base64Encoded: Data(try string())) else { throw Fault(reason: "a text is not base64") }
        return .blob(Array(data))
      }
    }

    private mutating func word() -> String {
      let start = place
      while place < bytes.count, bytes[place] != UInt8(ascii: ","), bytes[place] != UInt8(ascii: "]") { place += 1 }
      return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func string() throws(Fault) -> [UInt8] {
      try expect("\"")
      var text: [UInt8] = []
      while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
        guard bytes[place] == UInt8(ascii: "\\") else {
          text.append(bytes[place])
          place += 1
          continue
        }
        guard place + 1 < bytes.count else { throw Fault(reason: "the line is truncated") }
        switch bytes[place + 1] {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
          // Only control characters are written in this form.
          guard place + 5 < bytes.count,
            let code = UInt8(String(decoding: bytes[(place + 2)..<(place + 6)], as: UTF8.self), radix: 16)
          else { throw Fault(reason: "an unknown escape sequence") }
          text.append(code)
          place += 4
        case let other: text.append(other)
        }
        place += 2
      }
      try expect("\"")
      return text
    }
  }
}
