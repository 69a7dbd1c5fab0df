internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Reads a request in JSON: the format of Traccar Client from version 9, one or several reports, flat objects with the
/// names of a query, and the formats of other programs.
struct OsmAndReader {
  typealias Fault = JSONReader.Fault

  /// The unit of `speed` in flat objects.
  let speed: OsmAnd.Speed
  /// The time of receipt of the request, which is used for positions without a time.
  let received: Date
  /// The name of the device; `nil` until it has been read.
  private var device: String?

  init(speed: OsmAnd.Speed, received: Date) {
    self.speed = speed
    self.received = received
  }

  /// Reads the complete request.
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
    for index in request.batch.rejected.indices { request.batch.rejected[index].removeSecrets() }
    request.device = device
    return request
  }

  /// Skips an object and reads the name of the device from it.
  private mutating func readDevice(from json: inout JSONReader) throws(Fault) {
    try json.forEachMember { (json, key) throws(Fault) in device = try json.device(key) ?? device }
  }

  /// Reads a report in any of the formats.
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
    // The name is stored even if the report is rejected.
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
    // The name of the device may be a number in a flat object.
    self.device = form.device ?? self.device
    return try form.record(at: start, speed: speed, received: received)
  }
}

extension JSONReader {
  /// Returns the offsets of the arrays `location` and `points` in the next object, without advancing the reader; `nil` if
  /// an array is missing.
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

  /// Returns the name of the device if this member contains it, without advancing the reader; else `nil`.
  fileprivate func device(_ key: Text) throws(Fault) -> String? {
    var ahead = self
    guard key.count <= OsmAndKey.maximumName, try ahead.kind() == .string, OsmAndKey(decoded(key)) == .device else { return nil }
    let name = try ahead.string()
    return name.count <= RecordLimits.bytes ? decoded(name) : nil
  }

  /// Calls a closure before the value of each member of the next object, and skips the values.
  /// - Throws: a fault if there are more than `RecordLimits.extraMembers`.
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

extension RejectedPart {
  /// The names of secrets in an object.
  private static let secrets: [StaticString] = ["token", "api_key", "pass", "password"]

  /// Removes the members with secrets from an object. Other bytes stay as received.
  fileprivate mutating func removeSecrets() {
    let text = String(decoding: raw, as: UTF8.self)
    guard Self.secrets.contains(where: { text.contains("\"\($0)\"") }),
      let kept = try? OwnTracks.text(of: raw, without: Self.secrets)
    else { return }
    raw = Array(kept.utf8)
  }
}
