internal import GodwitText

/// A sentence of NMEA 0183: `$GPRMC,…*5C`.
package struct NMEASentence {
  /// Sentence type without the talker: "RMC", "GGA", …
  package let type: String
  private let fields: [UnsafeBufferPointer<UInt8>]

  package enum Problem: Error {
    /// The line contains no sentence.
    case noSentence
    /// The checksum does not match the bytes.
    case checksum(found: UInt8, expected: UInt8)
  }

  /// Parses a line. Bytes before the `$` are line noise and ignored. A missing checksum is accepted.
  package init(_ line: UnsafeBufferPointer<UInt8>) throws(Problem) {
    guard let start = line.lastIndex(of: UInt8(ascii: "$")) else { throw .noSentence }
    var body = UnsafeBufferPointer(rebasing: line[(start + 1)...])
    if let star = body.lastIndex(of: UInt8(ascii: "*")) {
      let digits = String(decoding: body[(star + 1)...].prefix(2), as: UTF8.self)
      body = UnsafeBufferPointer(rebasing: body[..<star])
      guard let expected = UInt8(digits, radix: 16) else { throw .noSentence }
      let found = Self.checksum(body)
      guard found == expected else { throw .checksum(found: found, expected: expected) }
    }
    fields = body.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      UnsafeBufferPointer(rebasing: $0)
    }
    guard let name = fields.first, name.count >= 5, name.count <= 6, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .noSentence
    }
    type = String(decoding: name.suffix(3), as: UTF8.self)
  }

  /// Returns the XOR of all bytes between `$` and `*`.
  package static func checksum(_ body: some Sequence<UInt8>) -> UInt8 { body.reduce(0, ^) }

  package func text(_ index: Int) -> String { index < fields.count ? String(decoding: fields[index], as: UTF8.self) : "" }

  package func number(_ index: Int) -> Double? { index < fields.count ? DecimalParser.double(fields[index]) : nil }

  /// Returns a speed, a dilution or an error: a number from 0 to 10⁹, as in the points of GPX; `nil` for any other number.
  package func magnitude(_ index: Int) -> Double? { number(index).flatMap { $0 >= 0 && $0 < 1e9 ? $0 : nil } }

  /// Returns an integer; `nil` also for a number with a fraction or one that does not fit.
  package func integer(_ index: Int) -> Int? { number(index).flatMap { Int(exactly: $0) } }

  /// Returns degrees from `ddmm.mmmm` and the hemisphere in the next field.
  package func degrees(_ index: Int) -> Double? {
    guard let value = number(index), value >= 0 else { return nil }
    let whole = (value / 100).rounded(.down)
    let minutes = value - whole * 100
    guard minutes < 60 else { return nil }
    let degrees = whole + minutes / 60
    switch text(index + 1) {
    case "N", "E": return degrees
    case "S", "W": return -degrees
    default: return nil
    }
  }

  /// Returns a direction in degrees, 0 ..< 360.
  package func heading(_ index: Int) -> Double? {
    number(index).flatMap { $0 >= 0 && $0 <= 360 ? ($0 == 360 ? 0 : $0) : nil }
  }

  /// Returns degrees, with E (positive) or W (negative) in the next field.
  package func eastward(_ index: Int) -> Double? {
    guard let value = number(index), value >= 0, value <= 180 else { return nil }
    switch text(index + 1) {
    case "E": return value
    case "W": return -value
    default: return nil
    }
  }

  /// Returns the milliseconds of the day from `hhmmss.sss`.
  package func timeOfDay(_ index: Int) -> Int64? {
    guard let value = number(index), value >= 0, value < 240_000 else { return nil }
    let whole = Int64(value)
    let (hour, minute, second) = (whole / 10000, whole / 100 % 100, whole % 100)
    guard minute < 60, second <= 60 else { return nil }
    let fraction = Int64(((value - Double(whole)) * 1000).rounded())
    return (hour * 3600 + minute * 60 + second) * 1000 + fraction
  }
}
