package import GodwitStore

extension RegionEventTables {
  /// Returns region events as JSON, newest first. Events without a region are not included.
  /// - Parameters:
  ///   - devices: only events of these devices; `nil`: of all devices.
  ///   - region: only events of this region; `nil`: of all regions.
  ///   - id: only events with a lower identifier.
  package static func list(
    of devices: [Int64]?, region: String?, before id: Int64, limit: Int, _ db: any SQLConnection
  ) throws -> [(id: Int64, body: String)] {
    // The SQL differs for each combination of filters, so that each uses its own index.
    var conditions = "id < ? AND region <> ''"
    var arguments: [SQLArgument] = [.integer(id)]
    if let devices {
      let list = NumberList(devices)
      conditions += " AND device IN \(list.sql)"
      arguments += list.arguments
    }
    if let region {
      conditions += " AND region = ?"
      arguments.append(region.argument)
    }
    var found: [(id: Int64, body: String)] = []
    try db.query(
      "SELECT id, body FROM region_events WHERE \(conditions) ORDER BY id DESC LIMIT ?", with: arguments + [limit.argument]
    ) { row in
      found.append((try row.integer("id"), try row.text("body")))
      return true
    }
    return found
  }
}
