package import Foundation
internal import GodwitHTTP
package import GodwitModel
package import GodwitStore

/// A change of a device's desired settings, and its progress. A device has at most one pending change.
package struct DesiredSettingsChange: Sendable, Hashable {
  /// Maximum number of former changes that are shown.
  package static let history = 100

  package enum State: String, Sendable, Codable, CaseIterable {
    /// The device has not contacted the server since the change.
    case pending
    /// The change was sent in an answer.
    case sent
    /// The device has adopted the change.
    case applied
    /// A later change replaced it.
    case replaced
    /// The user cancelled it.
    case cancelled
  }

  package var id: Int64
  package var created: Date
  package var settings: DesiredSettings
  package var state: State
  package var sends: Int
  package var firstSent: Date?
  package var lastSent: Date?
  package var closed: Date?

  // MARK: The table

  private static let columns = "id, created, settings, state, sends, first_sent, last_sent, closed"

  private init(_ row: any SQLRow) throws {
    id = try row.integer("id")
    created = try row.time("created")
    settings = DesiredSettings(stored: try row.text("settings"))
    state = State(rawValue: try row.text("state")) ?? .cancelled
    sends = Int(try row.integer("sends"))
    firstSent = try row.optionalTime("first_sent")
    lastSent = try row.optionalTime("last_sent")
    closed = try row.optionalTime("closed")
  }

  package static func open(of device: Int64, _ db: any SQLConnection) throws -> DesiredSettingsChange? {
    try db.first("SELECT \(columns) FROM desired_settings WHERE device = ? AND closed IS NULL", device) {
      try DesiredSettingsChange($0)
    }
  }

  /// The changes of a device, the newest first.
  package static func all(of device: Int64, limit: Int, _ db: any SQLConnection) throws -> [DesiredSettingsChange] {
    try db.all("SELECT \(columns) FROM desired_settings WHERE device = ? ORDER BY id DESC LIMIT ?", device, limit) {
      try DesiredSettingsChange($0)
    }
  }

  /// Sets desired settings, and replaces a pending change.
  /// - Parameter force: whether to accept settings that permanently stop an app without check-ins.
  /// - Throws: `Problem` if the settings would stop such an app and `force` is `false`.
  package static func place(
    _ settings: DesiredSettings, of device: Int64, force: Bool, at now: Date, _ db: any SQLConnection
  ) throws {
    if !force, let name = settings.silencer, try !hasCheckIn(device, db) { throw missingCheckIn(name) }
    _ = try close(.replaced, of: device, at: now, db)
    try db.run(
      "INSERT INTO desired_settings (device, created, settings, state) VALUES (?, ?, ?, 'pending')", device,
      now.millisecondsSince1970, settings.stored)
  }

  /// Whether a device reads settings without uploads, as a Godwit tracker does.
  private static func hasCheckIn(_ device: Int64, _ db: any SQLConnection) throws -> Bool {
    try AppTables.report(UserAgentLog.type, of: device, db)?.hasPrefix("Godwit/") ?? false
  }

  private static func missingCheckIn(_ name: String) -> Problem {
    Problem(
      409, "Would end uploads",
      "\(name) \"off\" ends the uploads of Overland's app, and the app reads settings only in responses to its uploads: it can be "
        + "turned on again only on the phone. To set it anyway, use force=true or --force.", at: name)
  }

  /// Closes the pending change of a device. - Returns: whether there was one.
  package static func close(_ state: State, of device: Int64, at now: Date, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      "UPDATE desired_settings SET state = ?, closed = ? WHERE device = ? AND closed IS NULL", state.rawValue,
      now.millisecondsSince1970, device) > 0
  }

  /// Records that an answer contains the change. - Returns: whether the change is still pending.
  package func recordSent(at now: Date, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      """
      UPDATE desired_settings SET state = 'sent', sends = sends + 1, first_sent = COALESCE(first_sent, ?1), last_sent = ?1
      WHERE id = ?2 AND closed IS NULL
      """, now.millisecondsSince1970, id) > 0
  }

  /// Records that the device has adopted the change.
  package func recordTaken(at now: Date, _ db: any SQLConnection) throws {
    try db.run(
      "UPDATE desired_settings SET state = 'applied', closed = ? WHERE id = ? AND closed IS NULL", now.millisecondsSince1970, id)
  }

  // MARK: Evidence

  /// The action for a pending change after an upload.
  package enum ChangeDecision: Hashable {
    /// Send the change, again if it was already sent.
    case send
    /// The device has adopted the change.
    case applied
  }

  /// Decides about the change after an upload.
  ///
  /// A device applies settings from a successful answer. An upload that contains only new records shows that the device received
  /// the last answer. Repeated records show that the device may not have received it. Settings that the device reports in a later
  /// fix take precedence.
  /// - Parameters:
  ///   - records: the records of the upload.
  ///   - saved: the number of new records among them.
  package func decision(on records: [Record], saved: Int) -> ChangeDecision {
    guard let lastSent else { return .send }
    for record in records.reversed() {
      guard case .fix(let fix) = record.kind, fix.time > lastSent, record.context.tripID == nil,
        let agrees = ReportedSettings(record)?.agree(with: settings)
      else { continue }
      return agrees ? .applied : .send
    }
    return saved > 0 && saved == records.count ? .applied : .send
  }
}

/// The settings that a record reports, from Overland's tracking statistics.
package struct ReportedSettings {
  private let members: [String: Any]

  package init?(_ record: Record) {
    guard let text = record.extras, let members = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
    else { return nil }
    self.members = members
  }

  /// Whether the reported settings equal the desired ones; `nil` if none of the desired settings is reported.
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
      ("main.activity_type", (members["activity"] as? String).map { $0 == wanted.main.activityType.recordName }),
      ("main.pause_automatically", (members["pauses"] as? Bool).map { $0 == wanted.main.pausesAutomatically }),
    ]
    let said = known.filter { names.contains($0.0) }.compactMap(\.1)
    return said.isEmpty ? nil : !said.contains(false)
  }

  private func number(_ name: String) -> Double? { (members[name] as? NSNumber)?.doubleValue }
}
