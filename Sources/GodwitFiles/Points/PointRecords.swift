internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads points as JSON objects, whose members are found by their common names, in an array or in one of several members.
/// Polarsteps and many small programs export this format.
struct PointRecords: JSONElements {
  static let format = "JSON points"

  private var objects = PointObjects()

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["locations"], ["positions"], ["points"], ["data"]: .enter
    case ["[]"], ["locations", "[]"], ["positions", "[]"], ["points", "[]"], ["data", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    var builder = PointBuilder()
    objects.extras.clear()
    try objects.read(&json, into: &builder)
    if builder.isWithoutTime {
      sink.withoutTime += 1
    } else if let fault = builder.fault {
      throw json.unexpected(fault, at: start)
    } else if let record = builder.record(extras: objects.extras.text) {
      sink.records.append(record)
    }
  }
}
