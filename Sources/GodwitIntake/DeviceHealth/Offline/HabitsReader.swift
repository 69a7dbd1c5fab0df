internal import Foundation
internal import GodwitModel
package import GodwitStore

/// Reads the facts from which the expectation of a device's next contact is computed: its contacts, desired settings and reports.
package enum HabitsReader {
  /// - Parameters:
  ///   - device: the device.
  ///   - newest: the newest point of the device.
  ///   - db: the database.
  package static func habits(of device: Int64, newest: StoredPoint?, _ db: any SQLConnection) throws -> Habits {
    var habits = Habits()
    habits.hours = try HeartbeatTables.hours(of: device, db).map(\.hour)
    try readChanges(of: device, &habits, db)
    try readReports(of: device, newest: newest, &habits, db)
    habits.isStaying = try isStaying(device, newest: newest, db)
    return habits
  }

  /// Reads the desired settings that the device adopted. For each setting the latest change counts.
  private static func readChanges(
    of device: Int64, _ habits: inout Habits, _ db: any SQLConnection
  ) throws {
    let changes = try db.all(
      "SELECT settings FROM desired_settings WHERE device = ? AND state = 'applied' ORDER BY id", device
    ) { try DesiredSettings(stored: $0.text("settings")) }
    var (settings, named) = (Settings(), Set<String>())
    for (name, value) in changes.flatMap(\.values) where (try? settings.set(name, to: value)) != nil { named.insert(name) }
    if named.contains("main.tracking_mode") { habits.mode = mode(settings.main.trackingMode) }
    guard named.contains("send_interval") else { return }
    if let interval = settings.sendInterval { habits.interval = interval } else { habits.mode = .off }
  }

  private static func mode(_ mode: TrackingMode) -> Habits.Mode {
    switch mode {
    case .off: .off
    case .significant: .significant
    case .standard, .both: .moving
    }
  }

  /// Reads reported settings, and the settings in the newest point. They override desired settings.
  private static func readReports(
    of device: Int64, newest: StoredPoint?, _ habits: inout Habits, _ db: any SQLConnection
  ) throws {
    let configuration = try AppTables.report("configuration", of: device, db).flatMap(members)
    let point = newest?.record.extras.flatMap(members)
    // Values of OwnTracks: quiet, manual, significant, move.
    if let monitoring = whole(point?["m"]) ?? whole(configuration?["monitoring"]) {
      habits.mode = monitoring <= 0 ? .off : monitoring == 1 ? .significant : .moving
    }
    // `ping` of OwnTracks on Android is in minutes.
    if let ping = whole(configuration?["ping"]), ping > 0, habits.mode != .off { habits.interval = Double(ping) * 60 }
    // Tracking modes of Overland, in the order of its settings.
    let modes: [Habits.Mode] = [.off, .moving, .significant, .moving]
    if let tracking = whole(point?["tracking_mode"]), modes.indices.contains(tracking) { habits.mode = modes[tracking] }
  }

  private static func members(_ text: String) -> [String: Any]? {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any]
  }

  private static func whole(_ value: Any?) -> Int? { (value as? NSNumber).flatMap { Int(exactly: $0.doubleValue) } }

  /// Maximum distance in metres from a visit at which the device has not left it.
  private static let visitRadius = 500.0

  /// Whether the device last reported a stay: a visit without departure, or an app that pauses until the device moves.
  private static func isStaying(
    _ device: Int64, newest: StoredPoint?, _ db: any SQLConnection
  ) throws -> Bool {
    func last(_ kind: String) throws -> Record? {
      try db.text(
        "SELECT record FROM events WHERE device = ? AND kind = ? ORDER BY time DESC LIMIT 1", device, kind
      ).flatMap { try? EventRow.record(json: $0) }
    }
    if case .action(let action) = try last("action")?.kind, action.name == "paused_location_updates" {
      // The newest fix may have a time shortly after that of the action.
      if newest.map({ $0.fix.time <= action.time.addingTimeInterval(60) }) ?? true { return true }
    }
    guard case .visit(let visit) = try last("visit")?.kind, visit.departure == nil else { return false }
    guard let fix = newest?.fix, fix.time > visit.arrival ?? visit.time else { return true }
    return GreatCircle.distance(fix.coordinate, visit.coordinate) <= visitRadius
  }
}
