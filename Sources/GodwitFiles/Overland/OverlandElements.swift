internal import GodwitText
internal import GodwitTracks
internal import GodwitWire

/// Reads files with batches of Overland, of any size: `locations` or `features` of an object, an array, or a single
/// feature.
struct OverlandElements: JSONElements {
  static let format = "Overland"

  private var keys = OverlandKeyFinder()
  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case []: .enter
    case ["locations"], ["features"]: .enter
    case ["[]"], ["locations", "[]"], ["features", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    var reader = OverlandReader(base: json.base, count: json.count)
    reader.json.position = json.position
    swap(&reader.keys, &keys)
    defer {
      swap(&reader.keys, &keys)
      json.position = reader.json.position
    }
    sink.records.append(try reader.record())
  }
}
