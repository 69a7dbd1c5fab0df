import Foundation
import GodwitServer
import GodwitStore

extension StoredHistory {
  /// Reads a store, also beside a running server.
  /// - Parameters:
  ///   - location: as `godwit serve --store` takes it.
  ///   - deliveries: names of events that a webhook accepted, in the order of their arrival; nil without a webhook.
  init(of location: String, deliveries: [String]? = nil) throws {
    let location = try StoreLocation(location)
    let store = try location.open()
    defer { store.close() }
    // SQLite has the journal of a point in its context.
    let isSQLite = if case .folder = location { true } else { false }
    let journal =
      isSQLite
      ? "JOIN contexts ON contexts.id = points.context JOIN journals ON journals.id = contexts.journal"
      : "JOIN journals ON journals.id = points.journal"
    self = try store.read { db in
      StoredHistory(
        points: try db.all(
          "SELECT journals.journal AS journal, sequence, points.device AS device, time FROM points \(journal)"
        ) { row in
          Point(
            record: SentRecord(journal: try row.journal(), number: Int(try row.integer("sequence"))),
            device: Int(try row.integer("device")), time: Int(try row.integer("time")))
        },
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
            isEntry: body?["type"] as? String == "geofence.entered", time: body?["time"] as? String ?? "")
        }, deliveries: deliveries)
    }
  }
}

extension SQLRow {
  fileprivate func journal() throws -> UInt64 { UInt64(bitPattern: try integer("journal")) }
}
