internal import Foundation
internal import GodwitModel
internal import GodwitText

extension RegionReader {
  /// JSON: Traccar Client's from version 9, one or several, or flat objects with the names of a query.
  mutating func osmAnd(speed: OsmAnd.Speed, received: Date) throws(Fault) -> OsmAnd.Request {
    var request = OsmAnd.Request()
    var batch = RecordBatch()
    try lossy(OsmAnd.format, &batch) { (reader, batch) throws(Fault) in
      if reader.json.peek() == UInt8(ascii: "[") {
        try reader.records(path: "", into: &batch) { (reader) throws(Fault) in
          try reader.report(&request, speed: speed, received: received)
        }
      } else {
        let (locations, points) = try reader.arrays()
        if let locations { return try reader.batch(locations, &request, into: &batch) }
        if let points { return try reader.rows(points, &request, received: received, into: &batch) }
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

  /// Where the arrays `location` and `points` of the object that comes next begin; `nil` where there are none. Nothing is passed.
  private mutating func arrays() throws(Fault) -> (locations: Int?, points: Int?) {
    let start = json.position
    defer { json.position = start }
    var (locations, points): (Int?, Int?)
    try passMembers { (reader, key) throws(Fault) in
      guard reader.json.peek() == UInt8(ascii: "[") else { return }
      if reader.json.matches(key, "location") { locations = reader.json.position }
      if reader.json.matches(key, "points") { points = reader.json.position }
    }
    return (locations, points)
  }

  /// Looks at the members of the object that comes next, and passes them. There may be `RecordLimits.extraMembers`.
  mutating func passMembers(_ look: (inout RegionReader, JSONReader.Text) throws(Fault) -> Void) throws(Fault) {
    try json.expect(UInt8(ascii: "{"), "{")
    guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
    var count = 0
    repeat {
      _ = json.peek()
      count += 1
      guard count <= RecordLimits.extraMembers else {
        throw json.unexpected(RecordLimits.tooManyMembers, at: json.position)
      }
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
    try passMembers { (reader, key) throws(Fault) in device = try reader.device(key) ?? device }
    let end = json.position
    request.device = device
    json.position = place
    try records(path: ".location", into: &batch) { (reader) throws(Fault) in
      var foreign = RegionImporter()
      return try reader.traccarLocation(&foreign)
    }
    json.position = end
  }

  /// What the client calls its device, where this member says it.
  mutating func device(_ key: JSONReader.Text) throws(Fault) -> String? {
    guard key.count <= OsmAndKey.maximumName, try json.kind() == .string, OsmAndKey(json.decoded(key)) == .device else {
      return nil
    }
    var ahead = json
    let name = try ahead.string()
    return name.count <= RecordLimits.bytes ? ahead.decoded(name) : nil
  }

  /// One report of any kind.
  private mutating func report(
    _ request: inout OsmAnd.Request, speed: OsmAnd.Speed, received: Date
  ) throws(Fault) -> Record? {
    _ = json.peek()
    let start = json.position
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: start) }
    var (isNested, isBare) = (false, false)
    var device: String?
    var webhook: Int?
    try passMembers { (reader, key) throws(Fault) in
      if reader.json.matches(key, "location") { isNested = try reader.json.kind() == .object || isNested }
      if reader.json.matches(key, "coords") { isBare = true }
      if reader.json.matches(key, "data"), try reader.json.kind() == .object { webhook = reader.json.position }
      device = try reader.device(key) ?? device
    }
    // Also of a report that turns out to be wrong.
    request.device = device ?? request.device
    let end = json.position
    json.position = start
    if isBare {
      var foreign = RegionImporter()
      return try traccarLocation(&foreign)
    }
    guard isNested else {
      if let webhook { return try homeAssistantUpdate(webhook, end: end, received: received) }
      return try flatReport(&request, start..<end, speed: speed, received: received)
    }
    var (foreign, record): (RegionImporter, Record?) = (RegionImporter(), nil)
    var context = DeviceContext()
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      if reader.json.matches(key, "location"), try reader.json.kind() == .object {
        record = try reader.traccarLocation(&foreign)
        return true
      }
      // Dawarich's app has them beside the location.
      if try reader.state(key, &context, of: &foreign) { return true }
      let name = OsmAndKey(reader.json.decoded(key))
      guard name == .secret || (name == .device && device != nil) else { return false }
      try reader.json.skipValue()
      return true
    }
    record?.context.deviceID = device
    record?.extras = foreign.othersText
    if let level = context.batteryLevel { record?.context.batteryLevel = level }
    if let state = context.batteryState { record?.context.batteryState = state }
    if !context.motion.isEmpty { record?.context.motion = context.motion }
    return record
  }

  /// A flat object: its members are the fields of a form.
  private mutating func flatReport(
    _ request: inout OsmAnd.Request, _ range: Range<Int>, speed: OsmAnd.Speed, received: Date
  ) throws(Fault) -> Record? {
    var fields: [OsmAnd.Form.Field] = []
    try passMembers { (reader, key) throws(Fault) in
      guard fields.count < OsmAnd.Form.maximumFields else {
        throw reader.json.unexpected("expected at most \(OsmAnd.Form.maximumFields) members", at: reader.json.position)
      }
      if let field = try reader.field(reader.json.decoded(key)) { fields.append(field) }
    }
    let form = OsmAnd.Form(fields: fields, text: [])
    // It may be a number there.
    request.device = form.device ?? request.device
    return try record(of: form, at: range.lowerBound, speed: speed, received: received)
  }

  /// The value that comes next as the field of a form; `nil` for `null`. Nothing is passed.
  mutating func field(_ name: String) throws(Fault) -> OsmAnd.Form.Field? {
    var field = OsmAnd.Form.Field(name: name, value: "", byte: json.position)
    var ahead = json
    switch try ahead.kind() {
    case .null: return nil
    case .string: field.value = ahead.decoded(try ahead.string())
    default:
      let value = try ahead.skipValue()
      field.value = ahead.verbatim(value)
      field.json = field.value
    }
    return field
  }

  /// - Parameter start: where the object begins, which is to blame where a member is missing.
  mutating func record(
    of form: OsmAnd.Form, at start: Int, speed: OsmAnd.Speed, received: Date
  ) throws(Fault) -> Record {
    do throws(FormatError) { return try form.record(speed: speed, received: received) } catch {
      let at = error.place.byte == 0 ? start : error.place.byte
      throw json.unexpected(error.reason, at: at, path: error.place.path.map { "." + $0 } ?? "")
    }
  }

  // MARK: Traccar Client

  private static let locationNames: [StaticString] = ["timestamp", "coords"]
  private static let placeNames: [StaticString] = ["latitude", "longitude"]
  private static let measurementNames: [StaticString] = [
    "accuracy", "altitude", "altitude_accuracy", "speed", "speed_accuracy", "heading", "heading_accuracy",
  ]
  private static let stateNames: [StaticString] = ["battery", "activity"]
  private static let batteryNames: [StaticString] = ["level", "is_charging"]

  private struct Location {
    var time: Int64?
    var latitude, longitude: Double?
    var accuracy, altitude, altitudeAccuracy, speed, speedAccuracy, course, courseAccuracy: Double?
    var context = DeviceContext()
  }

  /// The object `location`, whose unknown members come to `foreign`.
  private mutating func traccarLocation(_ foreign: inout RegionImporter) throws(Fault) -> Record {
    _ = json.peek()
    let start = json.position
    var found = Location()
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      switch reader.find(key, in: Self.locationNames) {
      case 0: found.time = try reader.moment()
      case 1: try reader.nested("coords", of: &foreign) { (reader, key) throws(Fault) in try reader.coordinate(key, &found) }
      default:
        if try reader.state(key, &found.context, of: &foreign) { return true }
        // Dawarich's app has no coords around them.
        return try reader.coordinate(key, &found)
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

  /// The member `battery` or `activity`, where it is an object. - Returns: `false` where it is none of them.
  private mutating func state(
    _ key: JSONReader.Text, _ context: inout DeviceContext, of foreign: inout RegionImporter
  ) throws(Fault) -> Bool {
    guard let index = find(key, in: Self.stateNames), try json.kind() == .object else { return false }
    if index == 0 {
      try nested("battery", of: &foreign) { (reader, key) throws(Fault) in try reader.battery(key, &context) }
    } else {
      try nested("activity", of: &foreign) { (reader, key) throws(Fault) in
        guard reader.json.matches(key, "type"), try reader.json.kind() == .string,
          let motion = MotionWord.read(reader.json.decoded(try reader.json.string()))
        else { return false }
        context.motion = motion
        return true
      }
    }
    return true
  }

  /// A member of `coords`. - Returns: `false` where it is not known, or makes no sense for its name.
  private mutating func coordinate(_ key: JSONReader.Text, _ found: inout Location) throws(Fault) -> Bool {
    switch find(key, in: Self.placeNames) {
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
    switch find(key, in: Self.measurementNames) {
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
      switch find(key, in: Self.batteryNames) {
      case 0:
        let level = try knownNumber()
        guard level.map({ $0 <= 1 }) ?? true else { return false }
        context.batteryLevel = level
      case 1:
        guard let isCharging = try lossyFlag() else { return false }
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
    guard kind == .string || kind == .number else { throw json.unexpected(DeviceTimestamp.expected, at: start) }
    let text = kind == .string ? json.decoded(try json.string()) : json.verbatim(try json.skipValue())
    guard let value = DeviceTimestamp.milliseconds(text) else {
      throw json.unexpected("\(text.prefix(40).debugDescription) is no time; \(DeviceTimestamp.expected)", at: start)
    }
    return value
  }
}
