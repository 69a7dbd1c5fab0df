internal import Foundation
public import GodwitModel

/// Entries of Wolfram Data Drop: form fields, one record in each call. Names have no underscores, because symbols of the
/// Wolfram Language cannot contain them.
public enum DataDrop {
  public static func carries(_ record: Record) -> Bool {
    switch record.kind {
    case .fix, .visit: true
    case .trip, .region, .action: false
    }
  }

  /// Returns the fields of an entry; empty for a record that the format cannot express.
  public static func fields(_ record: Record) -> [(name: String, value: String)] {
    var fields: [(String, String)] = []
    func add(_ name: String, _ value: Double?, _ decimals: Int) {
      if let text = Decimal.text(value, decimals) { fields.append((name, text)) }
    }
    switch record.kind {
    case .fix(let fix):
      fields.append(("timestamp", RFC3339.string(fix.time)))
      add("latitude", fix.coordinate.latitude, 7)
      add("longitude", fix.coordinate.longitude, 7)
      add("horizontalAccuracy", fix.horizontalAccuracy, 1)
      add("altitude", fix.altitude, 1)
      add("verticalAccuracy", fix.verticalAccuracy, 1)
      add("speed", fix.speed, 2)
      add("course", fix.course, 1)
    case .visit(let visit):
      fields.append(("timestamp", RFC3339.string(visit.time)))
      add("latitude", visit.coordinate.latitude, 7)
      add("longitude", visit.coordinate.longitude, 7)
      add("horizontalAccuracy", visit.horizontalAccuracy, 1)
      if let arrival = visit.arrival { fields.append(("arrival", RFC3339.string(arrival))) }
      if let departure = visit.departure { fields.append(("departure", RFC3339.string(departure))) }
    case .trip, .region, .action: return []
    }
    if let device = record.context.deviceID, !device.isEmpty { fields.append(("device", device)) }
    add("batteryLevel", record.context.batteryLevel, 2)
    if let id = record.id { fields.append(("record", id.description)) }
    return fields
  }

  /// Appends the body of a call.
  public static func write(_ record: Record, into bytes: inout [UInt8]) {
    bytes.append(contentsOf: QueryString.encoded(fields(record)).utf8)
  }
}
