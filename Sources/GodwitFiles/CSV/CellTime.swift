internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// A date, a time of day or both, in the forms of people and spreadsheets: `01.02.2024 10:00:00`, `2/13/24 3:04 PM`,
/// `20240101T100000Z`. A time without a zone is UTC.
enum CellTime: Equatable {
  /// Milliseconds since 1970.
  case time(Int64)
  /// Milliseconds since midnight.
  case timeOfDay(Int64)
  /// The order of day and month is ambiguous and unknown.
  case undecided
  case none

  private static let maximum = 48

  /// - Parameters:
  ///   - cell: the text of the cell.
  ///   - order: the order of day and month; `nil` if it is unknown.
  static func read(_ cell: UnsafeBufferPointer<UInt8>, order: DateOrder?) -> CellTime {
    guard let (date, rest) = parts(cell) else { return .none }
    guard let date else { return timeOfDay(rest).map { .timeOfDay($0.milliseconds - $0.offset) } ?? .none }
    guard let day = DayText(date) else { return .none }
    guard let ordered = day.ordered(order) else { return day.isPossible ? .undecided : .none }
    var time = TimeOfDay(milliseconds: 0, offset: 0)
    if !rest.isEmpty {
      guard let found = timeOfDay(rest) else { return .none }
      time = found
    }
    let text = "\(padded(ordered.year, 4))-\(padded(ordered.month, 2))-\(padded(ordered.day, 2))T00:00:00Z"
    let midnight = text.withUTF8Bytes { RFC3339.milliseconds(utf8: $0) }
    return midnight.flatMap { TimestampParser.valid($0 + time.milliseconds - time.offset) }.map { .time($0) } ?? .none
  }

  /// Returns the order of day and month that the date of a cell proves; `nil` if the date proves no order.
  static func order(_ cell: UnsafeBufferPointer<UInt8>) -> DateOrder? {
    guard let (date, _) = parts(cell), let date, let day = DayText(date) else { return nil }
    return day.provenOrder
  }

  /// Splits a cell into the date and the text after it.
  private static func parts(_ cell: UnsafeBufferPointer<UInt8>) -> (date: Substring?, rest: Substring)? {
    guard cell.count <= maximum else { return nil }
    // Some programs write a narrow space before AM and PM.
    let text = String(decoding: cell, as: UTF8.self)
      .replacing("\u{202F}", with: " ").replacing("\u{A0}", with: " ")
    let words = text.drop { $0 == " " }
    guard let first = words.first, first.isASCII, first.isNumber else { return nil }
    let end = words.firstIndex { $0 == " " || $0 == "T" || $0 == "t" || $0 == "," } ?? words.endIndex
    let head = words[..<end]
    if head.contains(":") { return (nil, words) }
    let rest = words[end...].drop { $0 == " " || $0 == "T" || $0 == "t" || $0 == "," }
    // 20240101100000
    if head.count == 14, head.allSatisfy(isDigit) { return (head.prefix(8), head.dropFirst(8)) }
    return (head, rest)
  }

  private struct TimeOfDay {
    var milliseconds: Int64
    /// The offset of the time zone from UTC in milliseconds; positive east of Greenwich.
    var offset: Int64
  }

  /// Parses `10:00`, `10:00:00.5`, `3:04 PM`, `100000Z` and `10:00:00+02:00`.
  private static func timeOfDay(_ text: Substring) -> TimeOfDay? {
    var rest = text
    while rest.last == " " { rest.removeLast() }
    var offset: Int64 = 0
    for word in ["UTC", "GMT", "Z", "z"] where rest.hasSuffix(word) {
      rest = rest.dropLast(word.count)
      break
    }
    if let sign = rest.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      let zone = rest[rest.index(after: sign)...].filter { $0 != ":" }
      guard zone.allSatisfy(isDigit), zone.count == 2 || zone.count == 4, let hours = Int64(zone.prefix(2)),
        let minutes = Int64(zone.count == 4 ? zone.dropFirst(2) : "0"), hours <= 23, minutes <= 59
      else { return nil }
      offset = (hours * 60 + minutes) * 60_000 * (rest[sign] == "-" ? -1 : 1)
      rest = rest[..<sign]
    }
    while rest.last == " " { rest.removeLast() }
    let half = rest.suffix(2).uppercased()
    let isHalf = half == "AM" || half == "PM"
    if isHalf { rest = rest.dropLast(2) }
    while rest.last == " " { rest.removeLast() }
    var numbers = rest.split(separator: ":", omittingEmptySubsequences: false)
    if numbers.count == 1, rest.prefix(6).count == 6, rest.prefix(6).allSatisfy(isDigit) {
      let digits = rest
      numbers = [digits.prefix(2), digits.dropFirst(2).prefix(2), digits.dropFirst(4)]
    }
    guard (2...3).contains(numbers.count), (1...2).contains(numbers[0].count), numbers[1].count == 2,
      numbers[0].allSatisfy(isDigit), numbers[1].allSatisfy(isDigit), var hour = Int64(numbers[0]),
      let minute = Int64(numbers[1]), minute <= 59
    else { return nil }
    var seconds = 0.0
    if numbers.count == 3 {
      let text = numbers[2].replacing(",", with: ".")
      guard text.prefix(2).count == 2, text.prefix(2).allSatisfy(isDigit), text.dropFirst(2).first.map({ $0 == "." }) ?? true,
        text.count <= 16, let value = DecimalParser.double(text), value < 61
      else { return nil }
      seconds = value
    }
    if isHalf {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (half == "PM" ? 12 : 0)
    }
    guard hour <= 23 else { return nil }
    return TimeOfDay(milliseconds: (hour * 60 + minute) * 60_000 + Int64((seconds * 1000).rounded(.down)), offset: offset)
  }

  private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }

  private static func padded(_ number: Int, _ width: Int) -> String {
    String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
  }
}

/// The three numbers of a date.
private struct DayText {
  private enum Form {
    /// The year first.
    case yearFirst
    /// The year last, with full stops. In this form the day comes first.
    case points
    /// The year last, with slashes or hyphens.
    case either
  }
  private var form: Form
  private var numbers: [Int]

  /// - Parameter text: such as `2024-01-02`, `20240102`, `1.2.2024`, `01/02/24`.
  init?(_ text: Substring) {
    if text.count == 8, text.allSatisfy({ $0.isASCII && $0.isNumber }) {
      guard let year = Int(text.prefix(4)), let month = Int(text.dropFirst(4).prefix(2)), let day = Int(text.suffix(2)),
        (1970...2199).contains(year)
      else { return nil }
      (form, numbers) = (.yearFirst, [year, month, day])
      return
    }
    guard let separator = text.first(where: { !$0.isNumber }), ["-", "/", "."].contains(separator) else { return nil }
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.allSatisfy { $0.isASCII && $0.isNumber } && (1...4).contains($0.count) }) else {
      return nil
    }
    numbers = parts.compactMap { Int($0) }
    let counts = parts.map(\.count)
    if counts[0] == 4, counts[1] <= 2, counts[2] <= 2 {
      form = .yearFirst
    } else if counts[0] <= 2, counts[1] <= 2, counts[2] == 4 || counts[2] == 2 {
      form = separator == "." ? .points : .either
      // Two digits of a year are interpreted as in POSIX.
      if counts[2] == 2 { numbers[2] += numbers[2] < 69 ? 2000 : 1900 }
    } else {
      return nil
    }
  }

  /// Whether the numbers can be a date in both orders.
  var isPossible: Bool { (1...12).contains(numbers[0]) && (1...12).contains(numbers[1]) }

  var provenOrder: DateOrder? {
    guard form == .either else { return nil }
    if (13...31).contains(numbers[0]), (1...12).contains(numbers[1]) { return .dayFirst }
    if (13...31).contains(numbers[1]), (1...12).contains(numbers[0]) { return .monthFirst }
    return nil
  }

  /// - Returns: `nil` if the order of day and month is unknown, or if the numbers are not a date in this order.
  func ordered(_ order: DateOrder?) -> (year: Int, month: Int, day: Int)? {
    let known: DateOrder?
    switch form {
    case .yearFirst: return (numbers[0], numbers[1], numbers[2])
    case .points: known = order ?? .dayFirst
    case .either: known = order ?? provenOrder
    }
    guard let known else { return numbers[0] == numbers[1] ? (numbers[2], numbers[0], numbers[1]) : nil }
    let (day, month) = known == .dayFirst ? (numbers[0], numbers[1]) : (numbers[1], numbers[0])
    // A date that is invalid in its order is not read in the other order.
    guard (1...12).contains(month), (1...31).contains(day) else { return nil }
    return (numbers[2], month, day)
  }
}
