internal import GodwitModel
internal import GodwitText

/// A number in a cell of a table: `98.470 m`, `36,5 km/h`, `31.769598N`, `S 33°43.2'`.
enum CellNumber: Equatable {
  /// In the units of a record: degrees, metres, metres per second, and 1 for a full battery.
  case number(Double)
  /// The cell contains no number, or a number with other text in a column that may contain text.
  case other
  /// The cell contains a number whose meaning is unknown. The value is a sentence without its full stop.
  case unknown(String)

  /// Maximum size in bytes of a cell that is read as a number.
  private static let maximum = 80

  /// Reads a cell.
  /// - Parameters:
  ///   - cell: the text of the cell.
  ///   - field: the field of the column. The unit of the cell takes precedence over the unit of the heading.
  ///   - hasDecimalCommas: whether a single comma is a decimal separator; `false` if it may separate thousands.
  static func read(_ cell: UnsafeBufferPointer<UInt8>, _ field: PointField, hasDecimalCommas: Bool) -> CellNumber {
    guard cell.count <= maximum else { return .other }
    let text = String(decoding: cell, as: UTF8.self)
    let parts = CellParts(text, hasDecimalCommas: hasDecimalCommas)
    guard !parts.numbers.isEmpty else { return .other }
    if field.kind == .latitude || field.kind == .longitude { return angle(parts, field, text) }
    guard parts.numbers.count == 1, case .number(let value)? = parts.all.first else {
      return field.isStrict && parts.startsWithNumber ? .unknown(sentence(text, "is not a number")) : .other
    }
    let unit = parts.words.joined()
    if unit.isEmpty { return .number(value * field.factor) }
    if let factor = PointField.factor(of: unit, for: field.kind) { return .number(value * factor) }
    guard field.isStrict else { return .other }
    return .unknown(sentence(text, "has an unknown unit; expected \(field.expectedUnits)"))
  }

  private static func sentence(_ text: String, _ fault: String) -> String { "\(text.debugDescription) \(fault)" }

  /// Reads degrees with optional minutes, seconds and hemisphere.
  private static func angle(_ parts: CellParts, _ field: PointField, _ text: String) -> CellNumber {
    let isLatitude = field.kind == .latitude
    let expected = isLatitude ? "N or S" : "E or W"
    var hemisphere: Hemisphere?
    for word in parts.words {
      if let found = Hemisphere(word) {
        guard hemisphere == nil else { return .unknown(sentence(text, "has two hemispheres; expected one")) }
        guard found.isLatitude == isLatitude else { return .unknown(sentence(text, "has a hemisphere that is not \(expected)")) }
        hemisphere = found
      } else if !CellParts.angleSymbols.contains(word) {
        return .unknown(sentence(text, "has an unknown sign; expected degrees with \(expected)"))
      }
    }
    guard parts.numbers.count <= 3, let degrees = parts.numbers.first else {
      return .unknown(sentence(text, "is not latitude or longitude in degrees"))
    }
    var value = abs(degrees) * abs(field.factor)
    for (index, part) in parts.numbers.enumerated().dropFirst() {
      guard part >= 0, part < 60 else { return .unknown(sentence(text, "has minutes or seconds outside 0 to 59")) }
      value += part / (index == 1 ? 60 : 3600)
    }
    let isNegative = parts.isFirstNegative
    if isNegative, hemisphere?.isNegative == false {
      return .unknown(sentence(text, "has a minus sign and a hemisphere that contradict each other"))
    }
    return .number(isNegative || hemisphere?.isNegative == true ? -value : value)
  }
}

/// A hemisphere, as a letter or a word next to a latitude or longitude.
enum Hemisphere: Sendable, Hashable {
  case north, south, east, west

  /// - Parameter word: a letter or a word in any case. "O" is not accepted: it means east in German and west in French.
  init?(_ word: String) {
    switch word.lowercased() {
    case "n", "north", "nord", "norte": self = .north
    case "s", "south", "süd", "sud", "sued", "sur": self = .south
    case "e", "east", "ost", "est": self = .east
    case "w", "west", "ouest", "oeste": self = .west
    default: return nil
    }
  }

  var isLatitude: Bool { self == .north || self == .south }
  var isNegative: Bool { self == .south || self == .west }
}

/// The numbers and words of a cell, in the order of the text.
struct CellParts {
  enum Part: Equatable {
    case number(Double)
    case word(String)
  }
  private(set) var all: [Part] = []
  /// Whether the first number has a minus sign, −0 included.
  private(set) var isFirstNegative = false

  /// Words and symbols after degrees, minutes and seconds.
  static let angleSymbols: Set<String> = [
    "°", "º", "˚", "deg", "degrees", "d", "'", "′", "’", "min", "\"", "″", "”", "''", "sec",
  ]

  var numbers: [Double] { all.compactMap { if case .number(let value) = $0 { value } else { nil } } }
  var words: [String] { all.compactMap { if case .word(let word) = $0 { word } else { nil } } }
  var startsWithNumber: Bool { if case .number? = all.first { true } else { false } }

  init(_ text: String, hasDecimalCommas: Bool) {
    let scalars = Array(text.unicodeScalars)
    func isDigit(_ index: Int) -> Bool { index < scalars.count && (0x30...0x39).contains(scalars[index].value) }
    var index = 0
    var word = ""
    func isSign(_ scalar: Unicode.Scalar) -> Bool { scalar == "-" || scalar == "+" || scalar == "−" }
    func endWord() {
      if !word.isEmpty { all.append(.word(word.lowercased())) }
      word = ""
    }
    while index < scalars.count {
      let scalar = scalars[index]
      let startsNumber =
        isDigit(index) || ((scalar == "." || scalar == ",") && isDigit(index + 1))
        || (isSign(scalar)
          && (isDigit(index + 1) || (index + 1 < scalars.count && scalars[index + 1] == "." && isDigit(index + 2))))
      if startsNumber {
        endWord()
        var digits = ""
        if isSign(scalar) {
          if scalar != "+" { digits = "-" }
          index += 1
        }
        while index < scalars.count, isDigit(index) || ((scalars[index] == "." || scalars[index] == ",") && isDigit(index + 1)) {
          digits.unicodeScalars.append(scalars[index])
          index += 1
        }
        // A decimal point at the end of a number, as in `12.`
        if index < scalars.count, scalars[index] == "." { index += 1 }
        if numbers.isEmpty { isFirstNegative = digits.hasPrefix("-") }
        guard let value = Self.number(digits, hasDecimalCommas: hasDecimalCommas) else {
          all.append(.word(digits))
          continue
        }
        all.append(.number(value))
        continue
      }
      if scalar.properties.isWhitespace || scalar == "." || scalar == "(" || scalar == ")" || scalar == "[" || scalar == "]" {
        endWord()
      } else if Self.angleSymbols.contains(String(scalar)), !scalar.properties.isAlphabetic {
        // A symbol is a word of its own, even directly before a letter: 10.5"S.
        endWord()
        all.append(.word(String(scalar)))
      } else {
        word.unicodeScalars.append(scalar)
      }
      index += 1
    }
    endWord()
  }

  /// Reads `1234.5`, `1,234.5`, `1.234,5` and `12,5`.
  private static func number(_ text: String, hasDecimalCommas: Bool) -> Double? {
    guard text.contains(",") else { return DecimalParser.double(text) }
    let (commas, points) = (text.count { $0 == "," }, text.count { $0 == "." })
    let isDecimal: Bool
    if points > 0, let comma = text.lastIndex(of: ","), let point = text.lastIndex(of: ".") {
      // The last separator is the decimal separator, and the other one separates thousands.
      isDecimal = comma > point
      guard (isDecimal ? commas : points) == 1 else { return nil }
    } else {
      let groups = text.split(separator: ",", omittingEmptySubsequences: false)
      let areThousands = groups.dropFirst().allSatisfy { $0.count == 3 } && (1...3).contains(groups[0].drop { $0 == "-" }.count)
      isDecimal = commas == 1 && (hasDecimalCommas || !areThousands)
      guard isDecimal || areThousands else { return nil }
    }
    return DecimalParser.double(
      isDecimal ? text.replacing(".", with: "").replacing(",", with: ".") : text.replacing(",", with: ""))
  }
}
