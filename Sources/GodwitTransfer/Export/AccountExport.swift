package import Foundation
internal import GodwitFiles
internal import GodwitModel
package import GodwitStore
internal import GodwitText

/// Exports the data of a user as a zip archive, piece by piece: the records of each device as GeoJSON with all fields, and
/// other tables as JSON. Secrets and hashes of secrets are not included.
package struct AccountExport {
  private let store: any StoreDatabase
  private let account: Int64?
  private let zip: ZipStream
  private var devices: ArraySlice<Device>
  private var names = FileNames()
  private var tables = Self.tables[...]
  private var records: RecordExport?
  private var phase = Phase.about

  private enum Phase { case about, devices, tables, over }

  /// The exported part of a table.
  struct Table: Sendable {
    /// The owner of a row.
    enum Scope: Sendable {
      case user
      case device
      /// A row of two users, of which the exported user is one.
      case friends
    }
    let name: String
    let columns: [BackupTable.Column]
    let scope: Scope

    init(_ name: String, _ columns: String, _ scope: Scope) {
      self.name = name
      self.columns = BackupTable(name, columns).columns
      self.scope = scope
    }
  }

  /// Tables with data of a user besides the records of devices.
  static let tables: [Table] = [
    Table("preferences", "units:t language:t time_zone:t first_day:t theme:t", .user),
    Table("profiles", "name:t tid:t avatar:b", .user),
    Table("friendships", "access:t since:i created:i accepted:i", .friends),
    Table("places", "name:t latitude:r longitude:r radius:r created:i", .user),
    Table("zones", "options:t created:i", .user),
    Table("links", "options:t created:i expires:i revoked:i views:i last_viewed:i", .user),
    Table("access_tokens", "name:t scope:t created:i expires:i revoked:i last_used:i address:t", .user),
    Table("sessions", "created:i last_used:i expires:i address:t agent:t", .user),
    Table("passkeys", "host:t name:t synced:i created:i last_used:i", .user),
    Table("photo_servers", "address:t stored:i", .user),
    Table("account_notices", "time:i type:t detail:t actor:t address:t", .user),
    Table("audit_log", "time:i action:t subject:t address:t", .user),
    Table("imports", "name:t size:i state:t report:t problem:t created:i changed:i", .user),
    Table("timelines", "zone:t", .device),
    Table("timeline_corrections", "created:i undone:i first:i last:i body:t", .device),
    Table("outliers", "time:i latitude:i longitude:i reason:t flagged:i manual:i", .device),
    Table("device_looks", "color:t icon:t", .device),
    Table("retentions", "keep_days:i thin_days:i thin_minutes:i changed:i", .device),
    Table("heartbeat_rules", "threshold:i notify:i", .device),
    Table("desired_settings", "created:i settings:t state:t first_sent:i last_sent:i closed:i", .device),
    Table("region_events", "region:t name:t body:t", .device),
    Table("rejected_records", "received:i place:t reason:t raw:b protocol:t", .device),
    Table("app_reports", "type:t time:i body:t", .device),
  ]

  /// - Parameters:
  ///   - account: the number of the user; `nil`: the administrator without a user.
  ///   - store: the store.
  ///   - now: the time of the files in the archive.
  package init(of account: Int64?, in store: any StoreDatabase, at now: Date) throws {
    self.store = store
    self.account = account
    zip = try ZipStream(time: Int(now.timeIntervalSince1970))
    let own = try Set(
      store.read { db in
        try db.all("SELECT id FROM devices WHERE COALESCE(owner, 0) = ?", account ?? 0) { try $0.integer("id") }
      })
    devices = try store.devices().map(\.device).filter { own.contains($0.id) }[...]
  }

  /// Returns the next bytes; `nil` at the end.
  ///
  /// - Throws: the store's error.
  package mutating func next() throws -> [UInt8]? {
    while phase != .over {
      try step()
      let bytes = zip.pop()
      if !bytes.isEmpty { return bytes }
    }
    return nil
  }

  private mutating func step() throws {
    switch phase {
    case .about:
      try zip.begin("about.json")
      try zip.append(Array(JSONText.object { $0.add("program", "godwit") }.utf8))
      phase = .devices
    case .devices:
      if let bytes = try records?.next() { return try zip.append(bytes) }
      records = nil
      guard let device = devices.popFirst() else {
        phase = .tables
        return
      }
      // The device may have been moved to another user since the export began.
      guard try store.read({ try TrackTables.owner(of: device.id, $0) }) == account else { return }
      // Names of devices have no slashes.
      try zip.begin("devices/\(names.unique(device.name)).geojson")
      records = try RecordExport(of: device, as: .geojson, from: nil, to: nil, in: store)
    case .tables:
      guard let table = tables.popFirst() else {
        try zip.finish()
        phase = .over
        return
      }
      let rows = try store.read { try Self.rows(of: table, account ?? 0, $0) }
      guard !rows.isEmpty else { return }
      try zip.begin("tables/\(table.name).json")
      try zip.append(Array("[\n\(rows.joined(separator: ",\n"))\n]\n".utf8))
    case .over: break
    }
  }

  /// Returns a user's rows of a table as JSON objects. A row of a device contains the name of the device, and a friendship
  /// the names of the user whose devices are shared and of the user who sees them.
  private static func rows(of table: Table, _ account: Int64, _ db: any SQLConnection) throws -> [String] {
    let names = table.columns.map { "t.\"\($0.name)\"" }.joined(separator: ", ")
    let query =
      switch table.scope {
      case .user: "SELECT \(names) FROM \(table.name) t WHERE COALESCE(t.account, 0) = ?"
      case .device:
        "SELECT \(names), d.name AS device FROM \(table.name) t JOIN devices d ON d.id = t.device WHERE COALESCE(d.owner, 0) = ?"
      case .friends:
        """
        SELECT \(names), subjects.name AS subject, viewers.name AS viewer FROM \(table.name) t
        JOIN users AS subjects ON subjects.id = t.subject JOIN users AS viewers ON viewers.id = t.viewer
        WHERE ? IN (t.subject, t.viewer)
        """
      }
    return try db.all(query, account) { row in
      var object = JSONText()
      for column in table.columns { object.add(column.name, raw: try value(of: column, row)) }
      switch table.scope {
      case .user: break
      case .device: object.add("device", try row.text("device"))
      case .friends: for name in ["subject", "viewer"] { object.add(name, try row.text(name)) }
      }
      return object.object
    }
  }

  private static func value(of column: BackupTable.Column, _ row: any SQLRow) throws -> String {
    if try row.isNull(column.name) { return "null" }
    return switch column.kind {
    case .integer: String(try row.integer(column.name))
    case .real: "\(try row.double(column.name))"
    case .text: try row.text(column.name).jsonQuoted
    case .blob: Data(try row.blob(column.name)).base64EncodedString().jsonQuoted
    }
  }
}
