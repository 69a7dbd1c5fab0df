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
    default: .pass
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    var draft = PointDraft()
    objects.extras.clear()
    try objects.read(&json, into: &draft)
    if draft.isWithoutTime {
      sink.withoutTime += 1
    } else if let fault = draft.fault {
      throw json.unexpected(fault, at: start)
    } else if let record = draft.record(extras: objects.extras.text) {
      sink.records.append(record)
    }
  }
}
