public import struct Foundation.Date

/// Parser and formatter of RFC 3339 timestamps. Parsing is lenient, formatting is strict. Works on bytes and without state, unlike
/// a `DateFormatter`.
public enum RFC3339 {
  /// The number of fractional digits.
  public enum Precision: Sendable {
    /// 2026-11-20T22:34:00Z
    case seconds
    /// 2026-11-20T22:34:00.250Z
    case milliseconds
    /// Three fractional digits, or none if the milliseconds are 0.
    case automatic
  }

  /// Parses `YYYY-MM-DDTHH:MM:SS[.fraction](Z|±HH:MM|±HHMM|±HH)`. The `T` may be in lowercase or a space. A second of 60 is the
  /// first second of the next minute. Years are 0001 to 9999.
  /// - Returns: `nil` for any other text, including one without a time zone.
  public static func date(_ text: String) -> Date? {
    var text = text
    return text.withUTF8 { date(utf8: $0) }
  }

  /// Parses a timestamp from bytes.
  public static func date(utf8 bytes: UnsafeBufferPointer<UInt8>) -> Date? {
    guard let milliseconds = milliseconds(utf8: bytes) else { return nil }
    return Date(millisecondsSince1970: milliseconds)
  }

  /// Parses a timestamp as milliseconds since 1970. Further digits of the fraction are truncated.
  public static func milliseconds(utf8 bytes: UnsafeBufferPointer<UInt8>) -> Int64? {
    guard bytes.count >= 20, bytes.count <= 64 else { return nil }
    @inline(__always) func digit(_ i: Int) -> Int { Int(bytes[i]) &- 48 }
    // All digits are checked at once: `bad` is true if any character is not a digit.
    var bad = false
    @inline(__always) func two(_ i: Int) -> Int {
      let (a, b) = (digit(i), digit(i + 1))
      bad = bad || UInt(bitPattern: a) > 9 || UInt(bitPattern: b) > 9
      return a &* 10 &+ b
    }
    let year = two(0) * 100 + two(2)
    let (month, day, hour, minute, second) = (two(5), two(8), two(11), two(14), two(17))
    guard !bad, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A else { return nil }
    let separator = bytes[10]
    guard separator == 0x54 || separator == 0x74 || separator == 0x20 else { return nil }
    guard year >= 1, month >= 1, month <= 12, day >= 1, day <= daysIn(month: month, year: year), hour <= 23,
      minute <= 59, second <= 60
    else { return nil }
    var i = 19
    var fraction: Int64 = 0
    if bytes[i] == 0x2E || bytes[i] == 0x2C {
      i += 1
      var weight: Int64 = 100
      let first = i
      while i < bytes.count, UInt(bitPattern: digit(i)) <= 9 {
        fraction += Int64(digit(i)) * weight
        weight /= 10
        i += 1
      }
      if i == first { return nil }
    }
    guard i < bytes.count else { return nil }
    var offset = 0
    switch bytes[i] {
    case 0x5A, 0x7A: i += 1
    case 0x2B, 0x2D:
      let sign = bytes[i] == 0x2B ? 1 : -1
      guard bytes.count - i == 3 || bytes.count - i == 5 || (bytes.count - i == 6 && bytes[i + 3] == 0x3A) else {
        return nil
      }
      let hours = two(i + 1)
      let minutes = bytes.count - i == 3 ? 0 : two(bytes.count - 2)
      guard !bad, hours <= 23, minutes <= 59 else { return nil }
      offset = sign * (hours * 3600 + minutes * 60)
      i = bytes.count
    default: return nil
    }
    guard i == bytes.count else { return nil }
    let seconds = daysSince1970(year: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
    return Int64(seconds - offset) * 1000 + fraction
  }

  /// Formats a time in UTC. A time outside the years 1 to 9999 is clamped.
  public static func string(_ date: Date, _ precision: Precision = .automatic) -> String {
    String(unsafeUninitializedCapacity: 24) { write(date.millisecondsSince1970, precision, into: $0) }
  }

  /// Writes 20 or 24 bytes to the start of `buffer`, which must have space for 24. Returns the number of bytes.
  @discardableResult
  public static func write(
    _ milliseconds: Int64, _ precision: Precision, into buffer: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    let clamped = min(max(milliseconds, -62_135_596_800_000), 253_402_300_799_999)
    var seconds = Int(clamped / 1000)
    var fraction = Int(clamped % 1000)
    if fraction < 0 {
      fraction += 1000
      seconds -= 1
    }
    var days = seconds / 86400
    var rest = seconds % 86400
    if rest < 0 {
      rest += 86400
      days -= 1
    }
    let (year, month, day) = civil(daysSince1970: days)
    @inline(__always) func two(_ i: Int, _ value: Int) {
      buffer[i] = UInt8(truncatingIfNeeded: 48 + value / 10)
      buffer[i + 1] = UInt8(truncatingIfNeeded: 48 + value % 10)
    }
    two(0, year / 100)
    two(2, year % 100)
    buffer[4] = 0x2D
    two(5, month)
    buffer[7] = 0x2D
    two(8, day)
    buffer[10] = 0x54
    two(11, rest / 3600)
    buffer[13] = 0x3A
    two(14, rest / 60 % 60)
    buffer[16] = 0x3A
    two(17, rest % 60)
    let withFraction =
      switch precision {
      case .seconds: false
      case .milliseconds: true
      case .automatic: fraction != 0
      }
    guard withFraction else {
      buffer[19] = 0x5A
      return 20
    }
    buffer[19] = 0x2E
    two(20, fraction / 10)
    buffer[22] = UInt8(truncatingIfNeeded: 48 + fraction % 10)
    buffer[23] = 0x5A
    return 24
  }

  /// Returns the number of days from 1970-01-01 to a date of the proleptic Gregorian calendar (Hinnant, chrono-Compatible Low-Level
  /// Date Algorithms, `days_from_civil`).
  package static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let y = month <= 2 ? year - 1 : year
    let era = (y >= 0 ? y : y - 399) / 400
    let yearOfEra = y - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146097 + dayOfEra - 719468
  }

  /// The inverse of ``daysSince1970(year:month:day:)`` (same source, `civil_from_days`).
  package static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let z = days + 719468
    let era = (z >= 0 ? z : z - 146096) / 146097
    let dayOfEra = z - era * 146097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let mp = (5 * dayOfYear + 2) / 153
    let month = mp < 10 ? mp + 3 : mp - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * mp + 2) / 5 + 1)
  }

  private static func daysIn(month: Int, year: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Date {
  /// Milliseconds since 1970, rounded to the nearest and clamped to the range of the type. 0 for NaN.
  public var millisecondsSince1970: Int64 {
    let exact = (timeIntervalSince1970 * 1000).rounded()
    if exact.isNaN { return 0 }
    return exact >= 9e18 ? .max : exact <= -9e18 ? .min : Int64(exact)
  }

  /// Seconds since 1970, rounded down and clamped to the range of the type. 0 for NaN.
  public var wholeSecondsSince1970: Int {
    let exact = timeIntervalSince1970.rounded(.down)
    if exact.isNaN { return 0 }
    return exact >= 9e18 ? .max : exact <= -9e18 ? .min : Int(exact)
  }

  public init(millisecondsSince1970 milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
