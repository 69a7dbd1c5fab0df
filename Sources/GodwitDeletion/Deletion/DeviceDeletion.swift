package import Foundation
internal import GodwitAccounts
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRegions
package import GodwitStore
internal import GodwitTransfer

/// Deletes the data of a device other than its points.
package enum DeviceDeletion {
  /// Tables with a column for the device, in an order in which each table precedes those to which it refers. A test
  /// compares them with the schema.
  package static let tables = [
    "webhook_deliveries", "region_events", "events", "rejected_records", "rejected_drops", "outliers", "device_states",
    "heartbeat_rules", "offline_devices",
    "contact_hours", "app_options", "app_reports", "app_commands", "desired_settings", "region_rules", "region_syncs",
    "mqtt_topics", "dirty_days", "live_positions", "timeline_days", "visits", "trips", "day_shares", "timelines",
    "timeline_corrections", "zone_counts", "history_versions", "retentions", "device_looks", "mirrored_devices",
    "link_devices", "access_tokens", "device_tokens", "point_blocks", "sealed_devices",
  ]

  package static func counts(of device: Int64, _ db: any SQLConnection) throws -> DeletionCounts {
    func count(_ table: String) throws -> Int {
      Int(try db.integer("SELECT count(*) FROM \(table) WHERE device = ?", device) ?? 0)
    }
    var counts = DeletionCounts()
    counts.devices = 1
    counts.points = try PointLookup.count(ofDevice: device, .min..<Int64.max, db)
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

  /// Removes the device's tokens and cancels its imports, so that no more records are stored.
  /// - Returns: imports that must be stopped.
  static func prepare(_ device: Int64, at now: Date, to bin: TrashBin, _ db: any SQLConnection) throws -> [ImportJob] {
    for table in ["device_tokens", "access_tokens"] { try bin.remove(table, where: "device = ?", device) }
    guard let name = try TrackTables.device(id: device, db)?.name else { return [] }
    var stopped: [ImportJob] = []
    for job in try ImportTables.unfinished(db) where job.options.devices.contains(name) {
      if try ImportTables.set(job.id, .cancelled, at: now, db) { stopped.append(job) }
    }
    return stopped
  }

  /// Deletes at most ``DeletionEvents/step`` events and deliveries of a device, which may have many.
  ///
  /// - Parameter bin: the bin of the transaction.
  static func removePage(of device: Int64, to bin: TrashBin, _ db: any SQLConnection) throws -> DeletionCounts {
    // Locks out submissions, whose events would be deleted without their deliveries.
    try db.run("UPDATE devices SET points = points WHERE id = ?", device)
    var left = DeletionEvents.step
    func remove(_ table: String, _ key: String) throws -> Int {
      guard left > 0 else { return 0 }
      let page = "SELECT \(key) FROM \(table) WHERE device = ?1 ORDER BY \(key) LIMIT ?2"
      let count = try bin.remove(table, where: "device = ?1 AND (\(key)) IN (\(page))", device, left)
      left -= count
      return count
    }
    var counts = DeletionCounts()
    // Deliveries refer to their events.
    counts.webhookDeliveries = try remove("webhook_deliveries", "id")
    counts.events = try remove("region_events", "id")
    counts.events += try remove("events", "kind, time, discriminator")
    return counts
  }

  /// Deletes all remaining data after the points.
  ///
  /// - Parameter bin: the bin of the transaction.
  package static func finish(_ device: Int64, at now: Date, to bin: TrashBin, _ db: any SQLConnection) throws -> DeletionCounts {
    guard let name = try TrackTables.device(id: device, db)?.name else { return DeletionCounts() }
    // Points that were stored since the last page are deleted as well.
    try db.run("UPDATE devices SET points = 0 WHERE id = ?", device)
    let counts = try counts(of: device, db)
    try PointSealer(ofDevice: device, db).open(.min..<Int64.max)
    try bin.copyPoints(where: "points.device = ?", device)
    try db.run("DELETE FROM points WHERE device = ?", device)
    for topic in try topics(of: device, named: name, db) { try bin.remove("mqtt_unassigned", where: "topic = ?", topic) }
    try deleteAppRegions(of: Device(id: device, name: name), at: now, to: bin, db)
    let links = try emptyLinks(of: device, db)
    try deleteOverviews(of: device, db)
    for table in tables { try bin.remove(table, where: "device = ?", device) }
    for link in links { try bin.remove("links", where: "id = ?", link) }
    let ofDevice = "journal IN (SELECT id FROM journals WHERE device = ?)"
    for table in ["received_ranges", "deleted_ranges"] { try bin.remove(table, where: ofDevice, device) }
    if db.dialect == .sqlite {
      // These contexts refer to a journal of the device, so that no point refers to them any more.
      try db.run("DELETE FROM contexts WHERE \(ofDevice)", device)
    } else {
      try db.run("DELETE FROM feed_events WHERE device = ?", device)
    }
    try PointHashes.remove(ofDevice: device, db)
    try bin.remove("journals", where: "device = ?", device)
    for job in try ImportTables.newest(before: nil, limit: .max, db) where job.options.devices == [name] {
      try bin.remove("imports", where: "id = ?", job.id)
    }
    try bin.remove("devices", where: "id = ?", device)
    try db.run("UPDATE region_status SET rules = rules + 1")
    return counts
  }

  /// Removes a device after its data was merged into another device.
  ///
  /// - Parameter bin: the bin of the transaction.
  static func removeMerged(_ device: Int64, to bin: TrashBin, _ db: any SQLConnection) throws {
    let links = try emptyLinks(of: device, db)
    try deleteOverviews(of: device, db)
    for table in tables { try bin.remove(table, where: "device = ?", device) }
    for link in links { try bin.remove("links", where: "id = ?", link) }
    if db.dialect == .postgres { try db.run("DELETE FROM feed_events WHERE device = ?", device) }
    try PointHashes.remove(ofDevice: device, db)
    try bin.remove("devices", where: "id = ?", device)
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

  /// Returns the links that show only this device.
  private static func emptyLinks(of device: Int64, _ db: any SQLConnection) throws -> [Int64] {
    try db.all(
      """
      SELECT link FROM link_devices WHERE device = ?1
        AND NOT EXISTS (SELECT 1 FROM link_devices AS other WHERE other.link = link_devices.link AND other.device <> ?1)
      """, device
    ) { try $0.integer("link") }
  }

  /// Returns the MQTT topics that are assigned to the device, or would be assigned to it by name.
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

  /// Deletes the regions that the device's app created.
  private static func deleteAppRegions(
    of device: Device, at now: Date, to bin: TrashBin, _ db: any SQLConnection
  ) throws {
    let ids = try db.all("SELECT id FROM region_tags WHERE tag = ? ORDER BY id", AppRegions.tag(of: device)) {
      try $0.text("id")
    }
    guard !ids.isEmpty else { return }
    for id in ids {
      let json = try db.first("SELECT json FROM regions WHERE id = ?", id) { try $0.optionalBlob("json") } ?? nil
      if let json { try bin.add([.text(id), .blob(json)], as: TrashTables.appRegions) }
    }
    var editor = try RegionEditor(db, at: now)
    for id in ids { _ = try editor.delete(id, if: .none) }
    _ = try editor.finish()
  }
}

/// Deletes the data of a user other than devices.
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

  /// Removes the user's sessions, tokens and means to sign in, cancels imports, and prepares the deletion of the devices.
  static func prepare(_ account: Int64, at now: Date, to bin: TrashBin, _ db: any SQLConnection) throws -> [ImportJob] {
    // The copy contains the name and the password, which are replaced below.
    try bin.copy("users", where: "id = ?", account)
    try db.run("DELETE FROM sessions WHERE account = ?", account)
    for table in ["access_tokens", "passkeys", "openid_identities"] { try bin.remove(table, where: "account = ?", account) }
    // A proxy identifies users by name. No valid name begins with a hyphen.
    try db.run(
      "UPDATE users SET password = ?, folded = ? WHERE id = ?", Password.nobodys, "-\(account)", account)
    var stopped: [ImportJob] = []
    for job in try ImportTables.unfinished(db) where job.account == account {
      if try ImportTables.set(job.id, .cancelled, at: now, db) { stopped.append(job) }
    }
    for device in try DeletionRun.devices(of: account, db) {
      stopped += try DeviceDeletion.prepare(device, at: now, to: bin, db)
    }
    return stopped
  }

  /// Tables with a column for the account that refer to no other table.
  private static let tables = [
    "zones", "places", "profiles", "account_notices", "second_factors", "recovery_codes", "preferences", "photo_servers",
    "passkeys", "openid_identities",
  ]

  /// Deletes all remaining data after the devices.
  ///
  /// - Parameter bin: the bin of the transaction.
  package static func finish(_ account: Int64, to bin: TrashBin, _ db: any SQLConnection) throws -> DeletionCounts {
    var counts = DeletionCounts()
    counts.imports = try bin.remove("imports", where: "account = ?", account)
    try bin.remove("link_devices", where: "link IN (SELECT id FROM links WHERE account = ?)", account)
    counts.links = try bin.remove("links", where: "account = ?", account)
    for table in tables { try bin.remove(table, where: "account = ?", account) }
    try bin.remove("friendships", where: "subject = ?1 OR viewer = ?1", account)
    try AccountEvents.remove(of: account, db)
    // Sessions and tokens are deleted with the row.
    counts.users = try db.run("DELETE FROM users WHERE id = ?", account)
    return counts
  }
}
