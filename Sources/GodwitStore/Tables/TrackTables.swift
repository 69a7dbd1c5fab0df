package import Foundation
package import GodwitModel
internal import GodwitSecrets

/// Queries about devices and their data in the SQL that both databases share. Queries for points are
/// performance-critical and separate for each database.
package enum TrackTables {
  // MARK: Devices

  /// All devices, by their ids.
  package static func devices(_ db: any SQLConnection) throws -> [Device] {
    try db.all("SELECT id, name FROM devices ORDER BY id") { try Device($0) }
  }

  /// The devices, by name.
  /// - Parameters:
  ///   - newest: returns a device's newest point.
  ///   - db: the database.
  package static func devices(
    newest: (Device) throws -> StoredPoint?, _ db: any SQLConnection
  ) throws -> [DeviceSummary] {
    var summaries = try db.all(
      """
      SELECT id, name, last_contact, points,
        (SELECT count(*) FROM rejected_records WHERE device = devices.id AND resolved IS NULL) AS rejected,
        (SELECT count(*) FROM device_tokens WHERE device = devices.id AND revoked IS NULL) AS tokens
      FROM devices ORDER BY name
      """
    ) { row in
      try DeviceSummary(
        device: Device(row), points: Int(row.integer("points")), first: nil, last: nil,
        lastContact: row.optionalTime("last_contact"), rejected: Int(row.integer("rejected")), tokens: Int(row.integer("tokens")))
    }
    for index in summaries.indices {
      let device = summaries[index].device
      summaries[index].first = try PointLookup.begin(ofDevice: device.id, db).map { Date(millisecondsSince1970: $0) }
      // The list must be complete even if a point cannot be read.
      do { summaries[index].last = try newest(device) } catch is DamagedBlock {}
    }
    return summaries
  }

  package static func device(named name: String, _ db: any SQLConnection) throws -> Device? {
    try db.integer("SELECT id FROM devices WHERE name = ?", name).map { Device(id: $0, name: name) }
  }

  package static func device(id: Int64, _ db: any SQLConnection) throws -> Device? {
    try db.text("SELECT name FROM devices WHERE id = ?", id).map { Device(id: id, name: $0) }
  }

  /// The device of an unrevoked token with this hash.
  package static func device(tokenHash: [UInt8], _ db: any SQLConnection) throws -> Device? {
    let found = try db.first(
      """
      SELECT device_tokens.hash, devices.id, devices.name FROM device_tokens JOIN devices ON devices.id = device_tokens.device
      WHERE device_tokens.hash = ? AND device_tokens.revoked IS NULL
      """, tokenHash
    ) { row in
      AccessToken.isSame(try row.blob("hash"), tokenHash) ? try Device(row) : nil
    }
    return found ?? nil
  }

  /// Creates a device without a token.
  /// - Parameters:
  ///   - name: the name of the device.
  ///   - owner: the user; `nil`: the administrator.
  ///   - now: the time.
  ///   - db: in a transaction.
  package static func addDevice(named name: String, owner: Int64?, at now: Date, _ db: any SQLConnection) throws {
    try db.run("INSERT INTO devices (name, created, owner) VALUES (?, ?, ?)", name, now.millisecondsSince1970, owner)
  }

  /// Creates a device if the name is new, and adds a token to it.
  /// - Parameters:
  ///   - name: the name of the device.
  ///   - tokenHash: the hash of the token.
  ///   - now: the time.
  ///   - db: in a transaction.
  package static func addDevice(named name: String, tokenHash: [UInt8], at now: Date, _ db: any SQLConnection) throws
    -> Device
  {
    let time = now.millisecondsSince1970
    try db.run("INSERT INTO devices (name, created) VALUES (?, ?) ON CONFLICT DO NOTHING", name, time)
    guard let device = try device(named: name, db) else { throw StoreError.missingRow(table: "devices") }
    try db.run("INSERT INTO device_tokens (hash, device, created) VALUES (?, ?, ?)", tokenHash, device.id, time)
    return device
  }

  /// Revokes all tokens of a device, in a transaction. - Returns: the number of revoked tokens; `nil` if the device does not exist.
  package static func revokeTokens(ofDeviceNamed name: String, at now: Date, _ db: any SQLConnection) throws -> Int? {
    guard let device = try device(named: name, db) else { return nil }
    return try db.run(
      "UPDATE device_tokens SET revoked = ? WHERE device = ? AND revoked IS NULL", now.millisecondsSince1970, device.id)
  }

  // MARK: Events

  /// Visits, trips, events of regions and actions of one device, in the order of their times.
  package static func events(device: Int64, from: Date?, to: Date?, _ db: any SQLConnection) throws -> [Record] {
    try db.all(
      "SELECT record FROM events WHERE device = ? AND time >= ? AND time < ? ORDER BY time, kind", device,
      from?.millisecondsSince1970 ?? .min, to?.millisecondsSince1970 ?? .max
    ) { try EventRow.record(json: $0.text("record")) }
  }

  /// The state of the journals of one device or of all devices, in the order of devices and journals.
  package static func journals(device: Int64?, _ db: any SQLConnection) throws -> [JournalSummary] {
    let names = try DeviceNames(db, device)
    var journals: [JournalSummary] = []
    try db.forEach(
      """
      SELECT journals.device, journals.journal, journals.since, received_ranges.first, received_ranges.last
      FROM journals JOIN received_ranges ON received_ranges.journal = journals.id
      WHERE ?1 IS NULL OR journals.device = ?1 ORDER BY journals.device, journals.id, received_ranges.first
      """, device
    ) { row in
      // Earlier builds stored numbers outside of the valid range.
      let (first, last) = try (RecordNumber(clamping: row.integer("first")), RecordNumber(clamping: row.integer("last")))
      guard first <= last else { return }
      let journal = try JournalSummary(
        device: names.device(row.integer("device")), journal: UInt64(bitPattern: row.integer("journal")),
        since: row.optionalInteger("since").map { RecordNumber(clamping: $0) }, covered: [first...last])
      if let last = journals.last, last.device == journal.device, last.journal == journal.journal {
        journals[journals.count - 1].covered += journal.covered
      } else {
        journals.append(journal)
      }
    }
    return journals
  }

  /// Rejected records, the newest first.
  package static func rejections(device: Int64?, limit: Int, _ db: any SQLConnection) throws -> [StoredRejectedRecord] {
    try RejectedRecordTable.all(RejectedRecordTable.Query(devices: device.map { [$0] }, limit: limit), db)
  }
}

extension Device {
  /// - Parameter row: with the columns `id` and `name` of `devices`.
  package init(_ row: any SQLRow) throws { self.init(id: try row.integer("id"), name: try row.text("name")) }
}

/// The names of one device or of all devices, by number.
package struct DeviceNames {
  private var names: [Int64: String] = [:]

  package init(_ db: any SQLConnection, _ device: Int64? = nil) throws {
    try db.forEach("SELECT id, name FROM devices WHERE ?1 IS NULL OR id = ?1", device) {
      names[try $0.integer("id")] = try $0.text("name")
    }
  }

  /// The numbers, in order.
  var numbers: [Int64] { names.keys.sorted() }

  package func device(_ id: Int64) -> Device { Device(id: id, name: names[id] ?? "device \(id)") }
}
