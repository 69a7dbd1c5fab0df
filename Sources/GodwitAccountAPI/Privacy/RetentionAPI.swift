internal import Foundation
internal import GodwitAccess
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/devices/NAME/retention`: how long a device's points are stored.
struct RetentionAPI {
  let work: RequestWork

  private static let days = 1...36_500
  private static let minutes = 1...1440

  /// `GET`
  func show(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store, wholly: true)
      let entry = try work.store.read { try RetentionTable.entry(of: device.id, $0) }
      return JSONText.response(Self.json(entry?.retention ?? Retention()))
    }
  }

  /// `PUT` and `DELETE`. With `dry=true` nothing changes, and the answer has what the next run would delete.
  func set(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (name, reader, isDry) = (request.parameter, request.reader, try request.query.flag("dry"))
    let isDeleted = request.method == "DELETE"
    let now = Date()
    var retention: Retention?
    let device = try reader.device(named: name, in: work.store, wholly: true)
    if !isDeleted { retention = try Self.retention(request.takeBody()) }
    if isDry {
      return work.later(request) { [retention] in
        let entry = RetentionTable.Entry(device: device, retention: retention ?? Retention(), thinned: nil)
        let result = try RetentionRun(database: work.store).dry(entry, at: now)
        return JSONText.response(Self.json(retention ?? Retention(), would: result))
      }
    }
    return work.change(request) { [retention] connection in
      try EntityTag.check(
        request,
        JSONText.response(Self.json(try RetentionTable.entry(of: device.id, connection)?.retention ?? Retention())))
      try RetentionTable.set(retention, of: device.id, at: now, connection)
      return JSONText.response(Self.json(retention ?? Retention())).tagged
    }
  }

  /// `POST /api/v1/devices/NAME/retention/run`: applies the retention now instead of at night.
  func run(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (name, reader, isDry) = (request.parameter, request.reader, try request.query.flag("dry"))
    let device = try reader.device(named: name, in: work.store, wholly: true)
    return work.later(request) {
      let now = Date()
      guard let entry = try work.store.read({ try RetentionTable.entry(of: device.id, $0) }) else {
        throw Problem(
          409, "Nothing to do", "Everything of \(name.jsonQuoted) is kept. PUT /api/v1/devices/NAME/retention says how long.")
      }
      let run = RetentionRun(database: work.store)
      let result = isDry ? try run.dry(entry, at: now) : try run.run(entry, at: now)
      return JSONText.response(Self.json(entry.retention, did: isDry ? nil : result, would: isDry ? result : nil))
    }
  }

  private static func retention(_ bytes: [UInt8]) throws(Problem) -> Retention {
    var body = try JSONBody(bytes, "retention")
    func whole(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
      guard let number = try body.number(name) else { return nil }
      guard let whole = Int(exactly: number), range.contains(whole) else {
        throw body.fault(name, "a whole number, \(range.lowerBound) to \(range.upperBound).")
      }
      return whole
    }
    let retention = Retention(
      keepDays: try whole("keep_days", days), thinDays: try whole("thin_days", days),
      thinMinutes: try whole("thin_minutes", minutes))
    try body.end()
    guard (retention.thinDays == nil) == (retention.thinMinutes == nil) else {
      throw body.fault("thin_days", "thin_days and thin_minutes belong together.")
    }
    guard retention != Retention() else { throw body.fault("keep_days", "expected keep_days, or thin_days and thin_minutes.") }
    return retention
  }

  private static func json(
    _ retention: Retention, did: RetentionResult? = nil, would: RetentionResult? = nil
  ) -> String {
    func number(_ value: Int?) -> String { value.map(String.init) ?? "null" }
    return JSONText.object {
      $0.add("keep_days", raw: number(retention.keepDays))
      $0.add("thin_days", raw: number(retention.thinDays))
      $0.add("thin_minutes", raw: number(retention.thinMinutes))
      for (name, result) in [("removed", did), ("would_remove", would)] {
        guard let result else { continue }
        $0.add(
          name, raw: #"{"expired":\#(result.expired),"events":\#(result.expiredEvents),"thinned":\#(result.thinned)}"#)
      }
    }
  }
}
