package import Foundation
internal import GodwitHTTP
package import GodwitModel
package import GodwitStore

/// Settings that a device is told to take, and how far that has come. There is one open order of a device at most.
package struct DesiredSettingsChange: Sendable, Hashable {
  /// Orders of the past that are shown.
  package static let history = 100

  package enum State: String, Sendable {
    /// The device has not been heard of since.
    case waiting
    /// It was in an answer.
    case sent
    /// The device has it.
    case taken
    /// The owner has ordered something else.
    case replaced
    /// The owner has taken it back.
    case withdrawn
  }

  package var id: Int64
  package var created: Date
  package var settings: DesiredSettings
  package var state: State
  package var sends: Int
  package var firstSent: Date?
  package var lastSent: Date?
  package var settled: Date?

  // MARK: The table

  private static let columns = "id, created, settings, state, sends, first_sent, last_sent, settled"

  private init(_ row: any SQLRow) {
    func date(_ column: Int32) -> Date? { row.optionalInteger(column).map { Date(millisecondsSince1970: $0) } }
    id = row.integer(0)
    created = Date(millisecondsSince1970: row.integer(1))
    settings = DesiredSettings(stored: row.text(2))
    state = State(rawValue: row.text(3)) ?? .withdrawn
    sends = Int(row.integer(4))
    (firstSent, lastSent, settled) = (date(5), date(6), date(7))
  }

  package static func open(of device: Int64, _ connection: any SQLConnection) throws -> DesiredSettingsChange? {
    try connection.first("SELECT \(columns) FROM settings_orders WHERE device = ? AND settled IS NULL", device) {
      DesiredSettingsChange($0)
    }
  }

  /// The newest first.
  package static func all(of device: Int64, limit: Int, _ connection: any SQLConnection) throws -> [DesiredSettingsChange] {
    try connection.all("SELECT \(columns) FROM settings_orders WHERE device = ? ORDER BY id DESC LIMIT ?", device, limit) {
      DesiredSettingsChange($0)
    }
  }

  /// Orders settings; what was ordered before and not yet taken is no longer.
  /// - Parameter force: also what an app without a lifeline cannot be called back from.
  /// - Throws: `Problem` where that is not wanted.
  package static func place(
    _ settings: DesiredSettings, of device: Int64, force: Bool, at now: Date, _ connection: any SQLConnection
  ) throws {
    if !force, let name = settings.silencer, try !hasLifeline(device, connection) { throw silence(name) }
    _ = try settle(.replaced, of: device, at: now, connection)
    try connection.run(
      "INSERT INTO settings_orders (device, created, settings, state) VALUES (?, ?, ?, 'waiting')", device,
      now.millisecondsSince1970, settings.stored)
  }

  /// Whether a device asks its server for settings while it is silent: a Godwit tracker does.
  private static func hasLifeline(_ device: Int64, _ connection: any SQLConnection) throws -> Bool {
    try AppTables.report(UserAgentLog.type, of: device, connection)?.hasPrefix("Godwit/") ?? false
  }

  private static func silence(_ name: String) -> Problem {
    Problem(
      409, "Would silence the device",
      "\(name) \"off\" ends the uploads of Overland's app, and the app reads settings only in the answers to its uploads: it can be "
        + "turned on again on the phone alone. Order it with force=true, or --force, where that is meant.", at: name)
  }

  /// Ends the open order of a device. - Returns: whether there was one.
  package static func settle(_ state: State, of device: Int64, at now: Date, _ connection: any SQLConnection) throws -> Bool {
    try connection.run(
      "UPDATE settings_orders SET state = ?, settled = ? WHERE device = ? AND settled IS NULL", state.rawValue,
      now.millisecondsSince1970, device) > 0
  }

  /// Notes that it goes out with an answer. - Returns: whether it still stands.
  package func noteSent(at now: Date, _ connection: any SQLConnection) throws -> Bool {
    try connection.run(
      """
      UPDATE settings_orders SET state = 'sent', sends = sends + 1, first_sent = COALESCE(first_sent, ?1), last_sent = ?1
      WHERE id = ?2 AND settled IS NULL
      """, now.millisecondsSince1970, id) > 0
  }

  /// Notes that the device has it.
  package func noteTaken(at now: Date, _ connection: any SQLConnection) throws {
    try connection.run(
      "UPDATE settings_orders SET state = 'taken', settled = ? WHERE id = ? AND settled IS NULL", now.millisecondsSince1970, id)
  }

  // MARK: Evidence

  /// What an upload says of an order.
  package enum ChangeDecision: Hashable {
    /// It is to go out, or to go out again.
    case send
    /// The device has it.
    case taken
  }

  /// What is to be done after an upload.
  ///
  /// A device applies what an answer has with the success that it is. So whoever sends something new, and nothing of what it sent
  /// before, has had the last answer; who sends something again may not have had it. Stronger than both is what the device says
  /// of its settings itself, in a place that it measured since.
  /// - Parameters:
  ///   - records: what the upload brought.
  ///   - saved: of these, how many are new.
  package func verdict(on records: [Record], saved: Int) -> ChangeDecision {
    guard let lastSent else { return .send }
    for record in records.reversed() {
      guard case .fix(let fix) = record.kind, fix.time > lastSent, record.context.tripID == nil,
        let agrees = ReportedSettings(record)?.agree(with: settings)
      else { continue }
      return agrees ? .taken : .send
    }
    return saved > 0 && saved == records.count ? .taken : .send
  }
}

/// What a record says of how the tracker was set: Overland's tracking stats.
package struct ReportedSettings {
  private let members: [String: Any]

  package init?(_ record: Record) {
    guard let text = record.extras, let members = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    else { return nil }
    self.members = members
  }

  /// Whether what was ordered is what is reported; `nil`: nothing of it is.
  package func agree(with settings: DesiredSettings) -> Bool? {
    var wanted = Settings()
    var names: [String] = []
    for (name, value) in settings.values where (try? wanted.set(name, to: value)) != nil { names.append(name) }
    let modes = [TrackingMode.off, .standard, .significant, .both]
    let known: [(String, Bool?)] = [
      ("main.desired_accuracy", number("desired_accuracy").map { $0 == wanted.main.desiredAccuracy.meters }),
      (
        "main.tracking_mode",
        number("tracking_mode").map { $0 == modes.firstIndex(of: wanted.main.trackingMode).map(Double.init) }
      ),
      ("main.activity_type", (members["activity"] as? String).map { $0 == wanted.main.activityType.recordWord }),
      ("main.pause_automatically", (members["pauses"] as? Bool).map { $0 == wanted.main.pausesAutomatically }),
    ]
    let said = known.filter { names.contains($0.0) }.compactMap(\.1)
    return said.isEmpty ? nil : !said.contains(false)
  }

  private func number(_ name: String) -> Double? { (members[name] as? NSNumber)?.doubleValue }
}
