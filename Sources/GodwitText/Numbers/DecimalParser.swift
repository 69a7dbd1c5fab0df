internal import Foundation

/// Parses decimal numbers from bytes.
@usableFromInline
package enum DecimalParser {
  /// Returns the nearest `Double` to a number such as `-12.5`, `+.5`, `3.` or `1e-3`, with optional white space around it; `nil` for any
  /// other text and for a number that is too large.
  package static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    var index = 0
    var end = bytes.count
    while index < end, bytes[index] <= 0x20 { index += 1 }
    while end > index, bytes[end - 1] <= 0x20 { end -= 1 }
    let start = index
    guard index < end else { return nil }
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative || bytes[index] == UInt8(ascii: "+") { index += 1 }
    var mantissa: UInt64 = 0
    var digits = 0
    var exponent = 0
    while index < end, case let digit = bytes[index] &- 48, digit <= 9 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      digits += 1
      index += 1
    }
    if index < end, bytes[index] == UInt8(ascii: ".") {
      index += 1
      while index < end, case let digit = bytes[index] &- 48, digit <= 9 {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        digits += 1
        exponent -= 1
        index += 1
      }
    }
    guard digits > 0 else { return nil }
    if index < end {
      guard bytes[index] | 0x20 == UInt8(ascii: "e") else { return nil }
      index += 1
      guard index < end else { return nil }
      let isDown = bytes[index] == UInt8(ascii: "-")
      if isDown || bytes[index] == UInt8(ascii: "+") { index += 1 }
      guard index < end else { return nil }
      var power = 0
      while index < end {
        let digit = bytes[index] &- 48
        guard digit <= 9 else { return nil }
        if power < 100_000 { power = power * 10 + Int(digit) }
        index += 1
      }
      exponent += isDown ? -power : power
    }
    // The mantissa and the power of ten are both exact, so one rounding gives the nearest Double (Clinger 1990).
    if digits <= 19, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      let value = exponent < 0 ? Double(mantissa) / PowersOfTen[-exponent] : Double(mantissa) * PowersOfTen[exponent]
      return isNegative ? -value : value
    }
    let value = slow(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    return value.isFinite ? value : nil
  }

  /// Parses a string in the same way.
  package static func double(_ text: some StringProtocol) -> Double? {
    var text = String(text)
    return text.withUTF8 { double($0) }
  }

  /// Parses with the C library, for the few numbers that need more than 53 bits of precision.
  @usableFromInline @inline(never)
  package static func slow(_ bytes: UnsafeBufferPointer<UInt8>) -> Double { strtod(String(decoding: bytes, as: UTF8.self), nil) }
}
