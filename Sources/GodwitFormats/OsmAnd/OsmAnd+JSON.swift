internal import Foundation
internal import GodwitModel

extension RegionReader {
  /// JSON: Traccar Client's from version 9, one or several, or flat objects with the names of a query.
  mutating func osmAnd(speed: OsmAnd.Speed, received: Date) throws(Fault) -> OsmAnd.Request {
    var request = OsmAnd.Request()
    var batch = RecordBatch()
    try lenient(OsmAnd.format, &batch) { (reader, batch) throws(Fault) in
      if reader.json.peek() == UInt8(ascii: "[") {
        try reader.records(path: "", into: &batch) { (reader) throws(Fault) in
          try reader.report(&request, speed: speed, received: received)
        }
      } else if let several = try reader.locations() {
        try reader.batch(several, &request, into: &batch)
      } else {
        try reader.record(0, path: "", into: &batch) { (reader) throws(Fault) in
          try reader.report(&request, speed: speed, received: received)
        }
      }
    }
    if let device = request.device {
      for index in batch.records.indices where batch.records[index].context.deviceID == nil {
        batch.records[index].context.deviceID = device
      }
    }
    request.batch = batch
    return request
  }

  /// Where the array `location` of the object that comes next begins; `nil` where it has none. Nothing is passed.
  private mutating func locations() throws(Fault) -> Int? {
    let start = json.position
    defer { json.position = start }
    var found: Int?
    try passMembers { (reader, key) throws(Fault) in
      if reader.json.matches(key, "location"), reader.json.peek() == UInt8(ascii: "[") { found = reader.json.position }
    }
    return found
  }

  /// Looks at the members of the object that comes next, and passes them.
  private mutating func passMembers(_ look: (inout RegionReader, JSONReader.Text) throws(Fault) -> Void) throws(Fault) {
    try json.expect(UInt8(ascii: "{"), "{")
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    repeat {
      _ = json.peek()
      let key = try json.key()
      _ = json.peek()
      try look(&self, key)
      try json.skipValue()
    } while try json.hasMore(closing: UInt8(ascii: "}"))
  }

  /// An object with an array of locations.
  private mutating func batch(
    _ place: Int, _ request: inout OsmAnd.Request, into batch: inout RecordBatch
  ) throws(Fault) {
    var device: String?
    try passMembers { (reader, key) throws(Fault) in
      if OsmAndKey(reader.json.decoded(key)) == .device, try reader.json.kind() == .string {
        var ahead = reader.json
        device = ahead.decoded(try ahead.string())
      }
    }
    let end = json.position
    request.device = device
    json.position = place
    try records(path: ".location", into: &batch) { (reader) throws(Fault) in
      var foreign = ForeignRegion()
      return try reader.traccarLocation(&foreign)
    }
    json.position = end
  }

  /// One report of either kind.
  private mutating func report(
    _ request: inout OsmAnd.Request, speed: OsmAnd.Speed, received: Date
  ) throws(Fault) -> Record? {
    _ = json.peek()
    let start = json.position
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: start) }
    var (isNested, isBare) = (false, false)
    var device: String?
    try passMembers { (reader, key) throws(Fault) in
      if reader.json.matches(key, "location") { isNested = try reader.json.kind() == .object || isNested }
      if reader.json.matches(key, "coords") { isBare = true }
      if OsmAndKey(reader.json.decoded(key)) == .device, try reader.json.kind() == .string {
        var ahead = reader.json
        device = ahead.decoded(try ahead.string())
      }
    }
    // Also of a report that turns out to be wrong.
    request.device = device ?? request.device
    let end = json.position
    json.position = start
    if isBare {
      var foreign = ForeignRegion()
      return try traccarLocation(&foreign)
    }
    guard isNested else { return try flatReport(&request, start..<end, speed: speed, received: received) }
    var (foreign, record): (ForeignRegion, Record?) = (ForeignRegion(), nil)
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      if reader.json.matches(key, "location"), try reader.json.kind() == .object {
        record = try reader.traccarLocation(&foreign)
        return true
      }
      let name = OsmAndKey(reader.json.decoded(key))
      guard name == .secret || (name == .device && device != nil) else { return false }
      try reader.json.skipValue()
      return true
    }
    record?.context.deviceID = device
    record?.extras = foreign.othersText
    return record
  }

  /// A flat object: its members are the fields of a form.
  private mutating func flatReport(
    _ request: inout OsmAnd.Request, _ range: Range<Int>, speed: OsmAnd.Speed, received: Date
  ) throws(Fault) -> Record? {
    var fields: [OsmAnd.Form.Field] = []
    try passMembers { (reader, key) throws(Fault) in
      guard fields.count < OsmAnd.Form.mostFields else {
        throw reader.json.unexpected("expected at most \(OsmAnd.Form.mostFields) members", at: reader.json.position)
      }
      var field = OsmAnd.Form.Field(name: reader.json.decoded(key), value: "", byte: reader.json.position)
      var ahead = reader.json
      switch try ahead.kind() {
      case .null: return
      case .string: field.value = ahead.decoded(try ahead.string())
      default:
        let value = try ahead.skipValue()
        field.value = ahead.verbatim(value)
        field.json = field.value
      }
      fields.append(field)
    }
    let form = OsmAnd.Form(fields: fields, text: [])
    // It may be a number there.
    request.device = form.device ?? request.device
    guard form.speaksOfPlace else { return nil }
    do throws(FormatError) { return try form.record(speed: speed, received: received) } catch {
      let at = error.place.byte == 0 ? range.lowerBound : error.place.byte
      throw json.unexpected(error.reason, at: at, path: error.place.path.map { "." + $0 } ?? "")
    }
  }

  // MARK: Traccar Client

  private struct Location {
    var time: Int64?
    var latitude, longitude: Double?
    var accuracy, altitude, altitudeAccuracy, speed, speedAccuracy, course, courseAccuracy: Double?
    var context = DeviceContext()
  }

  /// The object `location`, whose unknown members come to `foreign`.
  private mutating func traccarLocation(_ foreign: inout ForeignRegion) throws(Fault) -> Record {
    _ = json.peek()
    let start = json.position
    var found = Location()
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      switch reader.find(key, in: ["timestamp", "coords", "battery", "activity"]) {
      case 0: found.time = try reader.moment()
      case 1: try reader.nested("coords", of: &foreign) { (reader, key) throws(Fault) in try reader.coordinate(key, &found) }
      case 2 where try reader.json.kind() == .object:
        try reader.nested("battery", of: &foreign) { (reader, key) throws(Fault) in try reader.battery(key, &found.context) }
      case 3 where try reader.json.kind() == .object:
        try reader.nested("activity", of: &foreign) { (reader, key) throws(Fault) in
          guard reader.json.matches(key, "type"), try reader.json.kind() == .string,
            let motion = MotionWord.read(reader.json.decoded(try reader.json.string()))
          else { return false }
          found.context.motion = motion
          return true
        }
      default: return false
      }
      return true
    }
    guard let time = found.time else { throw json.unexpected("there is no time", at: start, path: ".timestamp") }
    guard let latitude = found.latitude else {
      throw json.unexpected("there is no latitude", at: start, path: ".coords.latitude")
    }
    guard let longitude = found.longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("there is no longitude", at: start, path: ".coords.longitude")
    }
    let fix = Fix(
      time: Date(millisecondsSince1970: time), coordinate: place, horizontalAccuracy: found.accuracy, altitude: found.altitude,
      verticalAccuracy: found.altitudeAccuracy, speed: found.speed, speedAccuracy: found.speedAccuracy, course: found.course,
      courseAccuracy: found.courseAccuracy)
    return Record(kind: .fix(fix), context: found.context, extras: foreign.othersText)
  }

  /// A member of `coords`. - Returns: `false` where it is not known, or makes no sense for its name.
  private mutating func coordinate(_ key: JSONReader.Text, _ found: inout Location) throws(Fault) -> Bool {
    switch find(key, in: ["latitude", "longitude"]) {
    case 0: found.latitude = try degrees(RegionValues.latitude)
    case 1: found.longitude = try degrees(RegionValues.longitude)
    default:
      do throws(Fault) { return try measurement(key, &found) } catch {
        if error.isSyntax { throw error }
        return false
      }
    }
    return true
  }

  private mutating func measurement(_ key: JSONReader.Text, _ found: inout Location) throws(Fault) -> Bool {
    let names: [StaticString] = [
      "accuracy", "altitude", "altitude_accuracy", "speed", "speed_accuracy", "heading", "heading_accuracy",
    ]
    switch find(key, in: names) {
    case 0: found.accuracy = try knownNumber()
    case 1: found.altitude = try finiteNumber()
    case 2: found.altitudeAccuracy = try knownNumber()
    case 3: found.speed = try knownNumber()
    case 4: found.speedAccuracy = try knownNumber()
    case 5:
      let course = try knownNumber()
      guard course.map({ $0 <= 360 }) ?? true else { return false }
      found.course = course
    case 6: found.courseAccuracy = try knownNumber()
    default: return false
    }
    return true
  }

  /// A member of `battery`, as above.
  private mutating func battery(_ key: JSONReader.Text, _ context: inout DeviceContext) throws(Fault) -> Bool {
    do throws(Fault) {
      switch find(key, in: ["level", "is_charging"]) {
      case 0:
        let level = try knownNumber()
        guard level.map({ $0 <= 1 }) ?? true else { return false }
        context.batteryLevel = level
      case 1:
        guard let isCharging = try lenientFlag() else { return false }
        context.batteryState = isCharging ? .charging : .unplugged
      default: return false
      }
    } catch {
      if error.isSyntax { throw error }
      return false
    }
    return true
  }

  /// A moment: a number, or a text of any kind that clients write.
  mutating func moment() throws(Fault) -> Int64 {
    let kind = try json.kind()
    let start = json.position
    guard kind == .string || kind == .number else { throw json.unexpected(MomentText.expected, at: start) }
    let text = kind == .string ? json.decoded(try json.string()) : json.verbatim(try json.skipValue())
    guard let value = MomentText.milliseconds(text) else {
      throw json.unexpected("\(text.prefix(40).debugDescription) is no time; \(MomentText.expected)", at: start)
    }
    return value
  }
}
