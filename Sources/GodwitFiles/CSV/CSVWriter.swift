internal import GodwitModel
internal import GodwitText

/// Writes fixes as lines of CSV (RFC 4180) with all their values. Numbers are in metres, metres per second and degrees; the
/// battery level is 0…1; `extras` is the text of a JSON object. A text that a spreadsheet would evaluate as a formula has a
/// leading apostrophe.
enum CSVWriter {
  static let heading =
    "timestamp,latitude,longitude,altitude,horizontal_accuracy,vertical_accuracy,speed,course,battery_level,wifi,"
    + "speed_accuracy,course_accuracy,battery_state,motion,device_id,unique_id,trip_id,record_id,extras\r\n"

  /// The names of the columns.
  static let names = heading.split(whereSeparator: \.isNewline).joined().split(separator: ",").map(String.init)

  static func append(_ record: Record, _ fix: Fix, into bytes: inout [UInt8]) {
    func number(_ value: Double?, _ decimals: Int) {
      if let value, DecimalWriter.canWrite(value, decimals: decimals) {
        DecimalWriter.append(value, decimals: decimals, to: &bytes)
      }
      bytes.append(UInt8(ascii: ","))
    }
    func text(_ text: String?) {
      if let text { bytes.append(contentsOf: CSVFields.quoted(CSVFormula.protected(text)).utf8) }
      bytes.append(UInt8(ascii: ","))
    }
    let context = record.context
    text(RFC3339.string(fix.time))
    number(fix.coordinate.latitude, 9)
    number(fix.coordinate.longitude, 9)
    for value in [fix.altitude, fix.horizontalAccuracy, fix.verticalAccuracy, fix.speed, fix.course] { number(value, 2) }
    number(context.batteryLevel, 4)
    text(context.wifi)
    number(fix.speedAccuracy, 2)
    number(fix.courseAccuracy, 2)
    text(context.batteryState.map(word))
    text(motions.filter { context.motion.contains($0.0) }.map(\.1).joined(separator: " "))
    text(context.deviceID)
    text(context.uniqueID)
    text(context.tripID)
    text(record.id?.description)
    text(record.extras)
    bytes[bytes.count - 1] = 0x0D
    bytes.append(0x0A)
  }

  private static func word(_ state: BatteryState) -> String {
    switch state {
    case .unknown: "unknown"
    case .unplugged: "unplugged"
    case .charging: "charging"
    case .full: "full"
    }
  }

  private static let motions: [(Motion, String)] = [
    (.walking, "walking"), (.running, "running"), (.cycling, "cycling"), (.driving, "driving"), (.stationary, "stationary"),
  ]
}

/// Texts of cells that spreadsheets would evaluate as formulas: those that begin with `=`, `+`, `-`, `@`, a tab, a carriage
/// return or a line feed. A leading apostrophe makes them text (https://owasp.org/www-community/attacks/CSV_Injection).
enum CSVFormula {
  private static let beginnings: [UInt8] = [0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D, 0x0A]

  /// Whether a text begins with at least `count` apostrophes and then the beginning of a formula.
  private static func begins(_ text: some Sequence<UInt8>, after count: Int) -> Bool {
    var apostrophes = 0
    for byte in text {
      if byte == UInt8(ascii: "'") { apostrophes += 1 } else { return apostrophes >= count && beginnings.contains(byte) }
    }
    return false
  }

  /// Returns a text, with an additional apostrophe if it is a formula or a formula after apostrophes.
  static func protected(_ text: String) -> String { begins(text.utf8, after: 0) ? "'" + text : text }

  /// Returns a cell without the apostrophe that ``protected(_:)`` added.
  static func text(_ cell: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    begins(cell, after: 1) ? UnsafeBufferPointer(rebasing: cell[1...]) : cell
  }
}
