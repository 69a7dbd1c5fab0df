internal import Foundation
internal import GodwitModel

/// The time zones of countries, each with the position of the town after which it is named: the table `zone.tab` of the time zone
/// database (tzdata).
///
/// A country with one zone has this zone everywhere. In a country with several zones, the zone of the nearest town is used, which
/// may be wrong near the borders of zones.
struct TimeZoneTable: Sendable {
  private struct Entry: Sendable {
    let coordinate: Coordinate
    let zone: String
  }
  private let byCountry: [String: [Entry]]

  /// The table of this machine. Without a table, no zone is suggested.
  static let system = TimeZoneTable((try? String(contentsOfFile: "/usr/share/zoneinfo/zone.tab", encoding: .utf8)) ?? "")

  /// - Parameter text: lines with a country code, a position as `±DDMM±DDDMM` or `±DDMMSS±DDDMMSS`, and the name of a zone,
  ///   separated by tabs. Other lines are ignored.
  init(_ text: String) {
    var entries: [String: [Entry]] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: "\t")
      guard fields.count >= 3, let coordinate = Self.coordinate(fields[1]) else { continue }
      entries[String(fields[0]), default: []].append(Entry(coordinate: coordinate, zone: String(fields[2])))
    }
    byCountry = entries
  }

  private static func coordinate(_ text: Substring) -> Coordinate? {
    guard let middle = text.dropFirst().firstIndex(where: { $0 == "+" || $0 == "-" }),
      let latitude = degrees(text[..<middle], 2), let longitude = degrees(text[middle...], 3)
    else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  /// Parses degrees: a sign, the digits of the degrees, two digits of minutes, and optionally two digits of seconds.
  private static func degrees(_ text: Substring, _ digits: Int) -> Double? {
    let numbers = text.dropFirst()
    guard numbers.count == digits + 2 || numbers.count == digits + 4, let whole = Double(numbers.prefix(digits)),
      let minutes = Double(numbers.dropFirst(digits).prefix(2))
    else { return nil }
    let seconds = Double(numbers.dropFirst(digits + 2)) ?? 0
    return (whole + minutes / 60 + seconds / 3600) * (text.first == "-" ? -1 : 1)
  }

  /// Returns the time zone of a place.
  /// - Parameter country: the two-letter code of the country of the place; `nil` at sea.
  /// - Returns: `nil` if the table has no zone of the country, or Foundation does not know the zone.
  func zone(at place: Coordinate, in country: String?) -> String? {
    guard let country, let entries = byCountry[country] else { return nil }
    let nearest = entries.min { GreatCircle.distance(place, $0.coordinate) < GreatCircle.distance(place, $1.coordinate) }
    return nearest.flatMap { TimeZone(identifier: $0.zone) == nil ? nil : $0.zone }
  }
}
