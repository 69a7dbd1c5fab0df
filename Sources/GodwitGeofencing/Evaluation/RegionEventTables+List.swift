package import GodwitStore

extension RegionEventTables {
  /// Events of regions as JSON, the newest first. Events without a region are not listed.
  /// - Parameters:
  ///   - devices: of these alone; `nil`: of all devices.
  ///   - region: of this region alone; `nil`: of all regions.
  ///   - id: of the event before which the list begins.
  package static func list(
    of devices: [Int64]?, region: String?, before id: Int64, limit: Int, _ db: any SQLConnection
  ) throws -> [(id: Int64, body: String)] {
    // A text for each combination, so that each uses its own index.
    var conditions = "id < ? AND region <> ''"
    var arguments: [SQLArgument] = [.integer(id)]
    if let devices {
      // `IN ()` is not valid in every SQL dialect, and `= ?` needs no list for one device.
      let condition =
        switch devices.count {
        case 0: "1 = 0"
        case 1: "device = ?"
        default: "device IN (\(devices.map { _ in "?" }.joined(separator: ",")))"
        }
      conditions += " AND \(condition)"
      arguments += devices.map(\.argument)
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
