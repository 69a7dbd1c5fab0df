internal import GodwitModel
internal import GodwitText

/// Reads values in the forms that clients write: numbers as strings, flags as words, and times in several formats.
extension JSONReader {
  /// Reads a number that a rule accepts, also from a string; `nil` for `null`.
  mutating func quantity(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double? {
    _ = peek()
    let start = position
    guard let value = try lossyNumber() else { return nil }
    if rule(value, "") != nil {
      let shown = verbatim(start..<min(position, start + 40))
      throw unexpected(rule(value, shown) ?? shown, at: start)
    }
    return value
  }

  /// Reads a number of at most 1e9 in magnitude, also from a string; `nil` for `null`. Larger numbers are not plausible
  /// measurements.
  mutating func finiteNumber() throws(Fault) -> Double? {
    _ = peek()
    let start = position
    guard let value = try lossyNumber() else { return nil }
    guard abs(value) <= 1e9 else { throw unexpected("the number is too large", at: start) }
    return value
  }

  /// Like ``finiteNumber()``, but `nil` for a negative number, which means unknown.
  mutating func knownNumber() throws(Fault) -> Double? { try finiteNumber().flatMap { $0 >= 0 ? $0 : nil } }

  /// Reads a flag, also as a word or as 0 and 1; `nil` for other values, which are skipped.
  mutating func lossyFlag() throws(Fault) -> Bool? {
    switch try kind() {
    case .boolean: return try boolean()
    case .number: return BooleanText.read(verbatim(try skipValue()))
    case .string: return BooleanText.read(decoded(try string()))
    default:
      try skipValue()
      return nil
    }
  }

  /// Reads a time in milliseconds since 1970, from a number or from a string in any format of ``DeviceTimestamp``.
  mutating func timestamp() throws(Fault) -> Int64 {
    let kind = try kind()
    let start = position
    guard kind == .string || kind == .number else { throw unexpected(DeviceTimestamp.expected, at: start) }
    let text = kind == .string ? decoded(try string()) : verbatim(try skipValue())
    guard let value = DeviceTimestamp.milliseconds(text) else {
      throw unexpected("\(text.prefix(40).debugDescription) is not a time; \(DeviceTimestamp.expected)", at: start)
    }
    return value
  }
}

/// Parses flags as clients write them.
enum BooleanText {
  static func read(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "1", "yes", "on": true
    case "false", "0", "no", "off": false
    default: nil
    }
  }
}

/// Parses times as clients write them: seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
enum DeviceTimestamp {
  static let expected = "expected seconds or milliseconds since 1970, or a time such as 2026-11-20T08:30:00Z"

  /// Returns milliseconds since 1970; `nil` for other texts and for times outside of the years 1970 to 2199.
  static func milliseconds(_ text: String) -> Int64? {
    let value: Int64?
    if let number = NumberText.read(text) {
      value = milliseconds(number)
    } else if let exact = RFC3339.date(text) {
      value = exact.millisecondsSince1970
    } else if let date = RFC3339.date(text + "Z") {
      value = date.millisecondsSince1970
    } else if text.utf8.count > 20, let blank = text.lastIndex(of: " "), text.distance(from: text.startIndex, to: blank) > 10 {
      // A plus sign that was not escaped arrives as a space.
      value = RFC3339.date(text[..<blank] + "+" + text[text.index(after: blank)...])?.millisecondsSince1970
    } else {
      value = nil
    }
    guard let value, TimestampParser.validTimes.contains(value) else { return nil }
    return value
  }

  /// Interprets a number below 1e11 in magnitude as seconds, and a larger one as milliseconds.
  /// - Returns: milliseconds since 1970; `nil` from 1e15 in magnitude.
  static func milliseconds(_ number: Double) -> Int64? {
    abs(number) < 1e11 ? Int64((number * 1000).rounded()) : abs(number) < 1e15 ? Int64(number.rounded()) : nil
  }
}

/// Parses decimal numbers in URLs. Other forms that `Double` accepts, such as `nan` and hexadecimal numbers, are rejected.
enum NumberText {
  static func read(_ text: some StringProtocol) -> Double? {
    let digits = text.utf8
    guard (1...40).contains(digits.count),
      digits.allSatisfy({ ($0 &- 48) <= 9 || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0) }), let value = Double(text),
      value.isFinite
    else { return nil }
    return value
  }
}
