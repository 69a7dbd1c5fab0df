package import Foundation
internal import GodwitModel
package import GodwitStore

/// The owners of devices, in the database.
package enum DeviceOwners {
  /// Returns the names of the owners, by the number of the device.
  package static func names(_ db: any SQLConnection) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    try db.forEach("SELECT devices.id, users.name FROM devices JOIN users ON users.id = devices.owner") {
      try names[$0.integer("id")] = $0.text("name")
    }
    return names
  }

  /// Returns the number of devices of each user.
  package static func counts(_ db: any SQLConnection) throws -> [Int64: Int] {
    var counts: [Int64: Int] = [:]
    try db.forEach("SELECT owner, count(*) AS devices FROM devices WHERE owner IS NOT NULL GROUP BY owner") {
      counts[try $0.integer("owner")] = Int(try $0.integer("devices"))
    }
    return counts
  }

  /// Returns the devices of a user, ordered by name; `nil`: those of the administrator.
  package static func devices(of owner: Int64?, _ db: any SQLConnection) throws -> [Device] {
    let all = try db.all("SELECT id, name, owner FROM devices ORDER BY name") {
      (device: try Device($0), owner: try $0.optionalInteger("owner"))
    }
    return all.filter { $0.owner == owner }.map(\.device)
  }

  /// Creates a device if the name is new, and adds a token to it.
  /// - Parameters:
  ///   - name: the name of the device.
  ///   - owner: the owner of a new device; `nil`: the administrator. The owner of an existing device does not change.
  ///   - tokenHash: the hash of the token.
  ///   - parent: the token of the request. If it is revoked, the new token is revoked, too.
  ///   - now: the time.
  ///   - db: a connection in a transaction.
  package static func addDevice(
    named name: String, of owner: Int64?, tokenHash: [UInt8], parent: Int64?, at now: Date, _ db: any SQLConnection
  ) throws {
    let time = now.millisecondsSince1970
    try db.run("INSERT INTO devices (name, created, owner) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", name, time, owner)
    // If the inserted number belongs to a deleted device, the device gets another number.
    guard let device = try TrackTables.device(named: name, db) else { throw StoreError.missingRow(table: "devices") }
    try db.run(
      "INSERT INTO device_tokens (hash, device, created, parent) VALUES (?, ?, ?, ?)", tokenHash, device.id, time, parent)
  }

  package static func set(_ owner: Int64?, of device: Int64, _ db: any SQLConnection) throws {
    try db.run("UPDATE devices SET owner = ? WHERE id = ?", owner, device)
    // The regions of a device depend on its owner.
    try db.run("UPDATE region_status SET rules = rules + 1")
    try FilterVersion.increment(db)
  }
}
