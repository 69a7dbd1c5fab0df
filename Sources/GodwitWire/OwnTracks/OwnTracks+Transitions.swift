internal import Foundation
public import GodwitModel
public import GodwitText

extension OwnTracks {
  /// The name of the format in errors.
  package static let format = "OwnTracks"

  /// Returns the member `_type` of a message: `location`, `transition`, `waypoint`, …
  /// - Parameter bytes: the complete message.
  /// - Throws: `FormatError` if the text is not a JSON object with this member.
  public static func type(_ bytes: consuming [UInt8]) throws(FormatError) -> String {
    try JSONDocument(bytes, format: format).read { (json) throws(JSONReader.Fault) in
      var object = json
      try json.skipValue()
      return try messageType(from: &object)
    }
  }

  /// Reads a `transition`: a device entered or left a region.
  ///
  /// The id of the region is `rid`. Without `rid`, it is the id that a waypoint with the same `desc` and `tst` gets.
  /// - Parameter bytes: the complete message.
  /// - Returns: The event; members that the event cannot hold (`tid`, `t`, `wtst`, …) are in its extras.
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
    // Home Assistant requires `desc`.
    JSONWriter.raw(#"","desc":"#, to: &bytes)
    JSONWriter.string(event.region.name.isEmpty ? event.region.id : event.region.name, to: &bytes)
    JSONWriter.member(#","rid":"#, event.region.id, to: &bytes)
    JSONWriter.raw(#","wtst":"#, to: &bytes)
    JSONWriter.number(creationTime(ofID: event.region.id), to: &bytes)
    JSONWriter.raw(#","tst":"#, to: &bytes)
    JSONWriter.number(event.time.wholeSecondsSince1970, to: &bytes)
    // Home Assistant requires both members and accepts null for an unknown position.
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

  /// Returns the creation time of a region in seconds since 1970. OwnTracks' apps identify a waypoint by the second of its
  /// creation. The time of a region from another source is derived from its id: it is always the same and between 2001 and
  /// 2024.
  static func creationTime(ofID id: String) -> Int { 1_000_000_000 + Int(ComputedID.hash(id.utf8) % 700_000_000) }

  /// Returns the id of a waypoint without an id, made of members that do not change when the waypoint is moved.
  static func computedID(description: String, creation: Int?) -> String {
    "waypoint-" + ComputedID.hexadecimal(ComputedID.hash("\(creation ?? 0)\0\(description)".utf8))
  }

  /// Returns the member `_type` of the next object and skips the object.
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

  /// Returns the reason for which a number is not a valid time in seconds since 1970; `nil` if it is valid.
  static func refuseSeconds(_ value: Double, shown: String) -> String? {
    let valid = TimestampParser.validTimes
    return value * 1000 >= Double(valid.lowerBound) && value * 1000 <= Double(valid.upperBound)
      ? nil : "\(shown) is not a time; expected seconds since 1970"
  }
}
