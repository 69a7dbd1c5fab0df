internal import Foundation
internal import GodwitModel
internal import GodwitText

/// What other programs send where a place is expected: PhoneTrack's rows, the update of Home Assistant's app.
extension RegionReader {
  /// PhoneTrack's columns (`logPostMultiple`), by the names of a form.
  private static let columns = [
    "lat", "lon", "timestamp", "altitude", "accuracy", "batt", "sat", "useragent", "speed", "bearing",
  ]

  /// An object with an array `points` of rows of values.
  mutating func rows(
    _ place: Int, _ request: inout OsmAnd.Request, received: Date, into batch: inout RecordBatch
  ) throws(Fault) {
    var device: String?
    try passMembers { (reader, key) throws(Fault) in device = try reader.device(key) ?? device }
    let end = json.position
    request.device = device
    json.position = place
    try records(path: ".points", into: &batch) { (reader) throws(Fault) in try reader.row(received: received) }
    json.position = end
  }

  private mutating func row(received: Date) throws(Fault) -> Record {
    let start = json.position
    guard try json.kind() == .array else { throw json.unexpected("expected an array of values", at: start) }
    json.position += 1
    var fields: [OsmAnd.Form.Field] = []
    if !json.isEmpty(closing: UInt8(ascii: "]")) {
      var index = 0
      repeat {
        _ = json.peek()
        guard index < Self.columns.count else {
          throw json.unexpected("expected at most \(Self.columns.count) values", at: json.position)
        }
        if let field = try field(Self.columns[index]) { fields.append(field) }
        try json.skipValue()
        index += 1
      } while try json.hasMore(closing: UInt8(ascii: "]"))
    }
    return try record(of: OsmAnd.Form(fields: fields, text: []), at: start, speed: .metersPerSecond, received: received)
  }

  /// `update_location` of Home Assistant's app, whose members are in the object `data`.
  /// - Parameters:
  ///   - data: where that object begins.
  ///   - end: where the update ends.
  ///   - received: its time, because it has none.
  mutating func homeAssistantUpdate(_ data: Int, end: Int, received: Date) throws(Fault) -> Record {
    json.position = data
    var fields: [OsmAnd.Form.Field] = []
    try passMembers { (reader, key) throws(Fault) in
      let name = reader.json.decoded(key)
      guard fields.count < OsmAnd.Form.maximumFields else {
        throw reader.json.unexpected("expected at most \(OsmAnd.Form.maximumFields) members", at: reader.json.position)
      }
      guard var field = try reader.field(name) else { return }
      switch name {
      case "gps":
        field.name = "location"
        field.value = field.value.trimmingCharacters(in: CharacterSet(charactersIn: "[] \t\r\n"))
      case "gps_accuracy": field.name = "accuracy"
      case "vertical_accuracy": field.name = "vacc"
      default: break
      }
      fields.append(field)
    }
    json.position = end
    do throws(Fault) {
      return try record(
        of: OsmAnd.Form(fields: fields, text: []), at: data, speed: .metersPerSecond, received: received)
    } catch {
      throw error.below(".data")
    }
  }
}
