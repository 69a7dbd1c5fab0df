package import GodwitStore

/// Whose devices are whose, in the database.
package enum DeviceOwners {
  /// Names of the users that devices belong to, by the device's number.
  package static func names(_ connection: any SQLConnection) throws -> [Int64: String] {
    var names: [Int64: String] = [:]
    try connection.forEach("SELECT devices.id, users.name FROM devices JOIN users ON users.id = devices.owner") {
      names[$0.integer(0)] = $0.text(1)
    }
    return names
  }

  package static func set(_ owner: Int64?, of device: Int64, _ connection: any SQLConnection) throws {
    try connection.run("UPDATE devices SET owner = ? WHERE id = ?", owner, device)
    // Which regions it gets depends on its owner.
    try connection.run("UPDATE region_status SET rules = rules + 1")
    try FilterVersion.increment(connection)
  }
}
