internal import GodwitModel
internal import GodwitText

/// Values as clients write them: numbers as strings too, flags as words, times in many forms.
extension JSONReader {
  /// A number by a rule, also as a string; `nil` for `null`.
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

  /// A number of a size that something on earth can have, also as a string; `nil` for `null`.
  mutating func finiteNumber() throws(Fault) -> Double? {
    _ = peek()
    let start = position
    guard let value = try lossyNumber() else { return nil }
    guard abs(value) <= 1e9 else { throw unexpected("the number is too large", at: start) }
    return value
  }

  /// The same; a number below zero is one that is not known.
  mutating func knownNumber() throws(Fault) -> Double? { try finiteNumber().flatMap { $0 >= 0 ? $0 : nil } }

  /// True or false, also as a word or as 0 and 1; `nil` for anything else, which is passed.
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

  /// Milliseconds since 1970: a number, or a text of any kind that clients write.
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

/// True and false as clients write them.
enum BooleanText {
  static func read(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "1", "yes", "on": true
    case "false", "0", "no", "off": false
    default: nil
    }
  }
}

/// A moment as clients write it: seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
enum DeviceTimestamp {
  static let expected = "expected seconds or milliseconds since 1970, or a time such as 2026-11-20T08:30:00Z"

  /// Milliseconds since 1970; `nil`: it is no time, or none of the years 1970 to 2199.
  static func milliseconds(_ text: String) -> Int64? {
    let value: Int64?
    if let number = NumberText.read(text) {
      value = milliseconds(number)
    } else if let exact = RFC3339.date(text) {
      value = exact.millisecondsSince1970
    } else if let date = RFC3339.date(text + "Z") {
      value = date.millisecondsSince1970
    } else if text.utf8.count > 20, let blank = text.lastIndex(of: " "), text.distance(from: text.startIndex, to: blank) > 10 {
      // A plus that was not escaped arrives as a blank.
      value = RFC3339.date(text[..<blank] + "+" + text[text.index(after: blank)...])?.millisecondsSince1970
    } else {
      value = nil
    }
    guard let value, TimestampParser.validTimes.contains(value) else { return nil }
    return value
  }

  /// Seconds, or milliseconds where seconds would be long after us.
  static func milliseconds(_ number: Double) -> Int64? {
    abs(number) < 1e11 ? Int64((number * 1000).rounded()) : abs(number) < 1e15 ? Int64(number.rounded()) : nil
  }
}

/// A number as it stands in an address: digits, and nothing that only a programming language knows.
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
