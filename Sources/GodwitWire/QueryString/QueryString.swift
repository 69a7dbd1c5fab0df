public import GodwitModel
internal import GodwitText

/// A position as the query of a URL, with OsmAnd's names, which Traccar and many scripts support.
public enum QueryString {
  public static func carries(_ record: Record) -> Bool { if case .fix = record.kind { true } else { false } }

  /// Returns the parameters of a fix; empty for other records. The speed is in knots, as OsmAnd sends it.
  public static func items(_ record: Record) -> [(name: String, value: String)] {
    guard case .fix(let fix) = record.kind else { return [] }
    let context = record.context
    var items: [(String, String)] = []
    func add(_ name: String, _ value: Double?, _ decimals: Int) {
      if let text = Decimal.text(value, decimals) { items.append((name, text)) }
    }
    if let id = [context.deviceID, context.uniqueID].compactMap(\.self).first(where: { !$0.isEmpty }) {
      items.append(("id", id))
    }
    add("lat", fix.coordinate.latitude, 7)
    add("lon", fix.coordinate.longitude, 7)
    items.append(("timestamp", "\(fix.time.wholeSecondsSince1970)"))
    add("accuracy", fix.horizontalAccuracy, 1)
    add("altitude", fix.altitude, 1)
    add("speed", fix.speed.map { $0 * 3600 / 1852 }, 2)
    add("bearing", fix.course, 1)
    add("batt", context.batteryLevel.map { $0 * 100 }, 0)
    if let state = context.batteryState, state != .unknown {
      items.append(("charge", state == .unplugged ? "false" : "true"))
    }
    return items
  }

  /// Encodes names and values for a URL or a form. All characters except letters, digits and `-._~` are escaped.
  public static func encoded(_ items: [(name: String, value: String)]) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.count * 24)
    for (name, value) in items {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      escape(name, into: &bytes)
      bytes.append(UInt8(ascii: "="))
      escape(value, into: &bytes)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    escape(text, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Percent-encodes a text (RFC 3986, 2.1 and 2.3).
  private static func escape(_ text: String, into bytes: inout [UInt8]) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        for digit in [byte >> 4, byte & 15] { bytes.append(digit < 10 ? 48 + digit : 55 + digit) }
      }
    }
  }
}

/// Formats decimal numbers.
enum Decimal {
  /// Returns the text of a number; `nil` for `nil` and for a number that cannot be written.
  static func text(_ value: Double?, _ decimals: Int) -> String? {
    guard let value, DecimalWriter.canWrite(value, decimals: decimals) else { return nil }
    var bytes: [UInt8] = []
    DecimalWriter.append(value, decimals: decimals, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
