/// An escape sequence in a JSON string.
struct JSONEscape {
  /// The reason why an escape is invalid.
  enum Fault: String, Error {
    case unknown = "unknown escape"
    case digits = "\\u needs four hexadecimal digits"
    case surrogate = "an incomplete surrogate pair"
  }

  /// The character that the escape represents.
  let scalar: Unicode.Scalar
  /// Length in bytes, including the backslash. A surrogate pair is one escape.
  private(set) var length = 2

  /// - Parameter text: a pointer to the backslash. No byte after a zero byte is read.
  init(at text: UnsafePointer<UInt8>) throws(Fault) {
    switch text[1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scalar = Unicode.Scalar(text[1])
    case UInt8(ascii: "b"): scalar = "\u{8}"
    case UInt8(ascii: "f"): scalar = "\u{C}"
    case UInt8(ascii: "n"): scalar = "\n"
    case UInt8(ascii: "r"): scalar = "\r"
    case UInt8(ascii: "t"): scalar = "\t"
    case UInt8(ascii: "u"):
      guard let unit = Self.unit(at: text + 2) else { throw .digits }
      if let single = Unicode.Scalar(unit) {
        (scalar, length) = (single, 6)
        return
      }
      guard unit < 0xDC00, text[6] == UInt8(ascii: "\\"), text[7] == UInt8(ascii: "u"), let low = Self.unit(at: text + 8),
        (0xDC00...0xDFFF).contains(low),
        let pair = Unicode.Scalar(0x10000 + UInt32(unit - 0xD800) << 10 + UInt32(low - 0xDC00))
      else { throw .surrogate }
      (scalar, length) = (pair, 12)
    default: throw .unknown
    }
  }

  /// Parses four hexadecimal digits. Stops at the first other byte, so that it never passes a zero byte.
  private static func unit(at digits: UnsafePointer<UInt8>) -> UInt16? {
    var value: UInt16 = 0
    for index in 0..<4 {
      let digit: UInt8
      switch digits[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = digits[index] - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = digits[index] - UInt8(ascii: "a") + 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = digits[index] - UInt8(ascii: "A") + 10
      default: return nil
      }
      value = value << 4 | UInt16(digit)
    }
    return value
  }
}

/// Characters of two to four bytes in UTF-8.
enum MultibyteCharacter {
  /// Returns the length of a character in bytes; `nil` if it is not well-formed (Unicode, table 3-7).
  /// - Parameter text: a pointer to the first byte. No byte after a zero byte is read.
  static func length(at text: UnsafePointer<UInt8>) -> Int? {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch text[0] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard second.contains(text[1]) else { return nil }
    var index = 2
    while index < length {
      guard (0x80...0xBF).contains(text[index]) else { return nil }
      index += 1
    }
    return length
  }
}
