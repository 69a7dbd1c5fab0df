internal import GodwitHistory
package import GodwitStore

/// A table in a backup. It is the same for both databases.
package struct BackupTable: Sendable {
  package enum Kind: Character, Sendable {
    case integer = "i"
    case real = "r"
    case text = "t"
    /// Bytes, in base64.
    case blob = "b"
  }
  package struct Column: Sendable, Hashable {
    package let name: String
    package let kind: Kind
  }

  package let name: String
  package let columns: [Column]
  /// The columns by which rows are ordered. They are unique.
  package let key: [String]
  /// Whether the database generates the numbers in the first column.
  package let isNumbered: Bool
  /// Whether a new store has a row in the table, which is replaced by that of a backup.
  package let isSeeded: Bool

  /// - Parameters:
  ///   - name: the name of the table.
  ///   - columns: names with their kinds, as in `"id:i name:t"`.
  ///   - key: the columns by which rows are ordered.
  ///   - isNumbered: whether the database generates the numbers in the first column.
  ///   - isSeeded: whether a new store has a row in the table.
  package init(_ name: String, _ columns: String, key: String = "id", isNumbered: Bool = false, isSeeded: Bool = false) {
    self.name = name
    self.columns = columns.split(separator: " ").map { column in
      Column(name: String(column.dropLast(2)), kind: column.last.flatMap { Kind(rawValue: $0) } ?? .text)
    }
    self.key = key.split(separator: " ").map(String.init)
    self.isNumbered = isNumbered
    self.isSeeded = isSeeded
  }

  /// All tables with data that cannot be recomputed. Each table follows those to which it refers. A test compares them with
  /// both schemas.
  package static let all: [BackupTable] = [
    BackupTable("users", "id:i name:t folded:t role:t password:t created:i changed:i", isNumbered: true),
    BackupTable("devices", "id:i name:t created:i last_contact:i points:i owner:i", isNumbered: true),
    BackupTable("device_tokens", "hash:b device:i created:i revoked:i parent:i", key: "hash"),
    BackupTable("journals", "id:i device:i journal:i since:i", isNumbered: true),
    BackupTable("received_ranges", "journal:i first:i last:i began:i ended:i", key: "journal first"),
    BackupTable("deletions", "id:i request:t counts:t created:i", isNumbered: true),
    BackupTable("deleted_ranges", "journal:i first:i last:i", key: "journal first"),
    BackupPoints.table,
    BackupTable(
      "events", "device:i kind:t time:i discriminator:t received:i ended:i record:t import:i",
      key: "device kind time discriminator"),
    BackupTable(
      "rejected_records",
      "id:i device:i received:i place:t reason:t raw:b protocol:t origin:t size:i attempts:i last_attempt:i resolved:i",
      isNumbered: true),
    BackupTable("rejected_drops", "device:i dropped:i", key: "device"),
    BackupTable("heartbeat_rules", "device:i threshold:i notify:i", key: "device"),
    BackupTable("offline_devices", "device:i since:i detected:i notified:i", key: "device"),
    BackupTable("contact_hours", "device:i day:i hour:i began:i length:i", key: "device day hour"),
    BackupTable("outages", "began:i ended:i", key: "began"),
    BackupTable("heartbeat_status", "one:i seen:i", key: "one"),
    BackupTable("mqtt_topics", "topic:t device:i source:t created:i", key: "topic"),
    BackupTable("mqtt_unassigned", "id:i topic:t subtopic:t received:i hash:b body:b", isNumbered: true),
    BackupTable("timelines", "device:i version:i zone:t", key: "device"),
    BackupTable(
      "outliers", "device:i time:i latitude:i longitude:i reason:t flagged:i manual:i day:i",
      key: "device time latitude longitude"),
    BackupTable("timeline_corrections", "id:i device:i created:i undone:i first:i last:i body:t", isNumbered: true),
    BackupTable("places", "id:i account:i name:t latitude:r longitude:r radius:r created:i", isNumbered: true),
    BackupTable(
      "addresses", "north:i east:i text:t name:t locality:t country:t attribution:t asked:i", key: "north east"),
    BackupTable(
      "regions", "revision:i id:t created_revision:i changed:i tags:t former_tags:t hash:b south:r north:r west:r east:r json:b",
      key: "revision"),
    BackupTable("region_tags", "tag:t id:t", key: "tag id"),
    BackupTable("region_changes", "last:i time:i nonce:i", key: "last"),
    BackupTable(
      "region_status", "one:i epoch:t revision:i horizon:i rules:i digest:b count:i", key: "one", isSeeded: true),
    BackupTable("region_rules", "device:i changed:i rule:t", key: "device"),
    BackupTable("region_groups", "name:t changed:i rule:t", key: "name"),
    BackupTable("region_syncs", "device:i time:i scope:t revision:i digest:b count:i requested:t", key: "device"),
    BackupTable("region_events", "id:i device:i region:t name:t body:t", isNumbered: true),
    BackupTable("device_states", "device:i time:i stays:t line_time:i latitude:r longitude:r accuracy:r", key: "device"),
    BackupTable("webhooks", "id:i options:t secret:t enabled:i disabled_reason:t created:i last_delivery:i", isNumbered: true),
    BackupTable(
      "webhook_deliveries",
      "id:i event:i webhook:i device:i queued:i next_attempt:i attempts:i failed:i last_error:t leased_until:i", isNumbered: true),
    BackupTable(
      "sessions", "id:i hash:b account:i created:i last_used:i expires:i address:t agent:t confirmed:i", isNumbered: true),
    BackupTable(
      "access_tokens",
      "id:i hash:b account:i name:t scope:t device:i created:i expires:i revoked:i last_used:i address:t parent:i",
      isNumbered: true),
    BackupTable("account_notices", "id:i account:i time:i type:t detail:t actor:t address:t", isNumbered: true),
    BackupTable("second_factors", "account:i secret:b created:i enrolled:i last_step:i", key: "account"),
    BackupTable("recovery_codes", "account:i hash:b", key: "account hash"),
    BackupTable("photo_servers", "id:i account:i address:t api_key:t stored:i", isNumbered: true),
    BackupTable("openid_identities", "issuer:t subject:t account:i created:i", key: "issuer subject"),
    BackupTable(
      "passkeys",
      "id:i account:i credential:b public_key:b host:t name:t signatures:i synced:i created:i last_used:i", isNumbered: true),
    BackupTable("sign_in_failures", "subject:b failures:i last:i", key: "subject"),
    BackupTable("audit_log", "id:i time:i account:i actor:t action:t subject:t address:t", isNumbered: true),
    BackupTable("friendships", "id:i subject:i viewer:i requested_by:i access:t since:i created:i accepted:i", isNumbered: true),
    BackupTable("preferences", "account:i units:t language:t time_zone:t first_day:t theme:t", key: "account"),
    BackupTable("profiles", "account:i name:t tid:t avatar:b", key: "account"),
    BackupTable(
      "links", "id:i hash:b account:i options:t password:t created:i expires:i revoked:i views:i last_viewed:i", isNumbered: true),
    BackupTable("link_devices", "link:i device:i", key: "link device"),
    BackupTable("zones", "id:i account:i options:t created:i", isNumbered: true),
    BackupTable("zone_status", "one:i version:i", key: "one", isSeeded: true),
    BackupTable("zone_counts", "device:i coarsened:i dropped:i", key: "device"),
    BackupTable("mirrored_devices", "device:i source:t number:i", key: "device"),
    BackupTable("device_looks", "device:i color:t icon:t", key: "device"),
    BackupTable("retentions", "device:i keep_days:i thin_days:i thin_minutes:i changed:i thinned:i", key: "device"),
    BackupTable("app_options", "device:i owntracks_key:t shares:i sealed_only:i", key: "device"),
    BackupTable("app_reports", "device:i type:t time:i body:t", key: "device type"),
    BackupTable("app_commands", "id:i device:i created:i body:t sent:i", isNumbered: true),
    BackupTable(
      "desired_settings", "id:i device:i created:i settings:t state:t sends:i first_sent:i last_sent:i closed:i",
      isNumbered: true),
    BackupTable(
      "imports",
      """
      id:i place:t path:t stamp:t name:t size:i account:i options:t state:t batch:i position:i checkpoint:t report:t problem:t \
      created:i changed:i traced:i
      """, isNumbered: true),
  ]

  /// Tables of deleted data, which are also omitted from copies of the embedded database.
  static let deleted = ["trash_parts", "trash", "place_changes"]

  /// Tables that are omitted, with the reason why no data is lost.
  package static let leftOut: [String: String] = {
    var tables = [
      "contexts": "shared by points; stored with each point",
      "device_numbers": "device numbers that a running program may cache",
      "trash": "deleted data", "trash_parts": "deleted data",
      "place_changes": "former places, for an undo of a week", "merged_devices": "for data that returns from the trash",
      "dirty_days": "days to compute: after a restore, all",
      "roads": "a file of the machine",
      "mirror_status": "of the running server", "mirror_devices": "of the running server",
      "mirror_changes": "of the running server",
      "history_versions": "changed when overviews are computed", "live_positions": "found among the points",
      "point_blocks": "points, stored as such", "point_hashes": "computed from the points",
      "sealed_devices": "computed from the blocks of points",
      "overview_pieces": "computed from the points", "timeline_days": "computed from the points",
      "visits": "computed from the points", "trips": "computed from the points", "day_shares": "computed from the points",
      "sign_in_challenges": "of minutes", "feed_subscribers": "of seconds", "feed_events": "of seconds",
      "schema_migrations": "which schema it is",
    ]
    for level in OverviewLevel.all {
      for part in ["", "_node", "_parent", "_rowid"] {
        tables["overview_boxes_\(level.index)\(part)"] = "computed from the points"
      }
    }
    return tables
  }()

  // MARK: Reading and writing

  /// Reads rows after a key, ordered by the key.
  /// - Parameters:
  ///   - key: the key of the previous row; `nil`: from the first row.
  ///   - limit: the maximum number of rows.
  ///   - db: the database.
  ///   - body: called with each row.
  package func rows(
    after key: [SQLArgument]?, limit: Int, _ db: any SQLConnection, _ body: ([SQLArgument]) throws -> Void
  ) throws {
    let names = columns.map { Self.quoted($0.name) }.joined(separator: ", ")
    try page("SELECT \(names) FROM \(name)", self.key.map(Self.quoted), after: key, limit: limit, db, body)
  }

  package func page(
    _ select: String, _ key: [String], after last: [SQLArgument]?, limit: Int, _ db: any SQLConnection,
    _ body: ([SQLArgument]) throws -> Void
  ) throws {
    let order = key.joined(separator: ", ")
    let placeholders = key.map { _ in "?" }.joined(separator: ", ")
    let condition = last == nil ? "" : " WHERE (\(order)) > (\(placeholders))"
    let arguments = (last ?? []) + [.integer(Int64(limit))]
    try db.query("\(select)\(condition) ORDER BY \(order) LIMIT ?", with: arguments) { row in
      try body(values(of: row))
      return true
    }
  }

  /// Returns the values of a row that was selected with the columns of this table in their order.
  package func values(of row: any SQLRow) -> [SQLArgument] {
    columns.enumerated().map { index, column in
      // Values are read by position, which is faster than by name: a backup reads all points.
      let place = Int32(index)
      if row.isNull(place) { return .null }
      switch column.kind {
      case .integer: return .integer(row.integer(place))
      case .real: return .real(row.double(place))
      case .text: return .text(row.text(place))
      case .blob: return .blob(row.blob(place))
      }
    }
  }

  /// The columns in the form of ``init(_:_:key:isNumbered:isSeeded:)``.
  package var columnText: String { columns.map { "\($0.name):\($0.kind.rawValue)" }.joined(separator: " ") }

  /// Returns the key of a row.
  package func key(of row: [SQLArgument]) -> [SQLArgument] {
    key.compactMap { name in columns.firstIndex { $0.name == name }.map { row[$0] } }
  }

  /// Returns a quoted column name, because some names are keywords of SQL.
  package static func quoted(_ name: String) -> String { "\"\(name)\"" }
}

/// Points in a backup. Each point contains all of its values, including those that a database stores in other tables.
package enum BackupPoints {
  package static let table = BackupTable(
    "points",
    """
    device:i time:i latitude:i longitude:i altitude:i horizontal_accuracy:i vertical_accuracy:i speed:i speed_accuracy:i \
    course:i course_accuracy:i battery_level:i battery_state:i motion:i wifi:t trip:t device_id:t unique_id:t journal:i \
    sequence:i received:i extras:t import:i
    """, key: "device time latitude longitude")

  /// Returns the columns of the corresponding tables in a database.
  package static func physical(_ dialect: SQLDialect) -> [String: Set<String>] {
    let both: Set<String> = [
      "device", "time", "latitude", "longitude", "altitude", "horizontal_accuracy", "vertical_accuracy", "speed",
      "speed_accuracy", "course", "course_accuracy", "battery_level", "context", "sequence", "extras",
    ]
    let shared: Set<String> = ["id", "wifi", "trip", "device_id", "unique_id"]
    return switch dialect {
    case .sqlite:
      [
        "points": both.union(["delay"]),
        "contexts": shared.union(["journal", "battery_state", "motion", "import", "retired"]),
      ]
    case .postgres:
      [
        "points": both.union(["journal", "battery_state", "motion", "received", "import"]), "contexts": shared.union(["retired"]),
      ]
    }
  }

  /// Returns the SQL that selects the points that meet a condition.
  /// - Parameters:
  ///   - condition: a condition on columns of `points`.
  ///   - dialect: the dialect of the database.
  package static func select(where condition: String, _ dialect: SQLDialect) -> String {
    // Points are selected first, because a distributed store finds them on one worker, and their contexts on the
    // coordinator.
    "WITH chosen AS MATERIALIZED (SELECT * FROM points WHERE \(condition)) " + select(dialect, from: "chosen AS points")
  }

  package static func select(
    _ dialect: SQLDialect, from points: String = "points", without missing: Set<String> = []
  ) -> String {
    let columns = table.columns.map { column in
      if missing.contains(column.name) { return "NULL" }
      return switch (column.name, dialect) {
      case ("wifi", _), ("trip", _), ("device_id", _), ("unique_id", _): "contexts.\(column.name)"
      case ("battery_state", .sqlite), ("motion", .sqlite), ("journal", .sqlite), ("import", .sqlite): "contexts.\(column.name)"
      // It is stored with a resolution of one second.
      case ("received", .sqlite): "points.time + points.delay * 1000"
      default: "points.\(column.name)"
      }
    }
    return """
      SELECT \(columns.joined(separator: ", ")) FROM \(points) LEFT JOIN contexts ON contexts.id = points.context
      """
  }

  package static func rows(
    after key: [SQLArgument]?, limit: Int, _ db: any SQLConnection, _ body: ([SQLArgument]) throws -> Void
  ) throws {
    guard try db.dialect == .postgres || BlockTable.exists(device: nil, .min..<Int64.max, db) else {
      return try table.page(
        select(db.dialect), table.key.map { "points.\($0)" }, after: key, limit: limit, db, body)
    }
    try BackupPointPage(db).rows(after: key, limit: limit, body)
  }
}
