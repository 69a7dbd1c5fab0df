internal import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// The name of the language in errors.
  package static let format = "OwnTracks"

  /// What a message is, by its member `_type`: `location`, `transition`, `waypoint`, …
  /// - Parameter bytes: the whole message.
  /// - Throws: `FormatError` where it is no JSON object with that member.
  public static func type(_ bytes: consuming [UInt8]) throws(FormatError) -> String {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in
      let object = reader.json
      let end = try reader.json.skipValue().upperBound
      reader.json = object
      let type = try reader.messageType()
      reader.json.position = end
      return type
    }
  }

  /// Reads a `transition`: a device came into a region or left it.
  ///
  /// The region is named by `rid`; where there is none, by what a waypoint with the same `desc` and `tst` gets.
  /// - Parameter bytes: the whole message.
  /// - Returns: The event; what has no place in it (`tid`, `t`, `wtst`, …) is in its extras.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readTransition(_ bytes: consuming [UInt8]) throws(FormatError) -> Record {
    try RegionReader.run(bytes, format: format) { (reader) throws(JSONReader.Fault) in try reader.transition() }
  }

  /// Appends a transition.
  static func write(_ event: RegionEvent, of record: Record, topic: String, into bytes: inout [UInt8]) {
    guard carries(record) else { return }
    JSONWriter.raw(#"{"_type":"transition","event":""#, to: &bytes)
    JSONWriter.raw(event.kind == .entered ? "enter" : "leave", to: &bytes)
    // Home Assistant asks for it.
    JSONWriter.raw(#"","desc":"#, to: &bytes)
    JSONWriter.string(event.region.name.isEmpty ? event.region.id : event.region.name, to: &bytes)
    JSONWriter.member(#","rid":"#, event.region.id, to: &bytes)
    JSONWriter.raw(#","wtst":"#, to: &bytes)
    JSONWriter.number(creationTime(ofID: event.region.id), to: &bytes)
    JSONWriter.raw(#","tst":"#, to: &bytes)
    JSONWriter.number(event.time.wholeSecondsSince1970, to: &bytes)
    // Home Assistant needs both members, and takes null for an unknown place.
    if let place = event.coordinate ?? event.region.center {
      JSONWriter.raw(#","lat":"#, to: &bytes)
      JSONWriter.number(place.latitude, decimals: 7, to: &bytes)
      JSONWriter.raw(#","lon":"#, to: &bytes)
      JSONWriter.number(place.longitude, decimals: 7, to: &bytes)
      let known = event.coordinate == nil ? event.region.radius : event.horizontalAccuracy
      let accuracy = known.flatMap { DecimalWriter.canWrite($0, decimals: 0) ? max(1, $0) : nil }
      JSONWriter.member(#","acc":"#, accuracy ?? assumedAccuracy, decimals: 0, to: &bytes)
    } else {
      JSONWriter.raw(#","lat":null,"lon":null"#, to: &bytes)
    }
    JSONWriter.member(#","tid":"#, trackerID(topic: topic), to: &bytes)
    JSONWriter.raw(event.region.beacon == nil ? #","t":"c""# : #","t":"b""#, to: &bytes)
    JSONWriter.member(#","_id":"#, record.id?.description, to: &bytes)
    JSONWriter.member(#","topic":"#, topic + "/event", to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// OwnTracks' apps know a waypoint by the second in which it was made. A region that was made elsewhere gets one from its id:
  /// always the same, after 2001 and before 2024.
  static func creationTime(ofID id: String) -> Int { 1_000_000_000 + Int(ComputedID.hash(id.utf8) % 700_000_000) }

  /// The id of a waypoint that has none: of what stays the same when it is moved.
  static func computedID(description: String, creation: Int?) -> String {
    "waypoint-" + ComputedID.hexadecimal(ComputedID.hash("\(creation ?? 0)\0\(description)".utf8))
  }
}

extension RegionReader {
  /// The member `_type` of the next object, which is passed.
  mutating func messageType() throws(Fault) -> String {
    var type: String?
    guard try json.kind() == .object else {
      throw json.unexpected("expected a message: an object with a _type", at: json.position)
    }
    let start = json.position
    var rest = RegionImporter()
    try members(of: &rest) { (reader, key, _) throws(Fault) in
      guard reader.json.matches(key, "_type"), try reader.json.kind() == .string else { return false }
      type = reader.json.decoded(try reader.json.string())
      return true
    }
    guard let type else { throw json.unexpected("there is no _type", at: start, path: "._type") }
    return type
  }

  /// Whole seconds since 1970.
  mutating func seconds() throws(Fault) -> Int {
    let range = TimestampParser.validTimes
    let value = try number { value, shown in
      value * 1000 >= Double(range.lowerBound) && value * 1000 <= Double(range.upperBound)
        ? nil : "\(shown) is no time; expected seconds since 1970"
    }
    return Int(value)
  }

  mutating func transition() throws(Fault) -> Record {
    _ = json.peek()
    let start = json.position
    let names: [StaticString] = ["_type", "event", "desc", "rid", "tst", "wtst", "lat", "lon", "acc", "uuid", "major", "minor"]
    var foreign = RegionImporter()
    var (type, event): (String?, RegionEvent.Kind?)
    var (time, creation): (Int?, Int?)
    var (latitude, longitude, accuracy): (Double?, Double?, Double?)
    try members(of: &foreign) { (reader, key, foreign) throws(Fault) in
      guard let index = reader.find(key, in: names), try reader.json.kind() != .null else { return false }
      switch index {
      case 0: type = try reader.text { _ in nil }
      case 1:
        event =
          try reader.text { text in
            ["enter", "leave"].contains(text) ? nil : "\(text.prefix(20).debugDescription) is no event; expected enter or leave"
          } == "enter" ? .entered : .exited
      case 2: foreign.name = try reader.text { _ in nil }
      case 3: foreign.id = try reader.text(RegionValues.id)
      case 4: time = try reader.seconds()
      case 5:
        creation = try reader.seconds()
        // It is part of the region's identity, and kept.
        return false
      case 6: latitude = try reader.number(RegionValues.latitude)
      case 7: longitude = try reader.number(RegionValues.longitude)
      case 8: accuracy = try reader.number { _, _ in nil }
      default: return try reader.take(names[index], key, into: &foreign)
      }
      return true
    }
    guard type == "transition" else { throw json.unexpected("expected a transition", at: start, path: "._type") }
    guard let event else { throw json.unexpected("a transition needs an event", at: start, path: ".event") }
    guard let time else { throw json.unexpected("a transition needs a time", at: start, path: ".tst") }
    foreign.readBeaconInName()
    let name = foreign.name ?? ""
    guard foreign.id != nil || !name.isEmpty else {
      throw json.unexpected("a transition needs a desc or a rid", at: start, path: ".desc")
    }
    var told = RegionEvent(
      time: Date(timeIntervalSince1970: Double(time)), kind: event,
      region: RegionMention(
        id: foreign.id ?? OwnTracks.computedID(description: name, creation: creation), name: name, beacon: foreign.beacon))
    if let latitude, let longitude { told.coordinate = Coordinate(latitude: latitude, longitude: longitude) }
    if told.coordinate != nil, let accuracy, accuracy >= 0, accuracy.isFinite { told.horizontalAccuracy = accuracy }
    return Record(kind: .region(told), extras: foreign.othersText)
  }
}
