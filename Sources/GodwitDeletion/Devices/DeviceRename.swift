package import Foundation
internal import GodwitAccounts
internal import GodwitModel
internal import GodwitRegions
package import GodwitStore
internal import GodwitTransfer

/// The reason why a device cannot be renamed or merged.
package struct DeviceConflict: Error, CustomStringConvertible {
  package let description: String
}

/// Renames a device. Tokens, settings, sharing links, rules and topics refer to its number and need no change. Texts that
/// contain the name are changed.
package enum DeviceRename {
  /// Renames a device.
  ///
  /// - Parameters:
  ///   - known: the device. Its name may be a former one, because it may have been renamed since it was read.
  ///   - name: the new name, which must be valid.
  ///   - now: the time.
  ///   - db: a connection in a transaction.
  /// - Throws: ``DeviceConflict``.
  package static func rename(_ known: Device, to name: String, at now: Date, _ db: any SQLConnection) throws {
    guard let device = try TrackTables.device(id: known.id, db) else {
      throw DeviceConflict(description: "The device \"\(known.name)\" was deleted or merged.")
    }
    guard name != device.name else { return }
    guard Device.isValid(name: name) else {
      throw DeviceConflict(
        description:
          "\"\(name)\" is not a valid name: 1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends.")
    }
    if try TrackTables.device(named: name, db) != nil {
      throw DeviceConflict(description: "There is a device \"\(name)\" already. Choose another name, or merge the two.")
    }
    try checkImports(into: device.name, db)
    try db.run("UPDATE devices SET name = ? WHERE id = ?", name, device.id)
    for job in try imports(into: device.name, db) { try rename(job, from: device.name, to: name, db) }
    try retag(from: device, to: Device(id: device.id, name: name), at: now, db)
    try renameInEvents(of: device.id, from: device.name, to: name, db)
    try WebhookDevices.rename(from: device.name, to: name, db)
    try db.run("UPDATE region_status SET rules = rules + 1")
    try FilterVersion.increment(db)
  }

  /// Checks that no file is being imported into the device, because an import refers to it by name.
  ///
  /// - Throws: ``DeviceConflict``.
  static func checkImports(into name: String, _ db: any SQLConnection) throws {
    guard try ImportTables.unfinished(db).contains(where: { $0.options.devices.contains(name) }) else { return }
    throw DeviceConflict(description: "A file is being imported into \"\(name)\". Wait until that is done, or cancel it.")
  }

  /// Returns the imports that refer to a device by name.
  static func imports(into name: String, _ db: any SQLConnection) throws -> [ImportJob] {
    try ImportTables.newest(before: nil, limit: .max, db).filter { $0.options.devices.contains(name) }
  }

  static func rename(_ job: ImportJob, from old: String, to new: String, _ db: any SQLConnection) throws {
    var options = job.options
    if options.device == old { options.device = new }
    options.mapping = options.mapping.mapValues { $0 == old ? new : $0 }
    try ImportTables.set(options, of: job.id, db)
  }

  /// Changes the tag of regions that a device's app created.
  /// - Returns: the identifiers of the regions.
  @discardableResult
  static func retag(from old: Device, to new: Device, at now: Date, _ db: any SQLConnection) throws -> [String] {
    let (before, after) = (AppRegions.tag(of: old), AppRegions.tag(of: new))
    guard before != after else { return [] }
    let ids = try db.all("SELECT id FROM region_tags WHERE tag = ? ORDER BY id", before) { try $0.text("id") }
    try retag(ids, from: before, to: after, at: now, db)
    return ids
  }

  static func retag(_ ids: [String], from before: String, to after: String, at now: Date, _ db: any SQLConnection) throws {
    guard !ids.isEmpty else { return }
    var editor = try RegionEditor(db, at: now)
    var change = RegionChange()
    for id in ids {
      let json = try db.first("SELECT json FROM regions WHERE id = ?", id) { try $0.optionalBlob("json") } ?? nil
      guard let json else { continue }
      var region = try StoredRegion.region(json: json)
      guard region.tags.contains(before) else { continue }
      region.tags = region.tags.filter { $0 != after }.map { $0 == before ? after : $0 }
      try editor.save(region, if: .none, counting: &change)
    }
    _ = try editor.finish()
  }

  /// Changes the name of a device in the JSON of its region events.
  static func renameInEvents(of device: Int64, from old: String, to new: String, _ db: any SQLConnection) throws {
    // A name contains no characters that JSON escapes.
    try db.run(
      "UPDATE region_events SET body = replace(body, ?, ?) WHERE device = ?", "\"device\":\"\(old)\"", "\"device\":\"\(new)\"",
      device)
  }
}
