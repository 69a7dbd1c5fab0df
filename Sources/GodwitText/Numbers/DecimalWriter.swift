/// Writes numbers as decimal text into a buffer of bytes: rounded to a number of decimals, without an exponent and without trailing zeros.
/// The digits are computed with integers, so that they are exact.
package enum DecimalWriter {
  /// Whether a number can be written: it is finite, and its magnitude after scaling is below 9·10¹⁸.
  package static func canWrite(_ value: Double, decimals: Int) -> Bool { (value * PowersOfTen[decimals]).magnitude < 9e18 }

  /// Appends a number.
  /// - Parameters:
  ///   - value: a number for which ``canWrite(_:decimals:)`` is true; any other value is written as 0.
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
    // At most twenty digits and a point, written from right to left on the stack.
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

  /// Returns `value` in units of its last decimal, truncated. A number that is only slightly less than a decimal because of its binary
  /// form, such as 0.29, is not truncated below that decimal.
  package static func cut(_ value: Double, decimals: Int) -> Int64 {
    let scaled = value * PowersOfTen[decimals]
    guard scaled.magnitude < 9e18 else { return 0 }
    let nearest = scaled.rounded()
    return Int64((scaled - nearest).magnitude < 1e-5 ? nearest : scaled.rounded(.towardZero))
  }

  /// Appends a whole number.
  package static func append(_ value: Int, to bytes: inout [UInt8]) { append(Int64(value), decimals: 0, to: &bytes) }
}
