internal import GodwitText
internal import GodwitTracks

/// Detects the format of a JSON document by the paths of the members at its beginning. The text may be incomplete.
struct JSONSniffer {
  /// The paths, such as `locations[].latitudeE7`, with at most six steps.
  private(set) var paths: Set<String> = []
  /// The strings of members that identify an object, by their paths.
  private(set) var words: [String: String] = [:]

  /// Whether another object follows the first object.
  private(set) var isLines = false

  private static let deepest = 6
  /// Number of elements of an array that are examined. The other elements are expected to be similar.
  private static let elements = 8
  private static let telling: Set<String> = ["type", "_type", "generator"]

  init(_ head: [UInt8]) {
    var bytes = head
    if bytes.starts(with: FileHead.byteOrderMark) { for index in 0..<3 { bytes[index] = 0x20 } }
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var json = JSONReader(base: base, count: count)
      // A fault is expected at the end of the head. The members before it are used.
      do throws(JSONReader.Fault) { try inspect(&json, at: "", depth: 0) } catch { return }
      isLines = json.peek() == UInt8(ascii: "{")
    }
  }

  private mutating func inspect(_ json: inout JSONReader, at path: String, depth: Int) throws(JSONReader.Fault) {
    switch try json.kind() {
    case .object where depth < Self.deepest:
      json.position += 1
      guard !json.isEmpty(closing: UInt8(ascii: "}")) else { return }
      repeat {
        let key = json.decoded(try json.key())
        let path = path.isEmpty ? key : "\(path).\(key)"
        if paths.count < 1000 { paths.insert(path) }
        if Self.telling.contains(key), try json.kind() == .string {
          let word = json.decoded(try json.string())
          if words[path] == nil { words[path] = word }
        } else {
          try inspect(&json, at: path, depth: depth + 1)
        }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    case .array where depth < Self.deepest:
      json.position += 1
      if paths.count < 1000 { paths.insert(path + "[]") }
      guard !json.isEmpty(closing: UInt8(ascii: "]")) else { return }
      var index = 0
      repeat {
        if index < Self.elements { try inspect(&json, at: path + "[]", depth: depth + 1) } else { try json.skipValue() }
        index += 1
      } while try json.hasMore(closing: UInt8(ascii: "]"))
    default: try json.skipValue()
    }
  }

  /// Whether one of these paths exists.
  func has(_ paths: String...) -> Bool { paths.contains { self.paths.contains($0) } }

  /// The format; `nil` if it is unknown.
  var format: RecordFormat? {
    if isLines {
      if words["_type"] != nil { return .ownTracksLines }
      return isDawarich("") ? .dawarichLines : nil
    }
    if has("timelineObjects[]") { return .googleSemantic }
    if has("semanticSegments[]", "rawSignals[]", "timelineEdits[]") { return .googleTimeline }
    if has("[].startTime"), has("[].visit", "[].activity", "[].timelinePath") { return .googleTimeline }
    if has("locations[].geometry", "locations[].properties") { return .overland }
    if words["[]._type"] != nil || words["data[]._type"] != nil || words["locations[]._type"] != nil { return .ownTracks }
    if ["locations[].", "positions[]."].contains(where: isPoint) { return .points }
    if has("locations[].latitudeE7", "locations[].timestampMs", "locations[].timestamp") { return .googleRecords }
    if has("features[]") || words["[].type"] == "Feature" || words["type"] == "FeatureCollection" { return .geoJSON }
    if has("locations[]", "[].geometry") { return .overland }
    if has("[].fixTime"), has("[].latitude") { return .traccar }
    if isDawarich("[].") || isDawarich("points[].") || has("visits[].place_reference") { return .dawarich }
    if ["[].", "points[].", "data[]."].contains(where: isPoint) { return .points }
    // A single message, or a single line.
    if words["_type"] != nil { return .ownTracksLines }
    if isDawarich("") { return .dawarichLines }
    return nil
  }

  private func isDawarich(_ path: String) -> Bool {
    (has(path + "lonlat", path + "longitude") && has(path + "timestamp")) || has(path + "place_reference")
  }

  /// Whether the object has a position and a time, by their common names.
  private func isPoint(_ path: String) -> Bool {
    has(path + "lat", path + "latitude") && has(path + "lon", path + "lng", path + "long", path + "longitude")
      && has(path + "time", path + "timestamp", path + "date", path + "datetime", path + "recorded_at", path + "tst")
  }

  /// The names of the outermost members, for the error for an unknown format.
  var described: String {
    let outer = paths.filter { !$0.contains(".") }.sorted().prefix(5)
    return outer.isEmpty ? "" : " (its members are \(outer.joined(separator: ", ")))"
  }
}
