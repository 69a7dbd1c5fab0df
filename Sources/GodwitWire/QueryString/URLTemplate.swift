public import Foundation
public import GodwitModel
public import GodwitText

/// A URL with placeholders for the newest position: `https://example.org/?lat=%LAT&lon=%LON`.
///
/// `%TS` time (ISO 8601), `%LAT` `%LON` degrees, `%ACC` metres, `%SPD` metres per second (negative when unknown), `%ALT`
/// metres, `%BAT` 0…1. The placeholders are those of Overland. Values are escaped as in a query; unknown values are empty.
public struct URLTemplate: Sendable, Hashable {
  public let text: String
  private let parts: [Part]

  private enum Part: Sendable, Hashable {
    case text(String)
    case place(Place)
  }

  /// A placeholder; the raw value is the text after the percent sign.
  private enum Place: String, Sendable, Hashable, CaseIterable {
    case time = "TS"
    case latitude = "LAT"
    case longitude = "LON"
    case accuracy = "ACC"
    case speed = "SPD"
    case altitude = "ALT"
    case battery = "BAT"
  }

  /// Parses a template.
  /// - Throws: `FormatError` if the text is not the URL of a web server or contains an unknown placeholder.
  public init(_ text: String) throws(FormatError) {
    self.text = text
    parts = try Self.parts(of: text)
    guard isWebAddress else {
      throw Self.error("\"\(text)\" is not an address of a web server; expected http://HOST/… or https://HOST/…", at: 0)
    }
  }

  /// Makes a template without placeholders.
  public init(_ url: URL) {
    text = url.absoluteString
    parts = [.text(text)]
  }

  /// Whether the text is the URL of a web server: with `http` or `https`, and a host.
  package var isWebAddress: Bool {
    guard let url = filled(with: nil), let scheme = url.scheme?.lowercased() else { return false }
    return ["http", "https"].contains(scheme) && url.host?.isEmpty == false
  }

  public var hasPlaces: Bool { parts.contains { if case .place = $0 { true } else { false } } }

  /// Returns the URL for a record. - Returns: `nil` only if the text is not a URL.
  public func filled(with record: Record?) -> URL? {
    var fix: Fix?
    if case .fix(let newest)? = record?.kind { fix = newest }
    return URL(
      string: parts.reduce(into: "") { filled, part in
        switch part {
        case .text(let text): filled += text
        case .place(let place): filled += fix.map { Self.value(place, of: $0, record?.context.batteryLevel) } ?? ""
        }
      })
  }

  private static func value(_ place: Place, of fix: Fix, _ battery: Double?) -> String {
    switch place {
    case .time: QueryString.escaped(RFC3339.string(fix.time, .seconds))
    case .latitude: Decimal.text(fix.coordinate.latitude, 7) ?? ""
    case .longitude: Decimal.text(fix.coordinate.longitude, 7) ?? ""
    case .accuracy: Decimal.text(fix.horizontalAccuracy, 1) ?? ""
    case .speed: Decimal.text(fix.speed, 2) ?? "-1"
    case .altitude: Decimal.text(fix.altitude, 1) ?? ""
    case .battery: Decimal.text(battery, 2) ?? ""
    }
  }

  // MARK: Reading the text

  /// Splits a template into its parts. A percent sign begins a placeholder, or a byte with two hexadecimal digits. A text
  /// that could be either (`%ACC`, `%BAT`) is a placeholder, as in the app.
  private static func parts(of text: String) throws(FormatError) -> [Part] {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    while let sign = rest.firstIndex(of: "%") {
      literal += rest[..<sign]
      let after = rest[rest.index(after: sign)...]
      // The whole word is compared: %LATITUDE and %BATT are mistakes, not placeholders followed by letters.
      let word = String(after.prefix { $0.isASCII && $0.isUppercase })
      if let place = Place(rawValue: word) {
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(.place(place))
        rest = after.dropFirst(word.count)
      } else if !Place.allCases.contains(where: { word.hasPrefix($0.rawValue) }), isEscape(after.prefix(2)) {
        literal += "%" + after.prefix(2)
        rest = after.dropFirst(2)
      } else {
        let name = after.prefix { $0.isASCII && $0.isLetter }
        let byte = text.utf8.distance(from: text.startIndex, to: sign)
        let known = Place.allCases.map { "%" + $0.rawValue }.joined(separator: " ")
        throw error(
          name.isEmpty
            ? "the % at byte \(byte) of \"\(text)\" is not a placeholder; write %25 for a percent sign"
            : "\"%\(name)\" in \"\(text)\" is not a placeholder; known are \(known), in capital letters", at: byte)
      }
    }
    literal += rest
    if !literal.isEmpty { parts.append(.text(literal)) }
    return parts
  }

  private static func isEscape(_ text: Substring) -> Bool {
    text.utf8.count == 2 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
  }

  private static func error(_ reason: String, at byte: Int) -> FormatError {
    FormatError(format: "address", place: FormatError.Place(byte: byte), reason: reason)
  }
}
