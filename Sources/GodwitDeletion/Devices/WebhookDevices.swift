internal import Foundation
internal import GodwitStore
internal import GodwitTransfer

/// The names of devices in the filters of webhooks. Other members of a webhook's options do not change.
enum WebhookDevices {
  /// The rows of webhooks whose filter a merge changed. `listed`: whether the filter had the target before.
  static let merged = BackupTable(DeviceMerge.prefix + "webhooks", "id:i listed:i")

  /// Replaces a name in all filters.
  static func rename(from old: String, to new: String, _ db: any SQLConnection) throws {
    for var options in try filters(with: old, db) {
      options.replace(old, by: new)
      try options.store(db)
    }
  }

  /// Replaces the name of a device by that of the device into which it is merged, and stores what an undo needs.
  static func merge(_ former: String, into target: String, _ bin: TrashBin, _ db: any SQLConnection) throws {
    for var options in try filters(with: former, db) {
      try bin.add([.integer(options.id), .integer(options.names.contains(target) ? 1 : 0)], as: merged)
      options.replace(former, by: target)
      try options.store(db)
    }
  }

  /// Restores the name of a merged device. A filter that no longer has the target does not change.
  static func divide(_ rows: [[SQLArgument]], _ target: String, from former: String, _ db: any SQLConnection) throws {
    let found = try filters(with: target, db)
    for row in rows {
      guard row.count == 2, case .integer(let id) = row[0], case .integer(let listed) = row[1],
        var options = found.first(where: { $0.id == id })
      else { continue }
      if listed == 1 {
        options.names = options.names.filter { $0 != former } + [former]
      } else {
        options.replace(target, by: former)
      }
      try options.store(db)
    }
  }

  /// A webhook's options, of which only the filter by devices is known here.
  private struct Options {
    let id: Int64
    private var members: [String: Any]

    init(_ row: any SQLRow) throws {
      id = try row.integer("id")
      // A damaged row has no members, and no filter.
      members = (try? JSONSerialization.jsonObject(with: Data(row.text("options").utf8))) as? [String: Any] ?? [:]
    }

    var names: [String] {
      get { members["devices"] as? [String] ?? [] }
      set { members["devices"] = newValue }
    }

    func store(_ db: any SQLConnection) throws {
      let json = try JSONSerialization.data(withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])
      try db.run("UPDATE webhooks SET options = ? WHERE id = ?", String(decoding: json, as: UTF8.self), id)
    }

    /// Replaces a name. A filter that has the new one as well has it once afterwards.
    mutating func replace(_ old: String, by new: String) { names = names.filter { $0 != new }.map { $0 == old ? new : $0 } }
  }

  /// Returns the options of the webhooks whose filter has a name.
  private static func filters(with name: String, _ db: any SQLConnection) throws -> [Options] {
    try db.all("SELECT id, options FROM webhooks ORDER BY id") { try Options($0) }.filter { $0.names.contains(name) }
  }
}
