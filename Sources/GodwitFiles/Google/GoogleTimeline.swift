internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads the timeline that phones export since 2024. On Android it is an object with `semanticSegments[]` and
/// `rawSignals[]` and positions such as `"45.4°, 14.0°"`; on iOS it is an array of such segments with positions such as
/// `"geo:45.4,14.0"`. Also reads the list of edits of the older export, `timelineEdits[]`.
struct GoogleTimeline: JSONElements {
  static let format = "Google Timeline"

  private static let segment = 0
  private static let signal = 1
  private static let edit = 2

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["semanticSegments"], ["rawSignals"], ["timelineEdits"]: .enter
    case ["[]"], ["semanticSegments", "[]"]: .read(Self.segment)
    case ["rawSignals", "[]"]: .read(Self.signal)
    case ["timelineEdits", "[]"]: .read(Self.edit)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    switch tag {
    case Self.segment:
      guard json.peek() == UInt8(ascii: "{") else { throw json.unexpected("expected a segment", at: start) }
      if let reason = try segment(&json, &sink) { throw json.unexpected(reason, at: start) }
    default:
      if let reason = try signal(&json, &sink, depth: 0) { throw json.unexpected(reason, at: start) }
    }
  }

  // MARK: Segments

  /// - Returns: The reason for which the segment makes no record; `nil` on success.
  private func segment(_ json: inout JSONReader, _ sink: inout RecordSink) throws(JSONReader.Fault) -> String? {
    var part = GooglePart()
    /// For each point of the path, its time after the segment's start in milliseconds. The start may follow the path in the
    /// text.
    var offsets: [Int64?] = []
    var isKnown = false
    try json.members { (json, key) throws(JSONReader.Fault) in
      switch key.count {
      case 9 where json.matches(key, "startTime"): part.start = try json.optionalTime()
      case 7 where json.matches(key, "endTime"): part.end = try json.optionalTime()
      case 5 where json.matches(key, "visit"):
        (part.isVisit, isKnown) = (true, true)
        try Self.candidate(&json, &part) { (json, key, part) throws(JSONReader.Fault) in
          guard json.matches(key, "placeLocation") else { return false }
          part.place = try json.googlePoint()
          return true
        }
      case 8 where json.matches(key, "activity"):
        (part.isActivity, isKnown) = (true, true)
        try Self.candidate(&json, &part) { (_, _, _) throws(JSONReader.Fault) in false }
      case 12 where json.matches(key, "timelinePath"):
        isKnown = true
        try json.elements { (json, index) throws(JSONReader.Fault) in
          _ = json.peek()
          let first = json.position
          var (place, time, offset, hasTime) = (Coordinate?.none, Int64?.none, Int64?.none, false)
          try json.members { (json, key) throws(JSONReader.Fault) in
            if json.matches(key, "point") {
              place = try json.googlePoint()
            } else if json.matches(key, "time") {
              (time, hasTime) = try json.timeIfPresent()
            } else if json.matches(key, "durationMinutesOffsetFromStartTime") {
              if json.peek() != UInt8(ascii: "n") { hasTime = true }
              offset = try json.optionalNumber().flatMap { abs($0) < 1e7 ? Int64(($0 * 60_000).rounded()) : nil }
            } else {
              return false
            }
            return true
          }
          // A point with an invalid time gets its time from its offset.
          part.add(place, time: time, hasTime: hasTime && offset == nil, at: first, ".timelinePath[\(index)]")
          if part.path.count > offsets.count { offsets.append(offset) }
        }
      // A trip that Google made from other segments; it is skipped.
      case 14 where json.matches(key, "timelineMemory"):
        isKnown = true
        return false
      default: return false
      }
      return true
    }
    guard isKnown else { return "expected a visit, an activity or a timelinePath" }
    for index in part.path.indices where part.path[index].time == nil {
      if let start = part.start, let offset = offsets[index] { part.path[index].time = TimestampParser.valid(start + offset) }
    }
    return part.give(to: &sink)
  }

  /// Reads the common members of `visit` and `activity`, and their likeliest candidate.
  private static func candidate(
    _ json: inout JSONReader, _ part: inout GooglePart,
    _ own: (inout JSONReader, JSONReader.Text, inout GooglePart) throws(JSONReader.Fault) -> Bool
  ) throws(JSONReader.Fault) {
    try json.members { (json, key) throws(JSONReader.Fault) in
      switch key.count {
      case 5 where json.matches(key, "start"): part.from = try json.googlePoint()
      case 3 where json.matches(key, "end"): part.to = try json.googlePoint()
      case 14 where json.matches(key, "distanceMeters"): part.distance = try json.optionalMagnitude()
      case 11 where json.matches(key, "probability"): part.extras.add("probability", try json.optionalNumber())
      case 14 where json.matches(key, "hierarchyLevel"): part.extras.add("hierarchyLevel", try json.optionalNumber())
      case 12 where json.matches(key, "topCandidate"):
        try json.members { (json, key) throws(JSONReader.Fault) in
          if json.matches(key, "type") {
            let word = try json.optionalString()
            part.mode = word.map(GoogleActivity.mode)
            part.extras.add("activityType", word)
          } else if json.matches(key, "placeId") || json.matches(key, "placeID") {
            part.extras.add("placeId", try json.optionalString())
          } else if json.matches(key, "semanticType") {
            part.extras.add("semanticType", try json.optionalString())
          } else {
            return try own(&json, key, &part)
          }
          return true
        }
      default: return false
      }
      return true
    }
  }

  // MARK: Signals

  /// Reads a `position`, which is a member of a raw signal and nested deeper in an edit. Wifi scans and estimated
  /// activities are not records and are skipped without a reason.
  /// - Returns: The reason for which a position is invalid; `nil` otherwise.
  private func signal(
    _ json: inout JSONReader, _ sink: inout RecordSink, depth: Int
  ) throws(JSONReader.Fault) -> String? {
    var reason: String?
    try json.members { (json, key) throws(JSONReader.Fault) in
      if json.matches(key, "position") {
        reason = try position(&json, &sink)
      } else if depth < 4, json.matches(key, "rawSignal") || json.matches(key, "signal") {
        reason = try signal(&json, &sink, depth: depth + 1)
      } else {
        return false
      }
      return true
    }
    return reason
  }

  private func position(_ json: inout JSONReader, _ sink: inout RecordSink) throws(JSONReader.Fault) -> String? {
    var place: Coordinate?
    var time: Int64?
    var (accuracy, altitude, speed) = (Double?.none, Double?.none, Double?.none)
    var extras = ExtrasText()
    try json.members { (json, key) throws(JSONReader.Fault) in
      switch key.count {
      case 6 where json.matches(key, "LatLng") || json.matches(key, "latLng"): place = try json.googlePoint()
      case 5 where json.matches(key, "point"): place = try json.googlePlace()
      case 14 where json.matches(key, "accuracyMeters"): accuracy = try json.optionalMagnitude()
      case 10 where json.matches(key, "accuracyMm"): accuracy = try json.optionalMagnitude().map { $0 / 1000 }
      case 14 where json.matches(key, "altitudeMeters"): altitude = try json.optionalNumber()
      case 20 where json.matches(key, "speedMetersPerSecond"): speed = try json.optionalMagnitude()
      case 6 where json.matches(key, "source"): extras.add("source", try json.optionalString())
      case 9 where json.matches(key, "timestamp"): time = try json.optionalTime()
      default: return false
      }
      return true
    }
    guard let place else { return "the position has no place" }
    guard let time else { return "the position has no timestamp of the years 1970 to 2199" }
    var record = Record(
      kind: .fix(
        Fix(
          time: Date(millisecondsSince1970: time), coordinate: place, horizontalAccuracy: accuracy, altitude: altitude,
          speed: speed)))
    record.extras = extras.text
    sink.records.append(record)
    return nil
  }
}
