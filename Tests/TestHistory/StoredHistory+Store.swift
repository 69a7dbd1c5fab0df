internal import Foundation
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

extension StoredHistory {
  /// Reads a store, also while a server uses it.
  /// - Parameters:
  ///   - location: the value of `godwit serve --store`.
  ///   - deliveries: the names of the events that a webhook accepted, in the order of their arrival; `nil` without a webhook.
  package init(of location: String, deliveries: [String]? = nil) throws {
    let location = try StoreLocation(location)
    let store = try location.open()
    defer { store.close() }
    let points = try Self.points(of: store)
    self = try store.read { db in
      StoredHistory(
        points: points,
        ranges: try db.all(
          """
          SELECT journals.journal AS journal, first, last FROM received_ranges
          JOIN journals ON journals.id = received_ranges.journal
          """
        ) { row in
          Range(journal: try row.journal(), first: Int(try row.integer("first")), last: Int(try row.integer("last")))
        },
        events: try db.all("SELECT name, device, body FROM region_events ORDER BY id") { row in
          let body = try JSONSerialization.jsonObject(with: Data(try row.text("body").utf8)) as? [String: Any]
          return Event(
            name: try row.text("name"), device: Int(try row.integer("device")),
            isEntry: body?["type"] as? String == "geofence.entered",
            isCrossing: body?["type"] as? String == "geofence.crossed", time: body?["time"] as? String ?? "")
        }, deliveries: deliveries)
    }
  }

  /// Returns the deliveries of a store that are pending or failed, one line each, for the message of a failed test.
  package static func openDeliveries(of location: String) throws -> [String] {
    let store = try StoreLocation(location).open()
    defer { store.close() }
    return try store.read { db in
      try db.all(
        """
        SELECT name, queued, next_attempt, attempts, failed, last_error, leased_until
        FROM webhook_deliveries JOIN region_events ON region_events.id = event ORDER BY webhook_deliveries.id
        """
      ) { row in
        let times = try ["queued", "next_attempt", "attempts", "leased_until"].map { "\($0) \(try row.integer($0))" }
        let failed = try row.optionalInteger("failed").map { "failed \($0)" } ?? "pending"
        return try
          "\(row.text("name")): \(failed), \(times.joined(separator: ", ")), \(row.optionalText("last_error") ?? "no error")"
      }
    }
  }

  /// Returns the points of records with a number, from rows and blocks.
  private static func points(of store: any StoreDatabase) throws -> [Point] {
    var (points, query) = ([Point](), PointQuery(limit: 10_000))
    while true {
      let page = try store.points(query)
      for point in page {
        guard let id = point.record.id else { continue }
        points.append(
          Point(
            record: SentRecord(journal: id.journal, number: Int(id.sequence.value)), device: Int(point.device.id),
            time: Int(point.cursor.time.value)))
      }
      guard page.count == query.limit, let last = page.last else { return points }
      query.after = last.cursor
    }
  }
}

extension SQLRow {
  fileprivate func journal() throws -> UInt64 { UInt64(bitPattern: try integer("journal")) }
}
