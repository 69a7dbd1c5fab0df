internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Reads a request in JSON: Traccar Client's from version 9, one or several reports, flat objects with the names of a query, and
/// what other programs send where a place is expected.
struct OsmAndReader {
  typealias Fault = JSONReader.Fault

  /// What a flat object's `speed` counts.
  let speed: OsmAnd.Speed
  /// When the request came; the time of what has none.
  let received: Date
  /// What the client calls its device, as far as it has been read.
  private var device: String?

  init(speed: OsmAnd.Speed, received: Date) {
    self.speed = speed
    self.received = received
  }

  /// Reads the whole request.
  mutating func request(from json: inout JSONReader) throws(Fault) -> OsmAnd.Request {
    var request = OsmAnd.Request()
    request.batch = try RecordBatch(from: &json, format: OsmAnd.format) { (json, batch) throws(Fault) in
      if json.peek() == UInt8(ascii: "[") {
        return try batch.readRecords(from: &json, path: "") { (json) throws(Fault) in try report(from: &json) }
      }
      let (locations, points) = try json.arrays()
      if let locations {
        try readDevice(from: &json)
        let end = json.position
        json.position = locations
        try batch.readRecords(from: &json, path: ".location") { (json) throws(Fault) in
          var others = UnmappedMembers()
          return try TraccarLocation(from: &json, others: &others).record(extras: others.text)
        }
        json.position = end
      } else if let points {
        try readDevice(from: &json)
        let end = json.position
        json.position = points
        try batch.readRecords(from: &json, path: ".points") { (json) throws(Fault) in
          try OsmAnd.Form.record(ofRow: &json, received: received)
        }
        json.position = end
      } else {
        try batch.readRecord(from: &json, 0, path: "") { (json) throws(Fault) in try report(from: &json) }
      }
    }
    if let device {
      for index in request.batch.records.indices where request.batch.records[index].context.deviceID == nil {
        request.batch.records[index].context.deviceID = device
      }
    }
    request.device = device
    return request
  }

  /// Passes an object and takes the device's name from it.
  private mutating func readDevice(from json: inout JSONReader) throws(Fault) {
    try json.forEachMember { (json, key) throws(Fault) in device = try json.device(key) ?? device }
  }

  /// One report of any kind.
  private mutating func report(from json: inout JSONReader) throws(Fault) -> Record? {
    _ = json.peek()
    let start = json.position
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: start) }
    var (isNested, isBare) = (false, false)
    var device: String?
    var update: Int?
    try json.forEachMember { (json, key) throws(Fault) in
      if json.matches(key, "location") { isNested = try json.kind() == .object || isNested }
      if json.matches(key, "coords") { isBare = true }
      if json.matches(key, "data"), try json.kind() == .object { update = json.position }
      device = try json.device(key) ?? device
    }
    // Also of a report that turns out to be wrong.
    self.device = device ?? self.device
    let end = json.position
    json.position = start
    if isBare {
      var others = UnmappedMembers()
      return try TraccarLocation(from: &json, others: &others).record(extras: others.text)
    }
    if isNested { return try TraccarReport(from: &json, device: device).record }
    if let update {
      json.position = update
      let form = try OsmAnd.Form(homeAssistantUpdate: &json)
      json.position = end
      do throws(Fault) { return try form.record(at: update, speed: .metersPerSecond, received: received) } catch {
        throw error.below(".data")
      }
    }
    let form = try OsmAnd.Form(flat: &json)
    // It may be a number there.
    self.device = form.device ?? self.device
    return try form.record(at: start, speed: speed, received: received)
  }
}

extension JSONReader {
  /// Where the arrays `location` and `points` of the object that comes next begin; `nil` where there are none. Nothing is passed.
  fileprivate func arrays() throws(Fault) -> (locations: Int?, points: Int?) {
    var ahead = self
    var (locations, points): (Int?, Int?)
    try ahead.forEachMember { (json, key) throws(Fault) in
      guard json.peek() == UInt8(ascii: "[") else { return }
      if json.matches(key, "location") { locations = json.position }
      if json.matches(key, "points") { points = json.position }
    }
    return (locations, points)
  }

  /// What the client calls its device, where this member says it. Nothing is passed.
  fileprivate func device(_ key: Text) throws(Fault) -> String? {
    var ahead = self
    guard key.count <= OsmAndKey.maximumName, try ahead.kind() == .string, OsmAndKey(decoded(key)) == .device else { return nil }
    let name = try ahead.string()
    return name.count <= RecordLimits.bytes ? decoded(name) : nil
  }

  /// Looks at the members of the object that comes next, and passes them. There may be `RecordLimits.extraMembers`.
  mutating func forEachMember(_ look: (inout JSONReader, Text) throws(Fault) -> Void) throws(Fault) {
    try expect(UInt8(ascii: "{"), "{")
    guard !isEmpty(closing: UInt8(ascii: "}")) else { return }
    var count = 0
    repeat {
      _ = peek()
      count += 1
      guard count <= RecordLimits.extraMembers else { throw unexpected(RecordLimits.tooManyMembers, at: position) }
      let key = try key()
      _ = peek()
      try look(&self, key)
      try skipValue()
    } while try hasMore(closing: UInt8(ascii: "}"))
  }
}
