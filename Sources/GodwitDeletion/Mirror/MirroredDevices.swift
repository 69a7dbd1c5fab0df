package import Foundation
internal import GodwitMirror
internal import GodwitModel
package import GodwitStore

/// The devices whose records other servers send to this server.
package enum MirroredDevices {
  /// A device at the other server.
  package struct Origin: Sendable, Hashable {
    /// The random identifier of the other server's store.
    package let source: String
    /// The number of the device at the other server.
    package let number: Int64
    package let name: String

    package init(source: String, number: Int64, name: String) { (self.source, self.number, self.name) = (source, number, name) }
  }

  /// Returns the copy of another server's device; `nil`: there is none.
  package static func device(_ source: String, _ number: Int64, _ db: any SQLConnection) throws -> Device? {
    try db.first(
      """
      SELECT devices.id, devices.name FROM mirrored_devices JOIN devices ON devices.id = mirrored_devices.device
      WHERE source = ? AND number = ?
      """, source, number
    ) { Device(id: try $0.integer("id"), name: try $0.text("name")) }
  }

  /// Returns the copy of another server's device, renamed to its current name. It is created if it does not exist.
  /// - Parameters:
  ///   - origin: the device.
  ///   - user: the owner of a new device; `nil`: the administrator.
  ///   - adopts: whether an existing device with that name may become the copy.
  ///   - now: the time.
  ///   - db: a connection in a transaction.
  /// - Throws: ``DeviceConflict`` if another device has the name.
  package static func device(
    _ origin: Origin, of user: Int64?, adopts: Bool, at now: Date, _ db: any SQLConnection
  ) throws -> Device {
    if try MirrorTables.source(db) == origin.source {
      throw DeviceConflict(description: "A server cannot be the mirror of itself. Give the address of another one.")
    }
    if let known = try device(origin.source, origin.number, db) {
      guard known.name != origin.name else { return known }
      try makeRoom(for: origin, db)
      try DeviceRename.rename(known, to: origin.name, at: now, db)
      return Device(id: known.id, name: origin.name)
    }
    guard Device.isValid(name: origin.name) else {
      throw DeviceConflict(description: "\"\(origin.name)\" is not a valid name of a device.")
    }
    if try TrackTables.device(named: origin.name, db) == nil {
      try TrackTables.addDevice(named: origin.name, owner: user, at: now, db)
    } else if !adopts {
      throw DeviceConflict(
        description:
          "There is a device \"\(origin.name)\" that is not a copy of the sender's. Rename or delete it, or start the sender "
          + "with --mirror-adopt to make it the copy.")
    }
    guard let device = try TrackTables.device(named: origin.name, db) else { throw StoreError.missingRow(table: "devices") }
    try db.run("DELETE FROM mirrored_devices WHERE device = ?", device.id)
    try db.run(
      "INSERT INTO mirrored_devices (device, source, number) VALUES (?, ?, ?)", device.id, origin.source, origin.number)
    return device
  }

  /// Gives another device of the same server a temporary name. Both devices were renamed, and its new name will be received
  /// soon.
  private static func makeRoom(for origin: Origin, _ db: any SQLConnection) throws {
    guard let other = try TrackTables.device(named: origin.name, db) else { return }
    let number = try db.integer(
      "SELECT number FROM mirrored_devices WHERE device = ? AND source = ?", other.id, origin.source)
    guard number != nil else { return }
    let passing = String(origin.name.prefix(32)) + " \(other.id)"
    guard try TrackTables.device(named: passing, db) == nil else { return }
    try db.run("UPDATE devices SET name = ? WHERE id = ?", passing, other.id)
  }
}
