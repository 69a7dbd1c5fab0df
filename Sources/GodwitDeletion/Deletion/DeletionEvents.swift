internal import Foundation
package import GodwitAccounts
internal import GodwitHistory
internal import GodwitMirror
package import GodwitModel
package import GodwitStore

/// The records of a selection other than points: visits, trips, actions, region events with their webhook deliveries,
/// rejected records, MQTT messages and reports of apps.
package struct DeletionEvents: Sendable {
  /// A row of `events`.
  package struct Key: Sendable, Hashable {
    package var kind: String
    package var time: Int64
    package var discriminator: String
  }

  /// A row whose record changes.
  package struct Change: Sendable {
    package var key: Key
    /// The new record; `nil`: the row is deleted.
    package var record: Record?
    /// The identifier of the record in its journal; `nil`: none.
    package var id: RecordID?
    /// Times whose days must be recomputed.
    package var times: [Int64]
  }

  package let device: Int64
  package var changes: [Change] = []
  /// Numbers of rows of `region_events`.
  package var regionEvents: [Int64] = []
  package var deliveries = 0
  package var rejected = 0
  package var messages = 0
  /// The times of receipt of rejected records and messages that are deleted; `nil`: none are deleted.
  private var received: Range<Int64>?

  /// The area of the zone that is applied.
  private var zone: PreparedArea?

  /// Maximum milliseconds of a visit or trip that is found. A longer one is found if no other of its kind began in between.
  private static let maximum: Int64 = 62 * DayLength.milliseconds
  /// Rows in one transaction.
  package static let step = 1_000

  // MARK: Finding

  /// Finds the records that belong to a selection. Visits and trips belong to it if they overlap its times. If an area is
  /// given, only records with a place in the area belong to it.
  package init(_ selection: PointSelection, _ db: any SQLConnection) throws {
    device = selection.device
    let area = selection.area.map { PreparedArea($0) }
    let earliest = selection.from <= .min + Self.maximum ? Int64.min : selection.from - Self.maximum
    let condition = selection.importID == nil ? "(?4 IS NULL OR import = ?4)" : "import = ?4"
    let rows = "SELECT kind, time, discriminator, record FROM events WHERE device = ?1 AND \(condition)"
    let longer = ["visit", "trip"].map { kind in
      "AND kind = '\(kind)' AND time = (SELECT max(time) FROM events WHERE device = ?1 AND kind = '\(kind)' AND time < ?2)"
    }
    try db.forEach(
      "\(rows) AND time >= ?2 AND time < ?3 UNION ALL \(rows) \(longer[0]) UNION ALL \(rows) \(longer[1])",
      selection.device, earliest, selection.to, selection.importID
    ) { row in
      let record = try EventRow.record(json: row.text("record"))
      let span = Self.span(of: record)
      guard span.lowerBound < selection.to, span.upperBound >= selection.from else { return }
      if let area, !Self.places(of: record).contains(where: area.contains) { return }
      try changes.append(
        Change(
          key: Key(kind: row.text("kind"), time: row.integer("time"), discriminator: row.text("discriminator")), record: nil,
          id: record.id,
          times: [span.lowerBound, span.upperBound]))
    }
    // Region events of the server and rejected records belong to no import.
    guard selection.importID == nil else { return }
    try findRegionEvents(db) { event in
      guard let time = event.time, selection.contains(time) else { return false }
      return area.map { area in event.places.contains(where: area.contains) } ?? true
    }
    received = selection.from..<max(selection.from, selection.to)
    try count(db)
  }

  /// Finds the records in a zone, and applies the zone to them.
  package init(device: Int64, zone: PrivacyZone, _ db: any SQLConnection) throws {
    self.device = device
    let zones = ZoneSet([PreparedZone(zone.options)])
    let area = PreparedArea(.shape(zone.options.shape))
    self.zone = area
    try db.forEach("SELECT kind, time, discriminator, record FROM events WHERE device = ?", device) { row in
      let record = try EventRow.record(json: row.text("record"))
      let span = Self.span(of: record)
      var change = try Change(
        key: Key(kind: row.text("kind"), time: row.integer("time"), discriminator: row.text("discriminator")), record: nil,
        id: record.id,
        times: [span.lowerBound, span.upperBound])
      switch zones.applied(to: record) {
      case .asItWas: return
      case .coarsened(let blurred):
        // The record was coarsened before.
        if blurred == record { return }
        change.record = blurred
      case .dropped: break
      }
      changes.append(change)
    }
    try findRegionEvents(db) { $0.places.contains(where: area.contains) }
    deliveries = try countDeliveries(db)
  }

  /// The time and the places in the JSON of a region event.
  private struct RegionEventPlace {
    var time: Int64?
    var places: [Coordinate]

    init(_ body: String) {
      let object = (try? JSONSerialization.jsonObject(with: Data(body.utf8))) as? [String: Any] ?? [:]
      time = (object["time"] as? String).flatMap { RFC3339.date($0) }?.millisecondsSince1970
      let region = object["region"] as? [String: Any]
      places = [object["location"], region?["center"]].compactMap { place in
        guard let place = place as? [String: Any], let latitude = (place["latitude"] as? NSNumber)?.doubleValue,
          let longitude = (place["longitude"] as? NSNumber)?.doubleValue
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
      }
    }
  }

  private mutating func findRegionEvents(
    _ db: any SQLConnection, where isWanted: (RegionEventPlace) -> Bool
  ) throws {
    var found: [Int64] = []
    try db.forEach("SELECT id, body FROM region_events WHERE device = ?", device) {
      if try isWanted(RegionEventPlace($0.text("body"))) { try found.append($0.integer("id")) }
    }
    regionEvents = found
  }

  private mutating func count(_ db: any SQLConnection) throws {
    deliveries = try countDeliveries(db)
    guard let received else { return }
    rejected = Int(
      try db.integer(
        "SELECT count(*) FROM rejected_records WHERE device = ? AND received >= ? AND received < ?", device, received.lowerBound,
        received.upperBound) ?? 0)
    messages = Int(
      try db.integer(
        """
        SELECT count(*) FROM mqtt_unassigned WHERE topic IN (SELECT topic FROM mqtt_topics WHERE device = ?)
          AND received >= ? AND received < ?
        """, device, received.lowerBound, received.upperBound) ?? 0)
  }

  private func countDeliveries(_ db: any SQLConnection) throws -> Int {
    guard !regionEvents.isEmpty else { return 0 }
    let wanted = Set(regionEvents)
    return try db.all("SELECT event FROM webhook_deliveries WHERE device = ?", device) { try $0.integer("event") }.filter(
      wanted.contains
    )
    .count
  }

  package var counts: DeletionCounts {
    var counts = DeletionCounts()
    counts.events = changes.count + regionEvents.count
    (counts.webhookDeliveries, counts.rejectedRecords, counts.mqttMessages) = (deliveries, rejected, messages)
    return counts
  }

  /// Returns the start and the end of a record, in milliseconds since 1970.
  private static func span(of record: Record) -> ClosedRange<Int64> {
    switch record.kind {
    case .visit(let visit):
      let ends = [visit.arrival, visit.departure].compactMap { $0?.millisecondsSince1970 }
      let start = ends.min() ?? visit.time.millisecondsSince1970
      return start...max(start, ends.max() ?? start)
    case .trip(let trip):
      let start = trip.start.millisecondsSince1970
      return start...max(start, trip.end.millisecondsSince1970)
    case .fix, .region, .action:
      let time = record.time.millisecondsSince1970
      return time...time
    }
  }

  private static func places(of record: Record) -> [Coordinate] {
    switch record.kind {
    case .fix(let fix): [fix.coordinate]
    case .visit(let visit): [visit.coordinate]
    case .trip(let trip): [trip.startFix, trip.endFix].compactMap { $0?.coordinate }
    case .region(let event): [event.coordinate, event.region.center].compactMap(\.self)
    case .action(let action): [action.coordinate].compactMap(\.self)
    }
  }

  // MARK: Deleting

  /// Deletes or changes rows of `events`, at most ``step`` in one transaction.
  /// - Parameters:
  ///   - part: a part of ``changes``.
  ///   - keepsNumbers: whether the sequence numbers of deleted records are stored, so that the records are not stored
  ///     again.
  ///   - bin: receives the deleted rows.
  ///   - db: a connection in a transaction.
  package func apply(_ part: some Sequence<Change>, keepsNumbers: Bool, to bin: TrashBin, _ db: any SQLConnection) throws {
    var numbers: [UInt64: [Int64]] = [:]
    for change in part {
      let key = change.key
      try MirrorChanges.record([key.time], ofDevice: device, removal: .all, db)
      if let record = change.record {
        try db.run(
          "UPDATE events SET record = ? WHERE device = ? AND kind = ? AND time = ? AND discriminator = ?",
          try EventRow(record).json(), device, key.kind, key.time, key.discriminator)
      } else {
        try bin.remove(
          "events", where: "device = ? AND kind = ? AND time = ? AND discriminator = ?", device, key.kind, key.time,
          key.discriminator)
        if keepsNumbers, let id = change.id { numbers[id.journal, default: []].append(id.sequence.value) }
      }
      if key.kind == "visit" || key.kind == "trip" {
        try DeletionPoints.markDirty(change.times, device: device, db)
      }
    }
    for (journal, sequences) in numbers {
      let row = try db.integer(
        "SELECT id FROM journals WHERE device = ? AND journal = ?", device, Int64(bitPattern: journal))
      if let row { try DeletionTables.add(sequences, ofJournal: row, db) }
    }
  }

  /// Deletes region events with their deliveries, at most ``step`` events in one transaction.
  /// - Parameters:
  ///   - part: a part of ``regionEvents``.
  ///   - bin: the bin of the transaction.
  package func removeRegionEvents(_ part: [Int64], to bin: TrashBin, _ db: any SQLConnection) throws -> DeletionCounts {
    var counts = DeletionCounts()
    for event in part {
      counts.webhookDeliveries += try bin.remove("webhook_deliveries", where: "event = ?", event)
      counts.events += try bin.remove("region_events", where: "id = ?", event)
    }
    return counts
  }

  /// Deletes the records that are neither in ``changes`` nor in ``regionEvents``.
  ///
  /// - Parameter bin: the bin of the transaction.
  package func applyRest(_ selection: PointSelection?, to bin: TrashBin, _ db: any SQLConnection) throws {
    if let received {
      let (from, to) = (received.lowerBound, received.upperBound)
      try bin.remove("rejected_records", where: "device = ? AND received >= ? AND received < ?", device, from, to)
      try bin.remove(
        "mqtt_unassigned",
        where: "topic IN (SELECT topic FROM mqtt_topics WHERE device = ?) AND received >= ? AND received < ?", device, from, to)
      // Reports of apps at that time. The reports of the app's version and of its profile contain no places.
      try bin.remove(
        "app_reports", where: "device = ? AND type NOT IN ('agent', 'card') AND time >= ? AND time < ?", device, from, to)
    }
    try removeCorrections(selection, bin, db)
    try Self.discardPresence(of: device, selection, bin, db)
  }

  /// Removes corrections of visits and trips in the selected times and area.
  private func removeCorrections(_ selection: PointSelection?, _ bin: TrashBin, _ db: any SQLConnection) throws {
    if let selection, selection.importID != nil { return }
    let times = selection.map { $0.from..<max($0.from, $0.to) } ?? .min..<Int64.max
    let areas = [selection?.area.map { PreparedArea($0) }, zone].compactMap(\.self)
    for correction in try CorrectionTable.all(ofDevice: device, within: times, db)
    where areas.allSatisfy({ area in correction.body.places.contains(where: area.contains) }) {
      try bin.remove("timeline_corrections", where: "id = ?", correction.id)
    }
  }

  /// Deletes the device's region presence if it was computed from deleted points.
  private static func discardPresence(
    of device: Int64, _ selection: PointSelection?, _ bin: TrashBin, _ db: any SQLConnection
  ) throws {
    if let selection, selection.importID != nil { return }
    struct Stay: Decodable { var entered: Int64 }
    let found = try db.first("SELECT time, line_time, stays FROM device_states WHERE device = ?", device) { row in
      let stored = try row.text("stays")
      let times = [try row.integer("time"), try row.optionalInteger("line_time")].compactMap(\.self)
      return (times, (try? JSONDecoder().decode([Stay].self, from: Data(stored.utf8))) ?? [])
    }
    guard let (times, stays) = found else { return }
    let isTouched =
      selection.map { selection in
        times.contains(where: selection.contains) || stays.contains { selection.contains($0.entered) }
      } ?? true
    guard isTouched else { return }
    try bin.remove("device_states", where: "device = ?", device)
    // Servers reload presences when the rules change.
    try db.run("UPDATE region_status SET rules = rules + 1")
  }
}
