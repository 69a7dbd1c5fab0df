internal import Foundation
internal import GodwitStore
internal import GodwitTransfer

/// The names of devices in the filters of webhooks. Other members of a webhook's options do not change.
enum WebhookDevices {
  /// The rows of webhooks whose filter a merge changed. `listed`: whether the filter had the target before.
  static let merged = BackupTable(DeviceMerge.prefix + "webhooks", "id:i listed:i")

  /// Replaces a name in all filters.
  static func rename(from old: String, to new: String, _ db: any SQLConnection) throws {
    for (id, names) in try filters(with: old, db) { try set(replace(old, by: new, in: names), of: id, db) }
  }

  /// Replaces the name of a device by that of the device into which it is merged, and stores what an undo needs.
  static func merge(_ former: String, into target: String, _ bin: TrashBin, _ db: any SQLConnection) throws {
    for (id, names) in try filters(with: former, db) {
      try bin.add([.integer(id), .integer(names.contains(target) ? 1 : 0)], as: merged)
      try set(replace(former, by: target, in: names), of: id, db)
    }
  }

  /// Restores the name of a merged device. A filter that no longer has the target does not change.
  static func divide(_ rows: [[SQLArgument]], _ target: String, from former: String, _ db: any SQLConnection) throws {
    let found = try filters(with: target, db)
    for row in rows {
      guard row.count == 2, case .integer(let id) = row[0], case .integer(let listed) = row[1],
        let names = found.first(where: { $0.id == id })?.names
      else { continue }
      if listed == 1 {
        try set(names.filter { $0 != former } + [former], of: id, db)
      } else {
        try set(replace(target, by: former, in: names), of: id, db)
      }
    }
  }

  private static func replace(_ old: String, by new: String, in names: [String]) -> [String] {
    names.filter { $0 != new }.map { $0 == old ? new : $0 }
  }

  /// Returns the filters that have a name.
  private static func filters(with name: String, _ db: any SQLConnection) throws -> [(id: Int64, names: [String])] {
    try db.all("SELECT id, options FROM webhooks ORDER BY id") { row in
      (id: try row.integer("id"), names: members(of: try row.text("options"))["devices"] as? [String] ?? [])
    }.filter { $0.names.contains(name) }
  }

  private static func set(_ names: [String], of webhook: Int64, _ db: any SQLConnection) throws {
    guard let text = try db.text("SELECT options FROM webhooks WHERE id = ?", webhook) else { return }
    var options = members(of: text)
    options["devices"] = names
    let json = try JSONSerialization.data(withJSONObject: options, options: [.sortedKeys, .withoutEscapingSlashes])
    try db.run("UPDATE webhooks SET options = ? WHERE id = ?", String(decoding: json, as: UTF8.self), webhook)
  }

  /// Returns the members of a webhook's options; none if the row is damaged.
  private static func members(of options: String) -> [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(options.utf8))) as? [String: Any] ?? [:]
  }
}
