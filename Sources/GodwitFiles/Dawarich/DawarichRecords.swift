internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads Dawarich's archive of an account: points and visits, with a JSON object on each line, or in the arrays `points`
/// and `visits` of one document. Other parts of the archive (settings, statistics, places) are skipped.
struct DawarichRecords: JSONElements {
  static let format = "Dawarich"

  private var objects = PointObjects()

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["points"], ["visits"]: .enter
    case ["[]"], ["points", "[]"], ["visits", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    if let visit = try visit(&json) {
      sink.records.append(visit)
      return
    }
    json.position = start
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

  /// Reads a visit: `started_at`, `ended_at`, `name`, `status`, and the place in `place_reference`.
  /// - Returns: `nil` if the object is not a visit.
  private func visit(_ json: inout JSONReader) throws(JSONReader.Fault) -> Record? {
    let start = json.position
    var (arrival, departure) = (Int64?.none, Int64?.none)
    var builder = PointBuilder()
    var extras = ExtrasText()
    var isVisit = false
    try json.members { (json, key) throws(JSONReader.Fault) in
      if json.matches(key, "started_at") {
        arrival = try json.optionalTime()
      } else if json.matches(key, "ended_at") {
        departure = try json.optionalTime()
      } else if json.matches(key, "place_reference") {
        isVisit = true
        var place = PointObjects()
        guard json.peek() == UInt8(ascii: "{") else { return false }
        place.plain = ["source"]
        try place.read(&json, into: &builder)
      } else if json.matches(key, "name") || json.matches(key, "status") {
        extras.add(json.decoded(key), try json.optionalString())
      } else {
        return false
      }
      return true
    }
    guard isVisit else { return nil }
    guard let last = departure ?? arrival else { throw json.unexpected("the visit has no time", at: start) }
    if let arrival, let departure, departure < arrival { throw json.unexpected("the visit ends before it begins", at: start) }
    builder.set(milliseconds: last)
    guard case .fix(let fix)? = builder.record(extras: nil)?.kind else {
      throw json.unexpected(builder.fault ?? "the visit has no place", at: start)
    }
    func date(_ milliseconds: Int64?) -> Date? { milliseconds.map { Date(millisecondsSince1970: $0) } }
    var record = Record(
      kind: .visit(
        Visit(
          time: Date(millisecondsSince1970: last), coordinate: fix.coordinate, arrival: date(arrival), departure: date(departure))
      ))
    record.extras = extras.text
    return record
  }
}
