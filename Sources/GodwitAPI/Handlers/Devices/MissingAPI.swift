internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/device-health` and the health of one device: offline devices, gaps, rejected records, and settings that
/// were sent and not adopted.
struct MissingAPI {
  let work: RequestWork

  /// Notices of a device in an answer.
  private static let maximumNotices = 50
  /// Gaps of a device in an answer: the newest.
  private static let maximumGaps = 1000
  /// Seconds without contact after which a device may count as offline.
  private static let thresholds = 60.0...(365 * 86400)

  // MARK: All devices

  /// `GET /api/v1/device-health`: a row for each device that the requester may see wholly.
  func list(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      let now = Date()
      let devices = try work.store.devices().filter { reader.seesAll(of: $0.device.id) }
      let (rows, outages) = try work.store.read { connection in
        let shared = try Shared(connection)
        return (try devices.map { try Self.row($0, shared, at: now, connection) }, shared.outages)
      }
      return JSONText.response(
        JSONText.object {
          $0.add("now", now)
          $0.add("outages", raw: Self.json(outages))
          $0.add("devices", raw: "[\(rows.joined(separator: ","))]")
        })
    }
  }

  /// What is read once for all devices.
  private struct Shared {
    var rules: [Int64: SilenceTables.Rule]
    var silences: [Int64: SilenceTables.Silence]
    var outages: [SilenceTables.Outage]
    var owners: [Int64: String]
    var dropped: [Int64: Int]

    init(_ connection: any SQLConnection) throws {
      rules = try SilenceTables.rules(connection)
      silences = try SilenceTables.silences(connection)
      outages = try SilenceTables.outages(connection)
      owners = try DeviceOwners.names(connection)
      dropped = try RejectedRecordTable.dropped(connection)
    }
  }

  private static func row(
    _ summary: DeviceSummary, _ shared: Shared, at now: Date, _ connection: any SQLConnection
  ) throws -> String {
    let id = summary.device.id
    let gaps = try GapTable.gaps(of: id, connection)
    let silence = try silence(summary, shared, at: now, connection)
    let orders = try DesiredSettingsChange.all(of: id, limit: 1, connection)
    let agent = try AppTables.report(UserAgentLog.type, of: id, connection)
    return JSONText.object {
      $0.add("name", summary.device.name)
      $0.add("owner", shared.owners[id])
      $0.add("points", summary.points)
      $0.add("tokens", summary.tokens)
      $0.add("first", summary.first)
      $0.add("last_contact", summary.lastContact)
      $0.add("last", raw: feature(summary))
      $0.add("missing", gaps.lazy.map(\.count).saturatingSum())
      $0.add("gaps", gaps.count)
      $0.add("refused", summary.refused)
      $0.add("dropped", shared.dropped[id] ?? 0)
      $0.add("agent", agent)
      $0.add("silence", raw: silence)
      $0.add("settings", raw: orders.first.map { json($0) } ?? "null")
    }
  }

  private static func feature(_ summary: DeviceSummary) -> String {
    guard let last = summary.last else { return "null" }
    var text: [UInt8] = []
    PointFeature.write(last.record, device: summary.device.name, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func json(_ order: DesiredSettingsChange) -> String {
    JSONText.object {
      $0.add("state", order.state.rawValue)
      $0.add("ordered", order.created)
      $0.add("settled", order.settled)
      $0.add("wanted", raw: order.settings.stored)
    }
  }

  /// The state of a device: `never` contacted, `heard`, or `silent` for longer than its reports explain.
  private static func silence(
    _ summary: DeviceSummary, _ shared: Shared, at now: Date, _ connection: any SQLConnection
  ) throws -> String {
    let id = summary.device.id
    let rule = shared.rules[id] ?? SilenceTables.Rule()
    guard let contact = summary.lastContact else {
      return JSONText.object {
        $0.add("state", "never")
        $0.add("notices", rule.notices)
        $0.add("text", "it has never sent anything")
      }
    }
    var expectation = try HabitsReader.habits(of: id, newest: summary.last, connection).expectation(after: contact)
    if let threshold = rule.threshold { expectation = HeartbeatExpectation(basis: .owner, threshold: threshold) }
    let noticed = shared.silences[id]
    let quiet = now.timeIntervalSince(contact)
    return JSONText.object {
      $0.add("state", noticed == nil ? "heard" : "silent")
      $0.add("since", contact)
      $0.add("noticed", noticed?.noticed)
      $0.add("seconds", Int(max(0, quiet)))
      $0.add("threshold_seconds", raw: number(expectation.threshold))
      $0.add("usual_seconds", raw: number(expectation.usual))
      $0.add("basis", expectation.basis.rawValue)
      $0.add("notices", rule.notices)
      $0.add("text", "last contact \(HeartbeatExpectation.words(max(0, quiet))) ago; \(expectation.text)")
    }
  }

  private static func number(_ seconds: TimeInterval?) -> String { seconds.map { String(Int($0)) } ?? "null" }

  private static func json(_ outages: [SilenceTables.Outage]) -> String {
    let texts = outages.map { outage in
      JSONText.object {
        $0.add("from", outage.began)
        $0.add("to", outage.ended)
      }
    }
    return "[\(texts.joined(separator: ","))]"
  }

  // MARK: One device

  /// `GET /api/v1/devices/NAME/health`
  func one(_ request: HTTPRequest) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    return work.later(request) {
      let device = try reader.device(named: name, in: work.store, wholly: true)
      let now = Date()
      guard let summary = try work.store.devices().first(where: { $0.device.id == device.id }) else {
        throw Device.unknown(name)
      }
      return try work.store.read { connection in
        let shared = try Shared(connection)
        let row = try Self.row(summary, shared, at: now, connection)
        let gaps = try GapTable.gaps(of: device.id, connection).suffix(Self.maximumGaps).map { Self.json($0) }
        let hours = try SilenceTables.hours(of: device.id, connection).map { Self.json($0) }
        let notices = try connection.all(
          "SELECT body FROM region_events WHERE device = ? AND region = '' ORDER BY id DESC LIMIT ?", device.id,
          Self.maximumNotices
        ) { $0.text(0) }
        let rule = shared.rules[device.id]
        return JSONText.response(
          JSONText.object {
            $0.add("now", now)
            $0.add("device", raw: row)
            $0.add("rule", raw: Self.json(rule ?? SilenceTables.Rule()))
            $0.add("gaps", raw: "[\(gaps.joined(separator: ","))]")
            $0.add("hours", raw: "[\(hours.joined(separator: ","))]")
            $0.add("outages", raw: Self.json(shared.outages))
            $0.add("notices", raw: "[\(notices.joined(separator: ","))]")
          })
      }
    }
  }

  private static func json(_ gap: Gap) -> String {
    JSONText.object {
      $0.add("journal", RecordID.text(ofJournal: gap.journal))
      $0.add("first", raw: gap.numbers.lowerBound.description)
      $0.add("last", raw: gap.numbers.upperBound.description)
      $0.add("before", gap.before)
      $0.add("after", gap.after)
    }
  }

  private static func json(_ heard: SilenceTables.HeardHour) -> String {
    let start = Date(timeIntervalSince1970: Double(heard.hour.day * 86400 + Int64(heard.hour.hour) * 3600))
    return JSONText.object {
      $0.add("hour", start)
      $0.add("silence_from", heard.began)
      $0.add("silence_seconds", Int(heard.hour.longest))
    }
  }

  private static func json(_ rule: SilenceTables.Rule) -> String {
    JSONText.object {
      $0.add("after_seconds", raw: number(rule.threshold))
      $0.add("notices", rule.notices)
    }
  }

  // MARK: What the owner says

  /// `PUT` and `DELETE /api/v1/devices/NAME/heartbeat`
  func setRule(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (name, reader) = (request.parameter, request.reader)
    let isDeleted = request.method == "DELETE"
    var rule: SilenceTables.Rule?
    let device = try reader.device(named: name, in: work.store, wholly: true)
    if !isDeleted { rule = try Self.rule(request.takeBody()) }
    return work.change(request) { [rule] connection in
      try SilenceTables.set(rule, of: device.id, connection)
      return JSONText.response(Self.json(rule ?? SilenceTables.Rule()))
    }
  }

  private static func rule(_ bytes: [UInt8]) throws(Problem) -> SilenceTables.Rule {
    var body = try JSONBody(bytes, "silence")
    var rule = SilenceTables.Rule()
    if let seconds = try body.number("after_seconds") {
      guard thresholds.contains(seconds) else {
        throw body.fault("after_seconds", "expected seconds, 60 to 31536000; leave it out and the server reckons.")
      }
      rule.threshold = seconds.rounded()
    }
    rule.notices = try body.flag("notices") ?? true
    try body.end()
    return rule
  }
}
