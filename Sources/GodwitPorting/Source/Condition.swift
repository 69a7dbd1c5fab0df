/// The condition of `#if` or `#elseif`.
indirect enum Condition {
  case all(Condition, Condition)
  case any(Condition, Condition)
  case not(Condition)
  /// `os(iOS)`, `DEBUG`, `swift(>=5.9)`: the name, the text between the parentheses, and the range in the file.
  case test(name: String, argument: String?, range: Range<Int>)

  /// Parses the condition in a line of code; `nil`: its form is not supported.
  init?(_ text: SwiftText, in range: Range<Int>) {
    var parser = ConditionParser(text: text, index: range.lowerBound, end: range.upperBound)
    guard let condition = parser.any(), parser.isAtEnd else { return nil }
    self = condition
  }

  /// The value of the condition; `nil`: it depends on a test whose value `holds` does not return.
  func value(_ holds: (_ name: String, _ argument: String?) -> Bool?) -> Bool? {
    switch self {
    case .test(let name, let argument, _): return holds(name, argument)
    case .not(let condition): return condition.value(holds).map { !$0 }
    case .all(let left, let right):
      let values = [left.value(holds), right.value(holds)]
      return values.contains(false) ? false : values.contains(nil) ? nil : true
    case .any(let left, let right):
      let values = [left.value(holds), right.value(holds)]
      return values.contains(true) ? true : values.contains(nil) ? nil : false
    }
  }

  /// The tests in the condition, from left to right, each with whether it is alone or only combined with `||`.
  func tests(isAlternative: Bool = true) -> [(name: String, argument: String?, range: Range<Int>, isAlternative: Bool)] {
    switch self {
    case .test(let name, let argument, let range): [(name, argument, range, isAlternative)]
    case .not(let condition): condition.tests(isAlternative: false)
    case .all(let left, let right): left.tests(isAlternative: false) + right.tests(isAlternative: false)
    case .any(let left, let right): left.tests(isAlternative: isAlternative) + right.tests(isAlternative: isAlternative)
    }
  }
}

private struct ConditionParser {
  let text: SwiftText
  var index: Int
  let end: Int

  private mutating func skipSpace() { while index < end, SwiftText.isSpace(text.code[index]) { index += 1 } }

  var isAtEnd: Bool {
    var rest = self
    rest.skipSpace()
    return rest.index == end
  }

  private mutating func consume(_ word: StaticString) -> Bool {
    skipSpace()
    let count = word.utf8CodeUnitCount
    guard index + count <= end else { return false }
    let matches = word.withUTF8Buffer { text.code[index..<index + count].elementsEqual($0) }
    if matches { index += count }
    return matches
  }

  mutating func any() -> Condition? {
    guard var condition = all() else { return nil }
    while consume("||") {
      guard let next = all() else { return nil }
      condition = .any(condition, next)
    }
    return condition
  }

  private mutating func all() -> Condition? {
    guard var condition = single() else { return nil }
    while consume("&&") {
      guard let next = single() else { return nil }
      condition = .all(condition, next)
    }
    return condition
  }

  private mutating func single() -> Condition? {
    if consume("!") { return single().map { .not($0) } }
    if consume("(") {
      guard let condition = any(), consume(")") else { return nil }
      return condition
    }
    skipSpace()
    let start = index
    while index < end, SwiftText.continuesName(text.code[index]) { index += 1 }
    guard index > start, SwiftText.beginsName(text.code[start]) else { return nil }
    let name = String(decoding: text.code[start..<index], as: UTF8.self)
    guard index < end, text.code[index] == UInt8(ascii: "(") else {
      return .test(name: name, argument: nil, range: start..<index)
    }
    let inside = index + 1
    while index < end, text.code[index] != UInt8(ascii: ")") { index += 1 }
    guard index < end else { return nil }
    let argument = String(decoding: text.code[inside..<index].filter { !SwiftText.isSpace($0) }, as: UTF8.self)
    index += 1
    return .test(name: name, argument: argument, range: start..<index)
  }
}
