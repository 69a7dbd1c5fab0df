public import Foundation
public import GodwitModel

/// An address with places for the newest position: `https://example.org/?lat=%LAT&lon=%LON`.
///
/// `%TS` time (ISO 8601), `%LAT` `%LON` degrees, `%ACC` metres, `%SPD` metres per second (negative when unknown),
/// `%ALT` metres, `%BAT` 0…1: Overland's. Values are escaped as in a query; what is not known is empty.
public struct URLTemplate: Sendable, Hashable {
  public let text: String

  private static let names = ["%TS", "%LAT", "%LON", "%ACC", "%SPD", "%ALT", "%BAT"]

  /// - Throws: a sentence, when it is no address of a web server.
  public init(_ text: String) throws(FormatError) {
    self.text = text
    guard let url = filled(with: nil), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
      url.host?.isEmpty == false
    else {
      throw FormatError(
        format: "address", place: FormatError.Place(byte: 0),
        reason: "\"\(text)\" is no address of a web server; expected http://HOST/… or https://HOST/…")
    }
  }

  /// An address without places.
  public init(_ url: URL) { text = url.absoluteString }

  public var hasPlaces: Bool { Self.names.contains { text.contains($0) } }

  /// The address for a record. - Returns: `nil` only where the text is no address at all.
  public func filled(with record: Record?) -> URL? {
    guard hasPlaces else { return URL(string: text) }
    var filled = text
    for (name, value) in values(record) { filled = filled.replacingOccurrences(of: name, with: value) }
    return URL(string: filled)
  }

  private func values(_ record: Record?) -> [(String, String)] {
    guard let record, case .fix(let fix) = record.kind else { return Self.names.map { ($0, "") } }
    return [
      ("%TS", QueryString.escaped(RFC3339.string(fix.time, .seconds))),
      ("%LAT", Decimal.text(fix.coordinate.latitude, 7)), ("%LON", Decimal.text(fix.coordinate.longitude, 7)),
      ("%ACC", fix.horizontalAccuracy.map { Decimal.text($0, 1) } ?? ""),
      ("%SPD", Decimal.text(fix.speed ?? -1, 2)), ("%ALT", fix.altitude.map { Decimal.text($0, 1) } ?? ""),
      ("%BAT", record.context.batteryLevel.map { Decimal.text($0, 2) } ?? ""),
    ]
  }
}
