internal import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// The name of the language in errors.
  package static let format = "OwnTracks"

  /// What a message is, by its member `_type`: `location`, `transition`, `waypoint`, …
  /// - Parameter bytes: the whole message.
  /// - Throws: `FormatError` where it is not a JSON object with that member.
  public static func type(_ bytes: consuming [UInt8]) throws(FormatError) -> String {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var object = json
      try json.skipValue()
      return try messageType(from: &object)
    }
  }

  /// Reads a `transition`: a device came into a region or left it.
  ///
  /// The region is named by `rid`; where there is none, by what a waypoint with the same `desc` and `tst` gets.
  /// - Parameter bytes: the whole message.
  /// - Returns: The event; what has no place in it (`tid`, `t`, `wtst`, …) is in its extras.
  /// - Throws: `FormatError` with the byte and the path.
  public static func readTransition(_ bytes: consuming [UInt8]) throws(FormatError) -> Record {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      try OwnTracksTransition(from: &json).record()
    }
  }

  /// Appends a transition.
  static func write(_ event: RegionEvent, of record: Record, topic: String, into bytes: inout [UInt8]) {
    guard carries(record) else { return }
    JSONWriter.raw(#"{"_type":"transition","event":""#, to: &bytes)
    JSONWriter.raw(event.kind == .entered ? "enter" : "leave", to: &bytes)
    // Home Assistant requires it.
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

  /// The member `_type` of the next object, which is passed.
  static func messageType(from json: inout JSONReader) throws(JSONReader.Fault) -> String {
    var type: String?
    guard try json.kind() == .object else {
      throw json.unexpected("expected a message: an object with a _type", at: json.position)
    }
    let start = json.position
    var others = UnmappedMembers()
    try others.readObject(from: &json) { (json, key, _) throws(JSONReader.Fault) in
      guard json.matches(key, "_type"), try json.kind() == .string else { return false }
      type = json.decoded(try json.string())
      return true
    }
    guard let type else { throw json.unexpected("there is no _type", at: start, path: "._type") }
    return type
  }

  /// Why a number is no time in seconds since 1970.
  static func refuseSeconds(_ value: Double, shown: String) -> String? {
    let valid = TimestampParser.validTimes
    return value * 1000 >= Double(valid.lowerBound) && value * 1000 <= Double(valid.upperBound)
      ? nil : "\(shown) is not a time; expected seconds since 1970"
  }
}
