/// Writes numbers as decimal text into a buffer of bytes: never in exponent form, without zeros at the end,
/// rounded to a given number of decimals. Works on integers, so it is exact to its last digit.
package enum DecimalWriter {
  /// Whether a number is one that can be written: finite, and below 9·10¹⁸ after scaling.
  package static func canWrite(_ value: Double, decimals: Int) -> Bool { (value * PowersOfTen[decimals]).magnitude < 9e18 }

  /// Appends a number.
  /// - Parameters:
  ///   - value: one that ``canWrite(_:decimals:)``; anything else is written as 0, so callers ask first.
  ///   - decimals: 0…9.
  package static func append(_ value: Double, decimals: Int, to bytes: inout [UInt8]) {
    let scaled = (value * PowersOfTen[decimals]).rounded()
    guard scaled.magnitude < 9e18 else {
      bytes.append(UInt8(ascii: "0"))
      return
    }
    append(Int64(scaled), decimals: decimals, to: &bytes)
  }

  /// Appends `scaled` divided by ten to the power of `decimals`.
  package static func append(_ scaled: Int64, decimals: Int, to bytes: inout [UInt8]) {
    if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = scaled.magnitude
    var places = decimals
    while places > 0, rest % 10 == 0 {
      rest /= 10
      places -= 1
    }
    // Twenty digits at most, written from the right into a word's worth of memory on the stack.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 24) { buffer in
      var index = 24
      var written = 0
      repeat {
        index -= 1
        buffer[index] = UInt8(truncatingIfNeeded: 48 + rest % 10)
        rest /= 10
        written += 1
        if written == places {
          index -= 1
          buffer[index] = UInt8(ascii: ".")
          if rest == 0 {
            index -= 1
            buffer[index] = UInt8(ascii: "0")
          }
        }
      } while rest > 0 || written < places
      bytes.append(contentsOf: buffer[index...])
    }
  }

  /// `value` in units of the last of so many decimals, what comes after that cut off. A number that stands for the
  /// decimal itself, such as 0.29, which is a little less than that, keeps it.
  package static func cut(_ value: Double, decimals: Int) -> Int64 {
    let scaled = value * PowersOfTen[decimals]
    guard scaled.magnitude < 9e18 else { return 0 }
    let nearest = scaled.rounded()
    return Int64((scaled - nearest).magnitude < 1e-5 ? nearest : scaled.rounded(.towardZero))
  }

  /// Appends a whole number.
  package static func append(_ value: Int, to bytes: inout [UInt8]) { append(Int64(value), decimals: 0, to: &bytes) }
}
