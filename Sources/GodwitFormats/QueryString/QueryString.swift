internal import Foundation
public import GodwitModel

/// A place as the query of an address, with OsmAnd's names, which Traccar and many small scripts understand.
public enum QueryString {
  public static func carries(_ record: Record) -> Bool { if case .fix = record.kind { true } else { false } }

  /// The parameters of a fix; none for anything else. Speed is in knots, as OsmAnd sends it.
  public static func items(_ record: Record) -> [(name: String, value: String)] {
    guard case .fix(let fix) = record.kind else { return [] }
    let context = record.context
    var items: [(String, String)] = []
    if let id = context.deviceID ?? context.uniqueID { items.append(("id", id)) }
    items.append(("lat", Decimal.text(fix.coordinate.latitude, 7)))
    items.append(("lon", Decimal.text(fix.coordinate.longitude, 7)))
    items.append(("timestamp", Decimal.text(fix.time.timeIntervalSince1970, 0)))
    if let accuracy = fix.horizontalAccuracy { items.append(("accuracy", Decimal.text(accuracy, 1))) }
    if let altitude = fix.altitude { items.append(("altitude", Decimal.text(altitude, 1))) }
    if let speed = fix.speed { items.append(("speed", Decimal.text(speed * 3600 / 1852, 2))) }
    if let course = fix.course { items.append(("bearing", Decimal.text(course, 1))) }
    if let level = context.batteryLevel { items.append(("batt", Decimal.text(level * 100, 0))) }
    if let state = context.batteryState, state != .unknown {
      items.append(("charge", state == .unplugged ? "false" : "true"))
    }
    return items
  }

  /// Names and values as they stand in an address or a form: everything but letters, digits and `-._~` escaped.
  public static func encoded(_ items: [(name: String, value: String)]) -> String {
    items.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
  }

  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  /// RFC 3986, 2.3.
  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

/// Decimal text as the formats write it.
enum Decimal {
  static func text(_ value: Double, _ decimals: Int) -> String {
    var bytes: [UInt8] = []
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
