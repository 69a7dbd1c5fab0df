internal import GodwitModel
internal import GodwitText

/// Reads a JSON object with the members of a point, found by their common names.
struct PointObjects {
  private var fields: [String: PointField?] = [:]
  var extras = ExtrasText()
  /// The factor of speeds.
  var speedFactor = 1.0
  /// The names of members that are always stored in the extras.
  var plain: Set<String> = []

  /// Reads the members of the next object. Members that a record cannot hold are added to the extras.
  mutating func read(_ json: inout JSONReader, into builder: inout PointBuilder) throws(JSONReader.Fault) {
    guard json.peek() == UInt8(ascii: "{") else {
      throw json.unexpected("expected an object", at: json.position)
    }
    json.position += 1
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    repeat {
      _ = json.peek()
      let member = json.position
      let key = try json.key()
      let first = json.peek()
      guard first != UInt8(ascii: "n") else {
        try json.null()
        continue
      }
      let isText = first == UInt8(ascii: "\"")
      let isObject = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
      let value: Range<Int>
      var isTaken = false
      let field = field(json.decoded(key))
      if isText {
        let text = try json.string()
        value = text.start - 1..<text.end + 1
        if let field {
          if text.hasEscapes {
            let decoded = Array(json.decoded(text).utf8)
            isTaken = decoded.withUnsafeBufferPointer { builder.set(field, $0) }
          } else {
            isTaken = builder.set(field, UnsafeBufferPointer(start: json.base + text.start, count: text.count))
          }
        } else {
          isTaken = text.count == 0
        }
      } else {
        value = try json.skipValue()
        if let field, !isObject || field.kind == .motion || field.kind == .extras {
          isTaken = builder.set(field, UnsafeBufferPointer(start: json.base + value.lowerBound, count: value.count))
        }
      }
      if !isTaken {
        if isObject {
          // An empty object or array is omitted.
          if value.count > 2 { extras.appendCompact(key, value, of: json) }
        } else {
          extras.store(member..<json.position, of: json)
        }
      }
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  private mutating func field(_ name: String) -> PointField? {
    if let known = fields[name] { return known }
    var field = plain.contains(name) ? nil : PointField(name)
    if field?.kind == .speed { field?.factor *= speedFactor }
    if fields.count < 1000 { fields[name] = .some(field) }
    return field
  }
}
