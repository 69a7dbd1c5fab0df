package import Foundation
internal import GodwitAccounts
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRegions
package import GodwitStore
internal import GodwitTransfer

/// What there is of a device beside its points.
package enum DeviceDeletion {
  /// Tables whose rows name the device and refer to nothing, in an order in which nothing is referred to any more when it is
  /// deleted. A test compares them with the schema.
  package static let tables = [
    "webhook_deliveries", "region_events", "events", "rejected_records", "rejected_drops", "outliers", "device_states",
    "heartbeat_rules", "offline_devices",
    "contact_hours", "app_options", "app_reports", "app_commands", "desired_settings", "region_rules", "region_syncs",
    "mqtt_topics", "dirty_days", "live_positions", "timeline_days", "visits", "trips", "day_shares", "timelines", "zone_counts",
    "history_versions",
    "retentions",
    "link_devices", "access_tokens", "device_tokens",
  ]

  package static func counts(of device: Int64, _ db: any SQLConnection) throws -> DeletionCounts {
    func count(_ table: String) throws -> Int {
      Int(try db.integer("SELECT count(*) FROM \(table) WHERE device = ?", device) ?? 0)
    }
    var counts = DeletionCounts()
    counts.devices = 1
    counts.points = try count("points")
    counts.events = try count("events") + count("region_events")
    counts.rejectedRecords = try count("rejected_records")
    counts.webhookDeliveries = try count("webhook_deliveries")
    counts.links = try emptyLinks(of: device, db).count
    let name = try TrackTables.device(id: device, db)?.name ?? ""
    for topic in try topics(of: device, named: name, db) {
      counts.mqttMessages += Int(try db.integer("SELECT count(*) FROM mqtt_unassigned WHERE topic = ?", topic) ?? 0)
    }
    return counts
  }

  /// From here on nothing more comes in.
  /// - Returns: imports that are to be stopped.
  static func prepare(_ device: Int64, at now: Date, _ db: any SQLConnection) throws -> [ImportJob] {
    try db.run("DELETE FROM device_tokens WHERE device = ?", device)
    try db.run("DELETE FROM access_tokens WHERE device = ?", device)
    guard let name = try TrackTables.device(id: device, db)?.name else { return [] }
    var stopped: [ImportJob] = []
    for job in try ImportTables.unfinished(db) where job.options.devices.contains(name) {
      if try ImportTables.set(job.id, .cancelled, at: now, db) { stopped.append(job) }
    }
    return stopped
  }

  /// Deletes all that is left after the points. - Parameter connection: in a transaction.
  package static func finish(_ device: Int64, at now: Date, _ db: any SQLConnection) throws -> DeletionCounts {
    guard let name = try TrackTables.device(id: device, db)?.name else { return DeletionCounts() }
    // Whatever came since the last page was deleted.
    try db.run("UPDATE devices SET points = points WHERE id = ?", device)
    let counts = try counts(of: device, db)
    try db.run("DELETE FROM points WHERE device = ?", device)
    for topic in try topics(of: device, named: name, db) { _ = try MQTTTables.remove(topic, db) }
    try deleteAppRegions(of: Device(id: device, name: name), at: now, db)
    let links = try emptyLinks(of: device, db)
    try deleteOverviews(of: device, db)
    for table in tables { try db.run("DELETE FROM \(table) WHERE device = ?", device) }
    for link in links { try db.run("DELETE FROM links WHERE id = ?", link) }
    let journals = "SELECT id FROM journals WHERE device = ?"
    try db.run("DELETE FROM received_ranges WHERE journal IN (\(journals))", device)
    try db.run("DELETE FROM deleted_ranges WHERE journal IN (\(journals))", device)
    if db.dialect == .sqlite {
      // No point refers to them any more: they name a journal of the device.
      try db.run("DELETE FROM contexts WHERE journal IN (\(journals))", device)
    } else {
      try db.run("DELETE FROM feed_events WHERE device = ?", device)
    }
    try db.run("DELETE FROM journals WHERE device = ?", device)
    for job in try ImportTables.newest(before: nil, limit: .max, db) where job.options.devices == [name] {
      try ImportTables.remove(job.id, db)
    }
    try db.run("DELETE FROM devices WHERE id = ?", device)
    try db.run("UPDATE region_status SET rules = rules + 1")
    return counts
  }

  private static func deleteOverviews(of device: Int64, _ db: any SQLConnection) throws {
    if db.dialect == .sqlite {
      for level in OverviewLevel.all {
        try db.run(
          """
          DELETE FROM overview_boxes_\(level.index) WHERE id IN
            (SELECT id FROM overview_pieces WHERE device = ? AND level = ?)
          """, device, level.index)
      }
    }
    try db.run("DELETE FROM overview_pieces WHERE device = ?", device)
  }

  /// Links that show this device and no other.
  private static func emptyLinks(of device: Int64, _ db: any SQLConnection) throws -> [Int64] {
    try db.all(
      """
      SELECT link FROM link_devices WHERE device = ?1
        AND NOT EXISTS (SELECT 1 FROM link_devices AS other WHERE other.link = link_devices.link AND other.device <> ?1)
      """, device
    ) { try $0.integer("link") }
  }

  /// Topics at a broker that are the device's, or would be found to be.
  private static func topics(
    of device: Int64, named name: String, _ db: any SQLConnection
  ) throws -> [String] {
    let bound = try MQTTTables.bindings(of: device, db).map(\.topic)
    let waiting = try MQTTTables.unassignedTopics(db).map(\.topic).filter { topic in
      let parts = topic.split(separator: "/").suffix(2).map(String.init)
      guard parts.count == 2 else { return false }
      let found = MQTTTopic(base: topic, user: parts[0], device: parts[1], leaf: nil)
      return found.names.contains { $0.lowercased() == name.lowercased() }
    }
    return Set(bound + waiting).sorted()
  }

  /// Regions that the device's app made.
  private static func deleteAppRegions(of device: Device, at now: Date, _ db: any SQLConnection) throws {
    let ids = try db.all("SELECT id FROM region_tags WHERE tag = ? ORDER BY id", AppRegions.tag(of: device)) {
      try $0.text("id")
    }
    guard !ids.isEmpty else { return }
    var editor = try RegionEditor(db, at: now)
    for id in ids { _ = try editor.delete(id, if: .none) }
    _ = try editor.finish()
  }
}

/// What there is of a user beside devices.
package enum UserDeletion {
  package static func counts(of account: Int64, _ db: any SQLConnection) throws -> DeletionCounts {
    var counts = DeletionCounts()
    for device in try DeletionRun.devices(of: account, db) {
      counts += try DeviceDeletion.counts(of: device, db)
    }
    counts.users = 1
    counts.imports = Int(try db.integer("SELECT count(*) FROM imports WHERE account = ?", account) ?? 0)
    counts.links = Int(try db.integer("SELECT count(*) FROM links WHERE account = ?", account) ?? 0)
    return counts
  }

  /// From here on no sign-in as this user works, and nothing more comes in.
  static func prepare(_ account: Int64, at now: Date, _ db: any SQLConnection) throws -> [ImportJob] {
    try db.run("DELETE FROM sessions WHERE account = ?", account)
    try db.run("DELETE FROM access_tokens WHERE account = ?", account)
    try db.run("UPDATE users SET password = ? WHERE id = ?", Password.nobodys, account)
    var stopped: [ImportJob] = []
    for job in try ImportTables.unfinished(db) where job.account == account {
      if try ImportTables.set(job.id, .cancelled, at: now, db) { stopped.append(job) }
    }
    for device in try DeletionRun.devices(of: account, db) {
      stopped += try DeviceDeletion.prepare(device, at: now, db)
    }
    return stopped
  }

  /// Deletes all that is left after the devices. - Parameter connection: in a transaction.
  package static func finish(_ account: Int64, _ db: any SQLConnection) throws -> DeletionCounts {
    var counts = DeletionCounts()
    counts.imports = try db.run("DELETE FROM imports WHERE account = ?", account)
    counts.links = try db.run("DELETE FROM links WHERE account = ?", account)
    for table in ["zones", "places", "profiles", "preferences"] { try db.run("DELETE FROM \(table) WHERE account = ?", account) }
    try AccountEvents.remove(of: account, db)
    // Sessions, tokens, friendships, notices and the second factor go with the row.
    counts.users = try db.run("DELETE FROM users WHERE id = ?", account)
    return counts
  }
}
