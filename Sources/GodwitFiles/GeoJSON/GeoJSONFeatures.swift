internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads GeoJSON (RFC 7946): points with a time under any of its common names, and lines with the times of their points in
/// `coordTimes` or `times`. An export of Godwit is read without loss.
struct GeoJSONFeatures: JSONElements {
  static let format = "GeoJSON"

  private var overland = OverlandElements()
  private var objects = PointObjects()
  /// The generator if the file is an export of Godwit; else `nil`.
  var memory: String?

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["features"]: .enter
    case ["generator"]: .read(1)
    case ["[]"], ["features", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    if tag == 1 {
      memory = try json.optionalString() == GeoJSONWriter.generator ? GeoJSONWriter.generator : nil
      return
    }
    let start = json.position
    if memory == GeoJSONWriter.generator {
      let count = sink.records.count
      try overland.read(&json, tag: 0, into: &sink)
      for index in count..<sink.records.count { sink.records[index].extras = Self.withoutDevice(sink.records[index].extras) }
      return
    }
    // A feature with the properties of Overland is read as a feature of Overland.
    if try isOverland(json) {
      try overland.read(&json, tag: 0, into: &sink)
      return
    }
    json.position = start
    try feature(&json, into: &sink)
  }

  /// Removes the name of the device, which an export of Godwit contains in each record. - Returns: the extras without the
  /// device.
  private static func withoutDevice(_ extras: String?) -> String? {
    guard let extras else { return nil }
    var bytes = Array(extras.utf8)
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    let kept = bytes.withUnsafeBufferPointer { buffer -> ExtrasText? in
      guard let base = buffer.baseAddress else { return nil }
      var json = JSONReader(base: base, count: count)
      var kept = ExtrasText()
      var isFirst = true
      do throws(JSONReader.Fault) {
        try json.expect(UInt8(ascii: "{"), "{")
        guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return kept }
        repeat {
          _ = json.peek()
          let member = json.position
          let key = try json.key()
          try json.skipValue()
          // The writer added the first member `device`; a later one belongs to the record.
          if isFirst, json.matches(key, "device") { isFirst = false } else { kept.store(member..<json.position, of: json) }
        } while try json.hasMore(closing: UInt8(ascii: "}"))
      } catch { return nil }
      return kept
    }
    guard var kept else { return extras }
    return kept.text
  }

  /// Whether the next feature is a point with Overland's names for the time and the measurements. The position of the
  /// reader does not change.
  private func isOverland(_ reader: JSONReader) throws(JSONReader.Fault) -> Bool {
    var json = reader
    var (isPoint, hasTime, isOther) = (false, false, false)
    try json.members { (json, key) throws(JSONReader.Fault) in
      if json.matches(key, "geometry") {
        try json.members { (json, key) throws(JSONReader.Fault) in
          guard json.matches(key, "type"), json.peek() == UInt8(ascii: "\"") else { return false }
          isPoint = json.matches(try json.string(), "Point")
          return true
        }
        return true
      }
      guard json.matches(key, "properties") else { return false }
      try json.members { (json, key) throws(JSONReader.Fault) in
        hasTime = hasTime || json.matches(key, "timestamp")
        // Names of Dawarich and other programs for properties that have other names in Overland.
        for name in ["velocity", "tracker_id", "accuracy", "battery", "latitude", "heading", "bearing"] as [StaticString]
        where json.matches(key, name) { isOther = true }
        return false
      }
      return true
    }
    return isPoint && hasTime && !isOther
  }

  /// Reads a feature with the names of another program.
  private mutating func feature(_ json: inout JSONReader, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    guard json.peek() == UInt8(ascii: "{") else { throw json.unexpected("expected a feature", at: start) }
    var builder = PointBuilder()
    objects.extras.clear()
    var lines: [[Position]] = []
    var geometry = ""
    var times: [[Int64?]] = []
    try json.members { (json, key) throws(JSONReader.Fault) in
      if json.matches(key, "geometry") {
        try self.geometry(&json, &geometry, &lines)
      } else if json.matches(key, "properties"), json.peek() == UInt8(ascii: "{") {
        let position = json.position
        try self.times(&json, &times)
        json.position = position
        try objects.read(&json, into: &builder)
      } else {
        return false
      }
      return true
    }
    switch geometry {
    case "Point":
      guard let position = lines.first?.first, let place = position.place else {
        throw json.unexpected("the point has no longitude and latitude in their ranges", at: start, path: ".geometry")
      }
      builder.set(place, altitude: position.altitude.isNaN ? nil : position.altitude)
      if builder.isWithoutTime {
        sink.withoutTime += 1
      } else if let fault = builder.fault {
        throw json.unexpected(fault, at: start)
      } else if let record = builder.record(extras: objects.extras.text) {
        sink.records.append(record)
      }
    case "LineString", "MultiLineString": give(lines, times, to: &sink)
    default:
      let shown = geometry.isEmpty ? "no geometry" : "a \(geometry.prefix(40))"
      throw json.unexpected("\(shown) is not a track; expected a Point, a LineString or a MultiLineString", at: start)
    }
  }

  private func give(_ lines: [[Position]], _ times: [[Int64?]], to sink: inout RecordSink) {
    for (index, line) in lines.enumerated() {
      // The times of several lines are an array of arrays. A single array belongs to the first line.
      let own = index < times.count ? times[index] : []
      var made = PointLine()
      made.position = sink.records.count
      made.points.reserveCapacity(line.count)
      for (index, position) in line.enumerated() {
        guard let place = position.place, index < own.count, let time = own[index] else {
          sink.withoutTime += 1
          continue
        }
        made.points.append(
          PointLine.Point(
            milliseconds: time, coordinate: place, altitude: position.altitude))
      }
      if !made.points.isEmpty { sink.lines.append(made) }
    }
  }

  private func geometry(
    _ json: inout JSONReader, _ type: inout String, _ lines: inout [[Position]]
  ) throws(JSONReader.Fault) {
    try json.members { (json, key) throws(JSONReader.Fault) in
      if json.matches(key, "type") {
        type = try json.optionalString() ?? ""
      } else if json.matches(key, "coordinates") {
        try self.coordinates(&json, &lines)
      } else {
        return false
      }
      return true
    }
  }

  /// Reads the positions of a point, a line or several lines, always as an array of lines.
  private func coordinates(_ json: inout JSONReader, _ lines: inout [[Position]]) throws(JSONReader.Fault) {
    var single = Position()
    var line: [Position] = []
    try json.elements { (json, index) throws(JSONReader.Fault) in
      guard json.peek() == UInt8(ascii: "[") else { return single.set(index, try json.optionalNumber()) }
      var point = Position()
      var points: [Position] = []
      try json.elements { (json, index) throws(JSONReader.Fault) in
        guard json.peek() == UInt8(ascii: "[") else { return point.set(index, try json.optionalNumber()) }
        var inner = Position()
        try json.elements { (json, index) throws(JSONReader.Fault) in inner.set(index, try json.optionalNumber()) }
        points.append(inner)
      }
      if points.isEmpty { line.append(point) } else { lines.append(points) }
    }
    if !line.isEmpty { lines.append(line) } else if !single.longitude.isNaN { lines.append([single]) }
  }

  /// Longitude, latitude and altitude; NaN for missing values.
  private struct Position {
    var longitude = Double.nan
    var latitude = Double.nan
    var altitude = Double.nan

    mutating func set(_ index: Int, _ value: Double?) {
      switch index {
      case 0: longitude = value ?? .nan
      case 1: latitude = value ?? .nan
      case 2: altitude = value ?? .nan
      default: break
      }
    }

    var place: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
  }

  /// Reads `coordTimes`, `times` or `timestamps`, directly or in `coordinateProperties`: an array, or an array of arrays.
  private func times(
    _ json: inout JSONReader, _ times: inout [[Int64?]]
  ) throws(JSONReader.Fault) {
    try json.members { (json, key) throws(JSONReader.Fault) in
      if json.matches(key, "coordinateProperties") {
        var found = times
        try json.members { (json, key) throws(JSONReader.Fault) in
          guard Self.isTimes(key, json), json.peek() == UInt8(ascii: "[") else { return false }
          found = try Self.timeArrays(&json)
          return true
        }
        times = found
        return true
      }
      guard Self.isTimes(key, json), json.peek() == UInt8(ascii: "[") else { return false }
      times = try Self.timeArrays(&json)
      return true
    }
  }

  private static func isTimes(_ key: JSONReader.Text, _ json: JSONReader) -> Bool {
    json.matches(key, "coordTimes") || json.matches(key, "times") || json.matches(key, "timestamps")
  }

  private static func timeArrays(_ json: inout JSONReader) throws(JSONReader.Fault) -> [[Int64?]] {
    var (flat, nested): ([Int64?], [[Int64?]]) = ([], [])
    try json.elements { (json, _) throws(JSONReader.Fault) in
      guard json.peek() == UInt8(ascii: "[") else {
        flat.append(try json.optionalTime())
        return
      }
      var inner: [Int64?] = []
      try json.elements { (json, _) throws(JSONReader.Fault) in inner.append(try json.optionalTime()) }
      nested.append(inner)
    }
    return nested.isEmpty ? [flat] : nested
  }
}
