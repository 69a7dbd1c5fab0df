package import GodwitStore

/// The versions of devices' histories. If the versions are equal, the tiles are equal.
package enum HistoryVersions {
  package static let sqlite = """
    -- A random number for each change of a device's overviews. It does not repeat after the restore of an older backup.
    CREATE TABLE history_versions (
      device INTEGER PRIMARY KEY,
      version INTEGER NOT NULL
    ) STRICT;
    """

  package static let postgres = """
    CREATE TABLE history_versions (
      device BIGINT PRIMARY KEY,
      version BIGINT NOT NULL
    );
    """

  /// Changes the version of a device.
  static func change(ofDevice device: Int64, _ db: any SQLConnection) throws {
    try db.run(
      """
      INSERT INTO history_versions (device, version) VALUES (?1, ?2)
      ON CONFLICT (device) DO UPDATE SET version = excluded.version
      """, device, Int64.random(in: .min...Int64.max))
  }

  /// Returns a text that changes when the content of a device's tiles may change.
  package static func text(ofDevice device: Int64, _ db: any SQLConnection) throws -> String {
    let overview = try db.integer("SELECT version FROM history_versions WHERE device = ?", device) ?? 0
    let timeline = try timeline(ofDevice: device, db)
    // Tiles also contain the points of dirty days.
    let fresh = try DirtyDays.newest(Int64.min...Int64.max, ofDevice: device, limit: .max, db)
      .map { "\($0.day):\($0.touched)" }
    return "\(device)/\(overview)/\(timeline)/\(fresh.joined(separator: ","))"
  }

  /// The version of a device's visits and trips, including corrections.
  static func timeline(ofDevice device: Int64, _ db: any SQLConnection) throws -> String {
    let computed = try db.integer("SELECT version FROM timelines WHERE device = ?", device) ?? 0
    return "\(computed)+\(try CorrectionTable.version(ofDevice: device, db))"
  }
}
