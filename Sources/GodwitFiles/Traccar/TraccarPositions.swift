internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads positions in the format of Traccar's API: an array of objects with `fixTime`, `latitude`, `longitude`, speeds in
/// knots, and other values of the device in `attributes`.
struct TraccarPositions: JSONElements {
  static let format = "Traccar"

  private var objects: PointObjects = {
    var objects = PointObjects()
    objects.speedFactor = PointField.knot
    return objects
  }()

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case []: .enter
    case ["[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    var builder = PointBuilder()
    objects.extras.clear()
    try objects.read(&json, into: &builder)
    if let fault = builder.fault { throw json.unexpected(fault, at: start) }
    if let record = builder.record(extras: objects.extras.text) { sink.records.append(record) }
  }
}
