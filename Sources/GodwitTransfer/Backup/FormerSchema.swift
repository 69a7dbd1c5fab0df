internal import GodwitHistory
internal import GodwitStore

/// The names of tables and columns, and the stored words, of development builds. Used to read their stores and backups.
package enum FormerSchema {
  /// A table whose name or columns have changed.
  private struct FormerTable {
    let name, now: String
    /// Current names by former names.
    let columns: [String: String]

    init(_ name: String, now: String, _ columns: [String: String] = [:]) {
      (self.name, self.now, self.columns) = (name, now, columns)
    }
  }

  private static let changed: [FormerTable] = [
    FormerTable("tokens", now: "device_tokens"),
    FormerTable("ranges", now: "received_ranges"),
    FormerTable(
      "letters", now: "webhook_deliveries",
      ["written": "queued", "due": "next_attempt", "dead": "failed", "problem": "last_error", "leased": "leased_until"]),
    FormerTable("refusals", now: "rejected_records", ["tried": "last_attempt", "solved": "resolved"]),
    FormerTable("refusal_drops", now: "rejected_drops"),
    FormerTable("silences", now: "offline_devices", ["noticed": "detected", "told": "notified"]),
    FormerTable("heard_hours", now: "contact_hours"),
    FormerTable("watch_rules", now: "heartbeat_rules", ["notices": "notify"]),
    FormerTable("watch_status", now: "heartbeat_status"),
    FormerTable("marks", now: "outliers", ["marked": "flagged", "by_hand": "manual"]),
    FormerTable("mqtt_waiting", now: "mqtt_unassigned", ["below": "subtopic"]),
    FormerTable("mqtt_topics", now: "mqtt_topics", ["bound": "source"]),
    FormerTable("presences", now: "device_states"),
    FormerTable("cards", now: "profiles", ["face": "avatar"]),
    FormerTable("app_terms", now: "app_options"),
    FormerTable("settings_orders", now: "desired_settings", ["settled": "closed"]),
    FormerTable("audit", now: "audit_log"),
    FormerTable("regions", now: "regions", ["born": "created_revision", "earlier": "former_tags"]),
    FormerTable("region_changes", now: "region_changes", ["mark": "nonce"]),
    FormerTable("region_syncs", now: "region_syncs", ["wanted": "requested"]),
    FormerTable("webhooks", now: "webhooks", ["terms": "options", "note": "disabled_reason", "delivered": "last_delivery"]),
    FormerTable("friendships", now: "friendships", ["asked": "requested_by", "sight": "access"]),
    FormerTable("links", now: "links", ["terms": "options", "viewed": "last_viewed"]),
    FormerTable("zones", now: "zones", ["terms": "options"]),
    FormerTable("imports", now: "imports", ["terms": "options", "tally": "report"]),
    FormerTable("access_tokens", now: "access_tokens", ["used": "last_used"]),
    FormerTable("sessions", now: "sessions", ["used": "last_used"]),
  ]

  /// Stored words that have changed, by the current tables and columns.
  private static let words: [String: [String: [String: String]]] = [
    "outliers": ["reason": ["nowhere": "null_island", "hand": "manual"]],
    "desired_settings": ["state": ["waiting": "pending", "taken": "applied", "withdrawn": "cancelled"]],
    "mqtt_topics": ["source": ["owner": "manual", "made": "automatic"]],
  ]

  /// Returns the current table for a former name; `nil`: unknown, or its rows are recomputed.
  package static func table(_ former: String) -> BackupTable? {
    let name = changed.first { $0.name == former }?.now ?? former
    // A name that only a current table has is not a former name.
    if name == former, changed.contains(where: { $0.now == former && $0.name != former }) { return nil }
    return BackupTable.all.first { $0.name == name }
  }

  /// Returns the former name of a current table.
  static func name(of table: BackupTable) -> String { changed.first { $0.now == table.name }?.name ?? table.name }

  /// Returns the current column for a former name.
  package static func column(_ former: String, of table: BackupTable) -> BackupTable.Column? {
    let name = changed.first { $0.now == table.name }?.columns[former] ?? former
    return table.columns.first { $0.name == name }
  }

  /// Returns the former name of a current column.
  static func name(of column: BackupTable.Column, of table: BackupTable) -> String {
    let columns = changed.first { $0.now == table.name }?.columns ?? [:]
    return columns.first { $0.value == column.name }?.key ?? column.name
  }

  /// Replaces the stored words of a row.
  /// - Parameters:
  ///   - row: values in the order of the columns.
  ///   - columns: the current names of the columns.
  ///   - table: the current table.
  static func replaceWords(in row: inout [SQLArgument], _ columns: [String], of table: BackupTable) {
    guard let words = words[table.name] else { return }
    for (index, column) in columns.enumerated() {
      if let known = words[column], case .text(let text) = row[index], let word = known[text] { row[index] = .text(word) }
    }
  }
}
