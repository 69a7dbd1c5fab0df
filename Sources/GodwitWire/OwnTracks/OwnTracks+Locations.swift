public import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// A message as it stands in a request.
  public struct Message: Sendable, Hashable {
    /// Its `_type`; `nil`: it is no object with one.
    public var type: String?
    /// Where it begins, and its index where there are several.
    public var place: FormatError.Place
    /// As it came.
    public var bytes: [UInt8]

    /// Where in the request something is.
    /// - Parameter inner: where it is in this message.
    public func place(of inner: FormatError.Place) -> FormatError.Place {
      let separator = place.path == nil || inner.path?.hasPrefix("[") ?? true ? "" : "."
      let path = (place.path ?? "") + separator + (inner.path ?? "")
      return FormatError.Place(byte: place.byte + inner.byte, path: path.isEmpty ? nil : path)
    }
  }

  /// Takes a request apart: one message, or an array of them.
  /// - Parameters:
  ///   - bytes: the whole text.
  ///   - maximumMessages: that it may have.
  /// - Throws: `FormatError` where it is no JSON, or neither of both, or where there are too many.
  public static func messages(
    _ bytes: consuming [UInt8], maximumMessages: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> [Message] {
    try RegionReader.run(bytes, format: format, maximumRecords: maximumMessages) { (reader) throws(JSONReader.Fault) in
      switch reader.json.peek() {
      case UInt8(ascii: "{"): return [try reader.message(path: nil)]
      case UInt8(ascii: "["):
        var found: [Message] = []
        try reader.elements { (reader, index) throws(JSONReader.Fault) in
          try reader.json.check(index, rejected: 0)
          found.append(try reader.message(path: "[\(index)]"))
        }
        return found
      default:
        let isEmpty = reader.json.position >= reader.json.count
        throw reader.json.syntax(
          isEmpty ? "the body is empty; expected a message" : "expected a message (a JSON object) or an array of them")
      }
    }
  }

  /// Reads a `location`.
  ///
  /// A number below zero where there can be none is how the apps say that something is not known. What is not ours, and what makes
  /// no sense for its name, is in the record's extras; only a time and a place must be there.
  ///
  /// Overland counts its seconds from 2001 in its OwnTracks mode. A time before 2010 is taken for one of these, where that makes it
  /// one before it came; the extras say so.
  /// - Parameters:
  ///   - bytes: the whole message.
  ///   - received: when it came; `nil`: no time is taken for another one.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readLocation(_ bytes: consuming [UInt8], received: Date? = nil) throws(FormatError) -> Record {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in try reader.location(received) }
  }

  /// Whether a record's time was counted from 2001 and is right now.
  public static func isRepaired(_ record: Record) -> Bool {
    // It is the last but one of the members at most: a search in all of a long text took longer than reading it.
    guard let end = record.extras?.utf8.suffix(128) else { return false }
    return Array(end).firstRange(of: Array(repaired.utf8)) != nil
  }

  private static let repaired = #""time_repaired":"2001""#

  /// Characters of a picture in a location that are kept.
  public static let largestImage = 256 << 10
}

extension RegionReader {
  fileprivate mutating func message(path: String?) throws(Fault) -> OwnTracks.Message {
    _ = json.peek()
    let start = json.position
    var type: String?
    if try json.kind() == .object {
      json.position += 1
      if !json.isEmpty(closing: UInt8(ascii: "}")) {
        repeat {
          _ = json.peek()
          let key = try json.key()
          if json.matches(key, "_type"), try json.kind() == .string {
            type = json.decoded(try json.string())
          } else {
            try json.skipValue()
          }
        } while try json.hasMore(closing: UInt8(ascii: "}"))
      }
    } else {
      try json.skipValue()
    }
    return OwnTracks.Message(
      type: type, place: FormatError.Place(byte: start, path: path),
      bytes: Array(UnsafeBufferPointer(start: json.base + start, count: json.position - start)))
  }

  /// What a location says.
  private struct Location {
    var isOne = false
    var id: RecordID?
    var time: Date?
    var latitude, longitude: Double?
    var accuracy, altitude, verticalAccuracy, speed, course: Double?
    var isAltitudeKnown = true
    var context = DeviceContext()
    /// Characters of a picture that is too large to be kept.
    var imageLeftOut: Int?
  }

  /// A time that was counted from 2001, as it should be.
  private static func repaired(_ time: Date, _ received: Date) -> Date? {
    let year2010 = Date(timeIntervalSince1970: 1_262_304_000)
    guard time < year2010 else { return nil }
    let moved = time.addingTimeInterval(Date.timeIntervalBetween1970AndReferenceDate)
    return moved >= year2010 && moved <= received.addingTimeInterval(86400) ? moved : nil
  }

  private static let locationNames: [StaticString] = [
    "_type", "tst", "lat", "lon", "acc", "alt", "vac", "vel", "cog", "batt", "bs", "SSID", "motionactivities", "_id", "image",
  ]

  fileprivate mutating func location(_ received: Date?) throws(Fault) -> Record {
    _ = json.peek()
    let start = json.position
    var found = Location()
    var foreign = RegionImporter()
    try members(of: &foreign) { (reader, key, _) throws(Fault) in
      guard let index = reader.find(key, in: Self.locationNames) else { return false }
      let name = Self.locationNames[index].description
      do throws(Fault) { return try reader.take(name, into: &found) } catch {
        if error.isSyntax || ["_type", "tst", "lat", "lon"].contains(name) { throw error }
        return false
      }
    }
    guard found.isOne else { throw json.unexpected("expected a location", at: start, path: "._type") }
    guard var time = found.time else { throw json.unexpected("a location needs a time", at: start, path: ".tst") }
    if let received, let repaired = Self.repaired(time, received) {
      time = repaired
      foreign.keep("time_repaired", text: "2001")
    }
    if let size = found.imageLeftOut { foreign.keep("image_left_out", text: "\(size) characters") }
    guard let latitude = found.latitude else { throw json.unexpected("a location needs a latitude", at: start, path: ".lat") }
    guard let longitude = found.longitude, let place = Coordinate(latitude: latitude, longitude: longitude) else {
      throw json.unexpected("a location needs a longitude", at: start, path: ".lon")
    }
    let fix = Fix(
      time: time, coordinate: place, horizontalAccuracy: found.accuracy,
      altitude: found.isAltitudeKnown ? found.altitude : nil, verticalAccuracy: found.verticalAccuracy, speed: found.speed,
      course: found.course)
    return Record(id: found.id, kind: .fix(fix), context: found.context, extras: foreign.othersText)
  }

  /// One member of a location. - Returns: `false` when its value has no place in a record.
  private mutating func take(_ name: String, into found: inout Location) throws(Fault) -> Bool {
    switch name {
    case "_type": found.isOne = try text { _ in nil } == "location"
    case "tst":
      let valid = TimestampParser.validTimes
      found.time = try quantity { value, shown in
        value * 1000 >= Double(valid.lowerBound) && value * 1000 <= Double(valid.upperBound)
          ? nil : "\(shown) is no time; expected seconds since 1970"
      }.map { Date(millisecondsSince1970: Int64(($0 * 1000).rounded())) }
    case "lat": found.latitude = try quantity(RegionValues.latitude)
    case "lon": found.longitude = try quantity(RegionValues.longitude)
    case "acc": found.accuracy = try positive()
    case "alt": found.altitude = try quantity(Self.finite)
    case "vac":
      // The accuracy of an altitude that is not known is below zero.
      let value = try quantity(Self.finite)
      found.isAltitudeKnown = value.map { $0 >= 0 } ?? true
      found.verticalAccuracy = found.isAltitudeKnown ? value : nil
    case "vel": found.speed = try positive().map { $0 / 3.6 }
    case "cog": found.course = try positive { value, _ in value <= 360 ? nil : "expected degrees" }
    case "batt":
      found.context.batteryLevel = try positive { value, _ in value <= 100 ? nil : "expected percent" }.map { $0 / 100 }
    case "bs":
      guard let value = try quantity(Self.finite) else { return true }
      guard let number = UInt8(exactly: value), let state = BatteryState(rawValue: number) else { return false }
      found.context.batteryState = state
    case "SSID":
      let name = try text { _ in nil }
      if !name.isEmpty { found.context.wifi = name }
    case "motionactivities": return try motion(&found.context.motion)
    case "image":
      let size = try json.skipValue().count - 2
      guard size > OwnTracks.largestImage else { return false }
      found.imageLeftOut = size
    default:
      guard let id = RecordID(try text { _ in nil }) else { return false }
      found.id = id
    }
    return true
  }

  private static func finite(_ value: Double, _ shown: String) -> String? { value.isFinite ? nil : "\(shown) is too large" }

  /// A number by a rule, also as a string, as older apps write it; `nil` for `null`.
  private mutating func quantity(_ rule: (Double, _ shown: String) -> String?) throws(Fault) -> Double? {
    _ = json.peek()
    let start = json.position
    guard let value = try json.lossyNumber() else { return nil }
    if let reason = rule(value, json.verbatim(start..<min(json.position, start + 40))) {
      throw json.unexpected(reason, at: start)
    }
    return value
  }

  /// A number that is not known where it is below zero.
  private mutating func positive(
    _ rule: (Double, _ shown: String) -> String? = { RegionReader.finite($0, $1) }
  ) throws(Fault) -> Double? {
    try quantity(rule).flatMap { $0 >= 0 ? $0 : nil }
  }

  /// - Returns: `false` when there are words that we have no motion for.
  private mutating func motion(_ motion: inout Motion) throws(Fault) -> Bool {
    let words: [String: Motion] = [
      "stationary": .stationary, "walking": .walking, "running": .running, "automotive": .driving, "cycling": .cycling,
    ]
    var all: Motion = []
    var isKnown = true
    try elements { (reader, _) throws(Fault) in
      if let one = words[try reader.text { _ in nil }] { all.insert(one) } else { isKnown = false }
    }
    motion = all
    return isKnown
  }
}
