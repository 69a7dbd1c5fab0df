internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// A part of a day in Google's timelines, before its kind is known.
struct GooglePart {
  var start: Int64?
  var end: Int64?
  var isVisit = false
  var isActivity = false
  /// Of a visit.
  var place: Coordinate?
  /// Of an activity.
  var from: Coordinate?
  var to: Coordinate?
  var distance: Double?
  var mode: String?
  /// Of a path, with the times that are known.
  var path: [(place: Coordinate, time: Int64?, accuracy: Double?)] = []
  /// Metres, one for each point of the path; none: they are not known.
  var altitudes: [Double?] = []
  var extras = ExtrasText()
  /// Visits inside a visit.
  var children: [GooglePart] = []
  /// Bytes before it in the text that is read.
  var offset = 0
  /// Points of the path that cannot be read.
  var faults: [JSONReader.Fault] = []

  /// Gives what it is: the fixes of its path in their order, then the visit or the trip.
  /// - Returns: why it is nothing; `nil` where it is something.
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

  /// Adds a point to the path, or notes why it is none.
  /// - Parameters:
  ///   - hasTime: whether something is written where the time of the point should be.
  ///   - offset: bytes before the point in the text that is read.
  ///   - path: its place below the value that is read.
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

  /// Points without a time get one by their distance along the path; the extras of the record mark it as estimated.
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
    // The next point whose time is known, and the last one before.
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
  /// A time, and whether there is something that should be one.
  mutating func timeIfPresent() throws(Fault) -> (time: Int64?, isPresent: Bool) {
    let isPresent = peek() != UInt8(ascii: "n")
    return (try optionalTime(), isPresent)
  }

  /// `{"latitudeE7": …, "longitudeE7": …}` or `{"latE7": …, "lngE7": …}`, and whatever else stands there.
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

  /// A place as a string, or in an object as its `latLng`.
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
