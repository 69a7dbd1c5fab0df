internal import GodwitModel
package import GodwitText

/// Reads regions in our own form. Lives for one call.
package struct RegionReader {
  package typealias Fault = JSONReader.Fault

  package var json: JSONReader
  /// Whether unknown members are errors; otherwise they are passed over.
  var isStrict = true
  /// Unknown members that were passed over so far.
  var passedOver = 0
  /// The last time zone that was found to be one: most regions of a request have the same.
  private var knownZone: String?

  init(base: UnsafePointer<UInt8>, count: Int) { json = JSONReader(base: base, count: count) }

  /// Reads a whole text and turns a fault into an error.
  package static func run<Result>(
    _ bytes: consuming [UInt8], format: String, maximumRecords: Int = RecordLimits.records,
    _ body: (inout RegionReader) throws(Fault) -> Result
  ) throws(FormatError) -> Result {
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    let result = bytes.withUnsafeBufferPointer { buffer -> Swift.Result<Result, FormatError> in
      guard let base = buffer.baseAddress else {
        return .failure(FormatError(format: format, place: FormatError.Place(byte: 0), reason: "there is nothing"))
      }
      var reader = RegionReader(base: base, count: count)
      reader.json.maximumRecords = maximumRecords
      do throws(Fault) {
        let value = try body(&reader)
        try reader.json.finish()
        return .success(value)
      } catch {
        return .failure(error.formatError(format, in: UnsafeBufferPointer(rebasing: buffer[..<count])))
      }
    }
    return try result.get()
  }

  // MARK: The document

  mutating func document(limits: RegionFileLimits) throws(Fault) -> [Region] {
    switch json.peek() {
    case UInt8(ascii: "["): return try regions(limits: limits)
    case UInt8(ascii: "{"):
      let start = json.position
      json.position += 1
      if json.peek() == UInt8(ascii: "\"") {
        let key = try json.key()
        if json.matches(key, "regions") {
          guard json.peek() == UInt8(ascii: "[") else {
            throw json.unexpected("expected an array of regions", at: json.position, path: ".regions")
          }
          let all = try regions(limits: limits)
          while try json.hasMore(closing: UInt8(ascii: "}")) {
            _ = json.peek()
            let place = json.position
            let other = try json.key()
            throw json.unexpected("unknown field \"\(shown(other))\"; only regions is expected here", at: place)
          }
          return all
        }
      }
      json.position = start
      return [try region(id: nil)]
    default:
      throw json.syntax(
        json.position >= json.count
          ? "the text is empty; expected a region, an array of regions or {\"regions\":[…]}"
          : "expected a region, an array of regions or {\"regions\":[…]}")
    }
  }

  private mutating func regions(limits: RegionFileLimits) throws(Fault) -> [Region] {
    var all: [Region] = []
    var seen: [String: Int] = [:]
    try elements(path: ".regions") { (reader, index) throws(Fault) in
      guard index < limits.count else {
        throw reader.json.unexpected(
          "there are more than \(limits.count) regions, and no more are read at once; send them in parts",
          at: reader.json.position)
      }
      let start = reader.json.position
      let region = try reader.region(id: nil)
      if let before = seen.updateValue(index, forKey: region.id) {
        throw reader.json.unexpected(
          "the id \(region.id.debugDescription) is there already, at regions[\(before)]", at: start, path: ".id")
      }
      all.append(region)
    }
    return all
  }

  // MARK: A region

  enum Member: Int, CaseIterable {
    case id, name, center, radius, polygons, beacon, tags, dwell, schedule, extras, revision, deleted
    static let names: [StaticString] = [
      "id", "name", "center", "radius", "polygons", "beacon", "tags", "dwell", "schedule", "extras", "revision", "deleted",
    ]
  }

  /// What has been read of a region so far.
  private struct Draft {
    var id: String?
    var name = ""
    var center: Coordinate?
    var radius: Meters?
    var polygons: MultiPolygon?
    var beacon: BeaconIdentity?
    var tags: [String] = []
    var dwell: Double?
    var schedule: RegionSchedule?
    var extras: String?
    var revision: Int64?
    var isDeleted = false
  }

  /// - Parameter id: the one that is known from elsewhere.
  mutating func region(id: String?) throws(Fault) -> Region {
    _ = json.peek()
    let start = json.position
    return try region(try draft(), id: id, start: start)
  }

  /// A region with its revision, or what is left of a deleted one.
  mutating func node() throws(Fault) -> RegionPage.Node {
    _ = json.peek()
    let start = json.position
    let draft = try draft()
    guard let revision = draft.revision else {
      throw json.unexpected("a node needs a revision", at: start)
    }
    guard draft.isDeleted else { return .region(try region(draft, id: nil, start: start), revision: revision) }
    guard let id = draft.id else { throw json.unexpected("a node needs an id", at: start) }
    return .deleted(id: id, revision: revision)
  }

  private mutating func draft() throws(Fault) -> Draft {
    var draft = Draft()
    try members(Member.names, expected: "a region: an object with an id and a shape") { (reader, index, isNull) throws(Fault) in
      guard let member = Member(rawValue: index) else { return }
      if isNull, member != .id { return }
      try reader.read(member, into: &draft)
    }
    return draft
  }

  private mutating func read(_ member: Member, into draft: inout Draft) throws(Fault) {
    switch member {
    case .id: draft.id = try text(RegionValues.id)
    case .name: draft.name = try text(RegionValues.name)
    case .center: draft.center = try center()
    case .radius: draft.radius = try number(RegionValues.radius)
    case .polygons: draft.polygons = try polygons(isClosed: false)
    case .beacon: draft.beacon = try beacon()
    case .tags: draft.tags = try tags()
    case .dwell: draft.dwell = try number(RegionValues.dwell)
    case .schedule: draft.schedule = try schedule()
    case .extras: draft.extras = try extras()
    // What our own answers have beside a region; a client may send it back.
    case .revision: draft.revision = try revision()
    case .deleted: draft.isDeleted = try flag()
    }
  }

  private func region(_ draft: Draft, id: String?, start: Int) throws(Fault) -> Region {
    if let id, let told = draft.id, told != id {
      throw json.unexpected("the id is \(told.debugDescription), expected \(id.debugDescription)", at: start, path: ".id")
    }
    guard let id = id ?? draft.id else { throw json.unexpected("a region needs an id", at: start, path: ".id") }
    if draft.isDeleted { throw json.unexpected("a deleted region is none", at: start, path: ".deleted") }
    return Region(
      id: id, name: draft.name, shape: try shape(draft, start: start), tags: draft.tags, schedule: draft.schedule,
      dwell: draft.dwell, extras: draft.extras)
  }

  private func shape(_ draft: Draft, start: Int) throws(Fault) -> RegionShape {
    func refused(_ reason: String) -> Fault { json.unexpected(reason, at: start) }
    switch (draft.radius, draft.polygons, draft.beacon) {
    case (let radius?, nil, nil):
      guard let center = draft.center else { throw refused("a circle needs a center") }
      return .circle(Circle(center: center, radius: radius))
    case (nil, let area?, nil):
      guard draft.center == nil else { throw refused("polygons have no center; leave it out") }
      return .polygons(area)
    case (nil, nil, let identity?): return .beacon(Beacon(identity: identity, place: draft.center))
    case (nil, nil, nil):
      throw refused(
        draft.center == nil
          ? "a region needs a center and a radius, polygons, or a beacon" : "a circle needs a radius in metres")
    default: throw refused("a region has one shape: a center and a radius, polygons, or a beacon")
    }
  }

  // MARK: Parts

  mutating func center() throws(Fault) -> Coordinate {
    var (latitude, longitude): (Double?, Double?)
    _ = json.peek()
    let start = json.position
    try members(["latitude", "longitude"], expected: "{\"latitude\":…,\"longitude\":…}") { (reader, index, _) throws(Fault) in
      if index == 0 {
        latitude = try reader.number(RegionValues.latitude)
      } else {
        longitude = try reader.number(RegionValues.longitude)
      }
    }
    guard let latitude, let longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("a center needs a latitude and a longitude", at: start)
    }
    return place
  }

  mutating func beacon() throws(Fault) -> BeaconIdentity {
    var uuid: ProximityUUID?
    var (major, minor): (UInt16?, UInt16?)
    _ = json.peek()
    let start = json.position
    try members(["uuid", "major", "minor"], expected: "{\"uuid\":…,\"major\":…,\"minor\":…}") {
      (reader, index, isNull) throws(Fault) in
      switch index {
      case 0: uuid = try reader.uuid()
      case _ where isNull: break
      case 1: major = try reader.short()
      default: minor = try reader.short()
      }
    }
    guard let uuid else { throw json.unexpected("a beacon needs a uuid", at: start) }
    guard let major else {
      if minor != nil { throw json.unexpected("a minor number needs a major one", at: start, path: ".minor") }
      return BeaconIdentity(uuid: uuid)
    }
    return BeaconIdentity(uuid: uuid, major: major, minor: minor)
  }

  private mutating func uuid() throws(Fault) -> ProximityUUID {
    _ = json.peek()
    let start = json.position
    let text = try text { _ in nil }
    guard let uuid = ProximityUUID(text) else {
      throw json.unexpected(
        "\(text.prefix(40).debugDescription) is no UUID; expected one such as F7826DA6-4FA2-4E98-8024-BC5B71E0893E", at: start)
    }
    return uuid
  }

  mutating func short() throws(Fault) -> UInt16 {
    let value = try number { value, shown in
      UInt16(exactly: value) == nil ? "\(shown) is no number of a beacon; expected a whole one from 0 to 65535" : nil
    }
    return UInt16(value)
  }

  private mutating func revision() throws(Fault) -> Int64 {
    let value = try number { value, shown in
      value >= 0 && value <= 9_007_199_254_740_992 && value == value.rounded() ? nil : "\(shown) is no revision"
    }
    return Int64(value)
  }

  mutating func tags() throws(Fault) -> [String] {
    var tags: [String] = []
    try elements { (reader, index) throws(Fault) in
      let start = reader.json.position
      let tag = try reader.text(RegionValues.tag)
      guard index < RegionRules.tagCount.upperBound else {
        throw reader.json.unexpected("there are too many; expected \(RegionRules.Member.tags.expected)", at: start)
      }
      guard !tags.contains(tag) else {
        throw reader.json.unexpected("the tag \(tag.debugDescription) stands there twice", at: start)
      }
      tags.append(tag)
    }
    return tags
  }

  mutating func extras() throws(Fault) -> String? {
    guard try json.kind() == .object else { throw json.unexpected("expected an object", at: json.position) }
    let range = try json.skipValue()
    let text = JSONObjectText.compacted(UnsafeBufferPointer(start: json.base + range.lowerBound, count: range.count))
    guard let text else { return nil }
    guard RegionRules.extrasSize.contains(text.count) else {
      throw json.unexpected(
        "there are \(text.count) bytes; expected \(RegionRules.Member.extras.expected)", at: range.lowerBound)
    }
    return String(decoding: text, as: UTF8.self)
  }

  mutating func schedule() throws(Fault) -> RegionSchedule {
    var windows: [RegionSchedule.Window]?
    var timeZone: String?
    _ = json.peek()
    let start = json.position
    try members(["windows", "time_zone"], expected: "{\"windows\":[…]}") { (reader, index, isNull) throws(Fault) in
      if index == 0 {
        windows = try reader.windows()
      } else if !isNull {
        timeZone = try reader.timeZone()
      }
    }
    guard let windows, !windows.isEmpty else {
      throw json.unexpected("a schedule needs at least one window", at: start, path: ".windows")
    }
    return RegionSchedule(windows: windows, timeZone: timeZone)
  }

  private mutating func timeZone() throws(Fault) -> String {
    let known = knownZone
    // A device may know fewer zones than the server; what it cannot read it would lose.
    let zone = try text { [isStrict] name in isStrict && name != known ? RegionValues.timeZone(name) : nil }
    knownZone = zone
    return zone
  }

  private mutating func windows() throws(Fault) -> [RegionSchedule.Window] {
    var windows: [RegionSchedule.Window] = []
    try elements { (reader, index) throws(Fault) in
      guard index < RegionRules.windowCount.upperBound else {
        throw reader.json.unexpected(
          "there are too many; expected \(RegionRules.Member.scheduleWindows.expected)", at: reader.json.position)
      }
      windows.append(try reader.window())
    }
    return windows
  }

  private mutating func window() throws(Fault) -> RegionSchedule.Window {
    var days = Set(RegionSchedule.Weekday.allCases)
    var (from, to): (Int?, Int?)
    _ = json.peek()
    let start = json.position
    try members(["days", "from", "to"], expected: "{\"days\":[…],\"from\":\"09:00\",\"to\":\"17:00\"}") {
      (reader, index, isNull) throws(Fault) in
      switch index {
      case 0: if !isNull { days = try reader.days() }
      case 1: from = try reader.time { $0 < 1440 }
      // Midnight at the end of a window is the end of a day.
      default: to = try reader.time { _ in true }.map { $0 == 0 ? 1440 : $0 }
      }
    }
    guard let from, let to else { throw json.unexpected("a window needs from and to", at: start) }
    return RegionSchedule.Window(days: days, from: from, to: to)
  }

  private mutating func time(_ isGood: (Int) -> Bool) throws(Fault) -> Int? {
    let read = try text { text in
      RegionValues.minutes(text).map(isGood) == true
        ? nil : "\(text.prefix(20).debugDescription) is no time of the day; expected one such as \"09:30\""
    }
    return RegionValues.minutes(read)
  }

  private mutating func days() throws(Fault) -> Set<RegionSchedule.Weekday> {
    var days: Set<RegionSchedule.Weekday> = []
    _ = json.peek()
    let start = json.position
    try elements { (reader, _) throws(Fault) in
      _ = reader.json.peek()
      let place = reader.json.position
      let name = try reader.json.string()
      guard let day = RegionSchedule.Weekday.allCases.first(where: { reader.json.matches(name, $0.name) }) else {
        let shown = reader.shown(name)
        throw reader.json.unexpected(
          "\"\(shown)\" is no day of the week"
            + NearestName.hint(shown, among: RegionSchedule.Weekday.allCases.map(\.name)), at: place)
      }
      days.insert(day)
    }
    guard !days.isEmpty else { throw json.unexpected("a window needs at least one day; without days it is every day", at: start) }
    return days
  }
}
