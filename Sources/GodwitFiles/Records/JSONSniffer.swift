internal import GodwitText
internal import GodwitTracks

/// What the beginning of a JSON document is made of: the paths of its members, however the text ends.
struct JSONSniffer {
  /// Such as `locations[].latitudeE7`, six steps deep at most.
  private(set) var paths: Set<String> = []
  /// Strings of members that say what an object is, by their paths.
  private(set) var words: [String: String] = [:]

  /// Whether an object follows after the first.
  private(set) var isLines = false

  private static let deepest = 6
  /// Elements of an array that are examined; the others are like them.
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
      // A fault is where the head ends; what came before it counts.
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

  /// Whether there is one of these.
  func has(_ paths: String...) -> Bool { paths.contains { self.paths.contains($0) } }

  /// The language.
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
    // One message, or one line.
    if words["_type"] != nil { return .ownTracksLines }
    if isDawarich("") { return .dawarichLines }
    return nil
  }

  private func isDawarich(_ path: String) -> Bool {
    (has(path + "lonlat", path + "longitude") && has(path + "timestamp")) || has(path + "place_reference")
  }

  /// Whether there is a place and a time, by the names that people give them.
  private func isPoint(_ path: String) -> Bool {
    has(path + "lat", path + "latitude") && has(path + "lon", path + "lng", path + "long", path + "longitude")
      && has(path + "time", path + "timestamp", path + "date", path + "datetime", path + "recorded_at", path + "tst")
  }

  /// The names of the outermost members, for the error of a file that cannot be read.
  var described: String {
    let outer = paths.filter { !$0.contains(".") }.sorted().prefix(5)
    return outer.isEmpty ? "" : " (its members are \(outer.joined(separator: ", ")))"
  }
}
