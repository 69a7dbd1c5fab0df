internal import GodwitModel
internal import GodwitPhone
internal import GodwitSimulator

/// An error in a line.
struct LineFault: Error {
  var text: String

  init(_ text: String) { self.text = text }
}

/// Reads the words of a line one by one.
struct Tokenizer {
  private var words: ArraySlice<Substring>

  /// Text after a word that begins with # is ignored.
  init(_ line: some StringProtocol) {
    let all = Substring(line).split(whereSeparator: \.isWhitespace)
    words = all.prefix { $0.first != "#" }
  }

  var isEmpty: Bool { words.isEmpty }
  var rest: String { words.joined(separator: " ") }
  var first: String? { words.first.map(String.init) }

  mutating func next() -> String? { words.popFirst().map(String.init) }

  /// Removes the next word if it equals `word`.
  mutating func consume(_ word: String) -> Bool {
    guard words.first.map(String.init) == word else { return false }
    words.removeFirst()
    return true
  }

  mutating func expect(_ word: String) throws(LineFault) {
    guard consume(word) else { throw LineFault("expected \"\(word)\"\(instead)") }
  }

  /// Throws if words remain.
  func end() throws(LineFault) {
    if !words.isEmpty { throw LineFault("\"\(rest)\" is not expected on this line; remove it") }
  }

  private var instead: String { first.map { ", not \"\($0)\"" } ?? " and found the end of the line" }

  /// Parses a duration such as "20m" or "1h30m" as seconds.
  mutating func seconds() throws(LineFault) -> Double {
    guard let word = first, let seconds = ScriptTime.seconds(word) else {
      throw LineFault("expected a time such as 20m or 1h30m\(instead)")
    }
    words.removeFirst()
    return seconds
  }

  mutating func number() throws(LineFault) -> Double {
    guard let number = first.flatMap(Double.init), number.isFinite else { throw LineFault("expected a number\(instead)") }
    words.removeFirst()
    return number
  }

  /// Parses a number with one of several units, and converts it with the unit's factor.
  mutating func number(in units: [(name: String, size: Double)]) throws(LineFault) -> Double {
    let number = try number()
    let names = units.map(\.name).joined(separator: " or ")
    guard let unit = units.first(where: { $0.name == first }) else {
      throw LineFault("expected \(names) after the number\(instead)")
    }
    words.removeFirst()
    return number * unit.size
  }

  mutating func meters() throws(LineFault) -> Meters { try number(in: [("m", 1), ("km", 1_000)]) }

  mutating func speed() throws(LineFault) -> MetersPerSecond { try number(in: [("m/s", 1), ("km/h", 1 / 3.6)]) }

  mutating func choice<Value>(_ what: String, _ values: [String: Value]) throws(LineFault) -> Value {
    guard let value = first.flatMap({ values[$0] }) else {
      throw LineFault("expected \(what) (\(values.keys.sorted().joined(separator: ", ")))\(instead)")
    }
    words.removeFirst()
    return value
  }

  mutating func choice<Value: RawRepresentable & CaseIterable>(
    _ what: String, _: Value.Type
  ) throws(LineFault) -> Value where Value.RawValue == String {
    try choice(what, Dictionary(uniqueKeysWithValues: Value.allCases.map { ($0.rawValue, $0) }))
  }

  /// Parses one or more systems.
  mutating func systems() throws(LineFault) -> [SystemVersion] {
    if consume("all") { return SystemVersion.phones }
    var systems = [try choice("a system, or all", SystemVersion.self)]
    while !isEmpty { systems.append(try choice("a system", SystemVersion.self)) }
    return systems
  }

  /// Parses a time: "+20m" after the start, or the first time of day "08:20" that is not before the start.
  mutating func timestamp(_ start: SimulatedTime) throws(LineFault) -> SimulatedTime {
    guard let word = first, let time = Self.timestamp(word, start) else {
      throw LineFault("expected a time such as 08:20 or +20m\(instead)")
    }
    words.removeFirst()
    return time
  }

  static func timestamp(_ word: String, _ start: SimulatedTime) -> SimulatedTime? {
    if word.first == "+" { return ScriptTime.seconds(String(word.dropFirst())).map { start + $0 } }
    guard let seconds = clock(word) else { return nil }
    let day = 86_400_000_000
    let midnight = start.microseconds - start.microseconds % Int64(day)
    let time = SimulatedTime(microseconds: midnight) + seconds
    return time < start ? time + 86_400 : time
  }

  /// Returns the seconds since midnight of "08:20" or "08:20:30"; `nil` for other text.
  static func clock(_ word: String) -> Double? {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { $0.isASCII && $0.isNumber } })
    else { return nil }
    let numbers = parts.compactMap { Double($0) }
    guard numbers[0] < 24, numbers[1] < 60, numbers.count == 2 || numbers[2] < 60 else { return nil }
    return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
  }
}
