internal import GodwitModel
internal import GodwitText

/// Appends XML to a buffer of bytes.
package enum XMLWriter {
  /// Returns text with special characters escaped, and without characters that XML does not permit.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\r": result += "&#13;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Appends `<name>1.5</name>`; appends nothing if the number is `nil` or cannot be written.
  package static func element(_ name: StaticString, _ value: Double?, decimals: Int, to bytes: inout [UInt8]) {
    guard let value, DecimalWriter.canWrite(value, decimals: decimals) else { return }
    bytes.append(UInt8(ascii: "<"))
    JSONWriter.raw(name, to: &bytes)
    bytes.append(UInt8(ascii: ">"))
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
    JSONWriter.raw("</", to: &bytes)
    JSONWriter.raw(name, to: &bytes)
    bytes.append(UInt8(ascii: ">"))
  }
}
