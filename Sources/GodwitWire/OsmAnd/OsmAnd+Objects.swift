internal import Foundation
internal import GodwitModel
internal import GodwitText

/// JSON values that contain the fields of a form: flat objects, rows of PhoneTrack, and updates of Home Assistant's app.
extension OsmAnd.Form {
  /// Reads a flat object.
  init(flat json: inout JSONReader) throws(JSONReader.Fault) {
    var fields: [Field] = []
    try json.forEachMember { (json, key) throws(JSONReader.Fault) in
      try Self.check(fields.count, json)
      if let field = try Field(json.decoded(key), from: json) { fields.append(field) }
    }
    self.init(fields: fields, text: [])
  }

  /// Reads the object `data` of Home Assistant's `update_location`.
  init(homeAssistantUpdate json: inout JSONReader) throws(JSONReader.Fault) {
    var fields: [Field] = []
    try json.forEachMember { (json, key) throws(JSONReader.Fault) in
      let name = json.decoded(key)
      try Self.check(fields.count, json)
      guard var field = try Field(name, from: json) else { return }
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
    self.init(fields: fields, text: [])
  }

  private static func check(_ count: Int, _ json: JSONReader) throws(JSONReader.Fault) {
    guard count < maximumFields else { throw json.unexpected("expected at most \(maximumFields) members", at: json.position) }
  }

  /// The columns of PhoneTrack (`logPostMultiple`), with the names of a form.
  private static let columns = [
    "lat", "lon", "timestamp", "altitude", "accuracy", "batt", "sat", "useragent", "speed", "bearing",
  ]

  /// Makes the record of a row of PhoneTrack.
  /// - Parameters:
  ///   - json: the reader, before the row.
  ///   - received: the time of receipt of the request, which is used for a row without a time.
  static func record(ofRow json: inout JSONReader, received: Date) throws(JSONReader.Fault) -> Record {
    let start = json.position
    guard try json.kind() == .array else { throw json.unexpected("expected an array of values", at: start) }
    json.position += 1
    var fields: [Field] = []
    if !json.isEmpty(closing: UInt8(ascii: "]")) {
      var index = 0
      repeat {
        _ = json.peek()
        guard index < columns.count else {
          throw json.unexpected("expected at most \(columns.count) values", at: json.position)
        }
        if let field = try Field(columns[index], from: json) { fields.append(field) }
        try json.skipValue()
        index += 1
      } while try json.hasMore(closing: UInt8(ascii: "]"))
    }
    return try Self(fields: fields, text: []).record(at: start, speed: .metersPerSecond, received: received)
  }

  /// Makes the record of an object.
  /// - Parameter start: the offset of the object, which is the place of the fault if a member is missing.
  func record(at start: Int, speed: OsmAnd.Speed, received: Date) throws(JSONReader.Fault) -> Record {
    do throws(FormatError) { return try record(speed: speed, received: received) } catch {
      let offset = error.place.byte == 0 ? start : error.place.byte
      throw JSONReader.Fault(
        offset: offset, isSyntax: false, reason: error.reason, path: error.place.path.map { "." + $0 } ?? "")
    }
  }
}

extension OsmAnd.Form.Field {
  /// Reads the next value without advancing the reader; `nil` for `null`.
  fileprivate init?(_ name: String, from json: JSONReader) throws(JSONReader.Fault) {
    self.init(name: name, value: "", byte: json.position)
    var ahead = json
    switch try ahead.kind() {
    case .null: return nil
    case .string: value = ahead.decoded(try ahead.string())
    default:
      value = ahead.verbatim(try ahead.skipValue())
      self.json = value
    }
  }
}
