internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Points as objects of JSON by the names that people give their members, alone or in one of several arrays: what Polarsteps and
/// many small programs export.
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
