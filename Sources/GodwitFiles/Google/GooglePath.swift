internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// A part of a day in a timeline of Google: a visit, an activity or a path.
struct GooglePart {
  var start: Int64?
  var end: Int64?
  var isVisit = false
  var isActivity = false
  /// The position of a visit.
  var place: Coordinate?
  /// The start and the end of an activity.
  var from: Coordinate?
  var to: Coordinate?
  var distance: Double?
  var mode: String?
  /// The points of a path, with their times if known.
  var path: [(place: Coordinate, time: Int64?, accuracy: Double?)] = []
  /// The altitudes of the points of the path in metres; empty if unknown.
  var altitudes: [Double?] = []
  var extras = ExtrasText()
  /// The visits inside a visit.
  var children: [GooglePart] = []
  /// The offset of the part in the text in bytes.
  var offset = 0
  /// The faults of invalid points of the path.
  var faults: [JSONReader.Fault] = []

  /// Appends the records of the part: the fixes of its path in order, then the visit or the trip.
  /// - Returns: the reason for which the part makes no record; `nil` on success.
  mutating func give(to sink: inout RecordSink) -> String? {
    if isVisit {
      guard let place else { return "the visit has no place" }
      guard let last = end ?? start else { return "the visit has no time" }
      if let start, let end, end < start { return "the visit ends before it begins" }
      var record = Record(
        kind: .visit(
          Visit(time: Self.date(last), coordinate: place, arrival: start.map(Self.date), departure: end.map(Self.date))))
      record.extras = extras.text
      givePath(to: &sink)
      sink.records.append(record)
      for index in children.indices {
        guard let reason = children[index].give(to: &sink) else { continue }
        sink.faults.append(JSONReader.Fault(offset: children[index].offset, isSyntax: false, reason: reason))
      }
      return nil
    }
    if isActivity {
      guard let start, let end else { return "the trip has no start and end" }
      guard end >= start else { return "the trip ends before it begins" }
      let fixes = (from.map { Fix(time: Self.date(start), coordinate: $0) }, to.map { Fix(time: Self.date(end), coordinate: $0) })
      var record = Record(
        kind: .trip(
          Trip(
            start: Self.date(start), end: Self.date(end), mode: mode ?? "unknown", startFix: fixes.0, endFix: fixes.1,
            duration: Double(end - start) / 1000, distance: distance ?? 0)))
      record.extras = extras.text
      if let from, path.first.map({ $0.place != from }) ?? true { path.insert((from, start, nil), at: 0) }
      if let to, path.count < 2 || path.last.map({ $0.place != to }) ?? true { path.append((to, end, nil)) }
      givePath(to: &sink)
      sink.records.append(record)
      return nil
    }
    givePath(to: &sink)
    return nil
  }

  /// Adds a point to the path, or stores a fault for an invalid point.
  /// - Parameters:
  ///   - hasTime: whether the point has a time, which may be invalid.
  ///   - offset: the offset of the point in the text in bytes.
  ///   - path: the path of the point relative to the value that is read.
  mutating func add(
    _ place: Coordinate?, time: Int64?, hasTime: Bool, accuracy: Double? = nil, at offset: Int, _ path: String
  ) {
    guard let place, time != nil || !hasTime else {
      let reason = place == nil ? "the point has no valid position" : "the point's time is not a time of the years 1970 to 2199"
      return faults.append(JSONReader.Fault(offset: offset, isSyntax: false, reason: reason, path: path))
    }
    self.path.append((place, time, accuracy))
  }

  private static func date(_ milliseconds: Int64) -> Date { Date(millisecondsSince1970: milliseconds) }

  /// Appends the fixes of the path. The time of a point without a time is interpolated by the distance along the path, and
  /// the extras of its record mark it as estimated.
  private mutating func givePath(to sink: inout RecordSink) {
    sink.faults += faults
    guard !path.isEmpty else { return }
    let final = path.count - 1
    path[0].time = path[0].time ?? start
    path[final].time = path[final].time ?? end
    var along = [0.0]
    along.reserveCapacity(path.count)
    for index in path.indices.dropFirst() {
      along.append(along[index - 1] + GreatCircle.distance(path[index - 1].place, path[index].place))
    }
    // For each point, the index of the next point with a known time; `known` is the last point with a known time.
    var nexts = [Int?](repeating: nil, count: path.count)
    for index in path.indices.reversed() {
      nexts[index] = path[index].time != nil ? index : index < final ? nexts[index + 1] : nil
    }
    var known = 0
    for index in path.indices {
      var extras: String?
      var time = path[index].time
      if time == nil, let next = nexts[index], let after = path[next].time, let before = path[known].time {
        let share = along[next] > along[known] ? (along[index] - along[known]) / (along[next] - along[known]) : 0
        time = before + Int64((Double(after - before) * share).rounded())
        extras = #"{"time":"estimated"}"#
      } else if path[index].time != nil {
        known = index
      }
      guard let time else {
        sink.withoutTime += 1
        continue
      }
      var record = Record(
        kind: .fix(
          Fix(
            time: Self.date(time), coordinate: path[index].place, horizontalAccuracy: path[index].accuracy,
            altitude: altitudes.count == path.count ? altitudes[index] : nil)))
      record.extras = extras
      sink.records.append(record)
    }
  }
}

extension JSONReader {
  /// Reads a time, and whether the value is not `null`.
  mutating func timeIfPresent() throws(Fault) -> (time: Int64?, isPresent: Bool) {
    let isPresent = peek() != UInt8(ascii: "n")
    return (try optionalTime(), isPresent)
  }

  /// Reads `{"latitudeE7": …, "longitudeE7": …}` or `{"latE7": …, "lngE7": …}`, with other members.
  /// - Parameter other: reads another member and returns true, or leaves it unread and returns false.
  mutating func googlePlace(
    _ other: (inout JSONReader, Text) throws(Fault) -> Bool = { (_, _) throws(Fault) in false }
  ) throws(Fault) -> Coordinate? {
    var (latitude, longitude) = (Double.nan, Double.nan)
    try members { (json, key) throws(Fault) in
      if json.matches(key, "latitudeE7") || json.matches(key, "latE7") {
        latitude = try json.optionalNumber() ?? .nan
      } else if json.matches(key, "longitudeE7") || json.matches(key, "lngE7") {
        longitude = try json.optionalNumber() ?? .nan
      } else {
        return try other(&json, key)
      }
      return true
    }
    return GooglePlace.coordinate(latitudeE7: latitude, longitudeE7: longitude)
  }

  /// Reads a position from a string, or from the member `latLng` of an object.
  mutating func googlePoint() throws(Fault) -> Coordinate? {
    switch peek() {
    case UInt8(ascii: "\""):
      let text = try string()
      return GooglePlace.coordinate(text, self)
    case UInt8(ascii: "{"):
      var place: Coordinate?
      try members { (json, key) throws(Fault) in
        guard json.matches(key, "latLng") || json.matches(key, "LatLng"), json.peek() == UInt8(ascii: "\"") else { return false }
        place = GooglePlace.coordinate(try json.string(), json)
        return true
      }
      return place
    default:
      try skipValue()
      return nil
    }
  }
}
