package import Foundation
internal import GodwitModel

/// Appends JSON to a buffer of bytes. It does not track structure: callers write brackets and commas.
@usableFromInline
package enum JSONWriter {
  /// Appends text that needs no escaping: names of members and punctuation.
  @inlinable @inline(__always)
  package static func raw(_ text: StaticString, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends a string with its quotation marks, escaped as JSON requires.
  package static func string(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): raw("\\\"", to: &bytes)
      case UInt8(ascii: "\\"): raw("\\\\", to: &bytes)
      case 0x0A: raw("\\n", to: &bytes)
      case 0x0D: raw("\\r", to: &bytes)
      case 0x09: raw("\\t", to: &bytes)
      case 0..<0x20:
        raw("\\u00", to: &bytes)
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends a number with at most the given decimals; `null` if it is not representable.
  package static func number(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
    if DecimalWriter.canWrite(value, decimals: decimals) {
      DecimalWriter.append(value, decimals: decimals, to: &bytes)
    } else {
      raw("null", to: &bytes)
    }
  }

  /// Appends a number member: the name with its punctuation, `,"speed":`, and the value. Appends nothing if the value is unknown or not
  /// representable, so that the output has no `null`.
  package static func member(_ name: StaticString, _ value: Double?, decimals: Int, to bytes: inout [UInt8]) {
    guard let value, DecimalWriter.canWrite(value, decimals: decimals) else { return }
    raw(name, to: &bytes)
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
  }

  /// Appends a string member in the same way. Appends nothing for an unknown or empty text.
  package static func member(_ name: StaticString, _ text: String?, to bytes: inout [UInt8]) {
    guard let text, !text.isEmpty else { return }
    raw(name, to: &bytes)
    string(text, to: &bytes)
  }

  package static func number(_ value: Int, to bytes: inout [UInt8]) { DecimalWriter.append(value, to: &bytes) }

  /// Appends a time in UTC with its quotation marks.
  package static func date(_ date: Date, _ precision: RFC3339Precision, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
      let count = RFC3339.write(date.millisecondsSince1970, precision == .seconds ? .seconds : .automatic, into: buffer)
      bytes.append(UInt8(ascii: "\""))
      bytes.append(contentsOf: buffer[..<count])
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// The precision of seconds.
  package enum RFC3339Precision { case seconds, automatic }
}
