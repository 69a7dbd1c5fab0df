extension JSONReader {
  /// Reads a number of the JSON grammar as the nearest `Double`. A number that is too large is infinite.
  @inlinable @inline(__always)
  package mutating func number() throws(Fault) -> Double {
    let first = peek()
    let start = position
    var index = position
    if first == UInt8(ascii: "-") { index &+= 1 }
    let firstDigit = index
    var mantissa: UInt64 = 0
    var digit = base[index] &- 48
    while digit <= 9 {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      index &+= 1
      digit = base[index] &- 48
    }
    var digits = index &- firstDigit
    guard digits > 0 else { throw syntax("expected a value") }
    if digits > 1, base[firstDigit] == UInt8(ascii: "0") {
      throw Fault(offset: firstDigit, isSyntax: true, reason: "a number must not begin with 0")
    }
    var exponent = 0
    if base[index] == UInt8(ascii: ".") {
      index &+= 1
      let fraction = index
      digit = base[index] &- 48
      while digit <= 9 {
        mantissa = mantissa &* 10 &+ UInt64(digit)
        index &+= 1
        digit = base[index] &- 48
      }
      exponent = fraction &- index
      guard exponent < 0 else {
        position = index
        throw syntax("expected digits after the decimal point")
      }
      digits &-= exponent
    }
    if base[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      let sign = base[index]
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index &+= 1 }
      var power = 0
      let firstOfExponent = index
      digit = base[index] &- 48
      while digit <= 9 {
        // Larger exponents are far beyond the range of a Double.
        if power < 100_000 { power = power &* 10 &+ Int(digit) }
        index &+= 1
        digit = base[index] &- 48
      }
      guard index > firstOfExponent else {
        position = index
        throw syntax("expected digits in the exponent")
      }
      exponent &+= sign == UInt8(ascii: "-") ? -power : power
    }
    position = index
    // The mantissa and the power of ten are both exact as a Double, so one rounding gives the nearest Double (Clinger, How to Read Floating
    // Point Numbers Accurately, 1990).
    if digits <= 19, mantissa <= 1 << 53, exponent >= -22, exponent <= 22 {
      let magnitude = Double(mantissa)
      let value = exponent < 0 ? magnitude / PowersOfTen[-exponent] : magnitude * PowersOfTen[exponent]
      return first == UInt8(ascii: "-") ? -value : value
    }
    return DecimalParser.slow(UnsafeBufferPointer(start: base + start, count: index - start))
  }

  /// Reads a number, or a string that contains only a number, because some senders quote numbers. Returns `nil` for `null`.
  package mutating func lossyNumber() throws(Fault) -> Double? {
    switch try kind() {
    case .number: return try number()
    case .null:
      try null()
      return nil
    case .string:
      let start = position
      let text = try string()
      guard text.count > 0, text.count <= 64, !text.hasEscapes else {
        throw unexpected("expected a number", at: start)
      }
      let bytes = Array(UnsafeBufferPointer(start: base + text.start, count: text.count))
      let padded = bytes + [UInt8](repeating: 0, count: Self.padding)
      let inner = padded.withUnsafeBufferPointer { buffer -> Double? in
        guard let start = buffer.baseAddress else { return nil }
        var reader = JSONReader(base: start, count: bytes.count)
        do throws(Fault) {
          let value = try reader.number()
          try reader.finish()
          return value
        } catch { return nil }
      }
      guard let inner else { throw unexpected("expected a number", at: start) }
      return inner
    default:
      let start = position
      throw unexpected("expected a number", at: start)
    }
  }
}
