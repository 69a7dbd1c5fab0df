package import Foundation
internal import GodwitModel
package import GodwitStore

/// Participates in the store's transactions: stores the region events that devices report, computes the region events of
/// fixes, and writes both with their webhook deliveries. Events and deliveries commit with the records, so that a crash
/// neither loses nor repeats them.
///
/// `@unchecked Sendable`: used only on the store's thread, and before that only by its creator.
package final class GeofenceEvaluator: CommitParticipant, @unchecked Sendable {
  private let source: (any EvaluationSource)?
  private var evaluator: RegionEvaluator
  private var outbox: Outbox
  private var version = EvaluationVersion(regions: 0, rules: 0)
  private var presences: [Int64: DevicePresence] = [:]
  /// Queues to which the transaction has added deliveries.
  private var keys: [OrderingKey] = []

  /// The cached presence of a device, with its evaluation options.
  private struct DevicePresence {
    /// `nil`: another server may have changed the presence, so that it is read from the store.
    var presence: RegionPresence?
    var options: EvaluationOptions
  }

  /// Maximum number of devices whose presence is cached.
  private static let maximumPresences = 50_000
  /// Maximum seconds by which the time of a fix may be after the time of receipt. Without the limit, a fix from a fast
  /// clock would block all fixes with earlier times.
  package static let maximumAhead: TimeInterval = 600

  /// - Parameters:
  ///   - source: the regions; `nil`: only events of devices are stored.
  ///   - zone: the time zone of schedules that have none.
  ///   - agreed: the clock for the times of deliveries.
  package init(source: (any EvaluationSource)?, zone: TimeZone = .current, agreed: AgreedTime = .database) {
    self.source = source
    outbox = Outbox(agreed: agreed)
    evaluator = RegionEvaluator(GeofenceSet(zone: zone))
  }

  /// Returns and clears the queues that got deliveries, after a commit.
  package func takeKeys() -> [OrderingKey] {
    defer { keys = [] }
    return keys
  }

  // MARK: In a transaction

  package func begin(_ group: [Submission], _ db: any SQLConnection) throws {
    outbox.invalidate()
    guard let source else { return }
    let now = try source.version(db)
    if now != version {
      if now.regions != version.regions { evaluator.geofences.apply(try source.changes(after: version.regions, db)) }
      // The rules determine the regions of a device, so that cached presences are invalid.
      presences.removeAll()
      version = now
    }
    if db.dialect.isShared { for submission in group { presences[submission.device.id]?.presence = nil } }
  }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, _ db: any SQLConnection) throws {
    if submission.isHistory { return }
    var pending: [PendingEvent] = []
    Self.forEachNew(submission, stored.known) { _, record in
      if case .region(let event) = record.kind { pending.append(PendingEvent(event: event, isOwn: true)) }
    }
    pending += try evaluated(submission, stored, db).map { PendingEvent(event: $0, isOwn: false) }
    // Events of devices and of the server are ordered by time, which is the order of their deliveries.
    pending = pending.enumerated().sorted { ($0.element.event.time, $0.offset) < ($1.element.event.time, $1.offset) }.map(
      \.element)
    for one in pending {
      if one.isOwn {
        if try Self.isRepeated(one.event, of: submission.device.id, db) { continue }
        try notify(ServerEvent(one.event, of: submission.device, source: .device), &stored, submission.received, db)
      } else {
        try store(one.event, of: submission.device, &stored, submission.received, db)
      }
    }
  }

  /// A region event. `isOwn`: whether the device reported it; otherwise the server computed it.
  private struct PendingEvent {
    var event: RegionEvent
    var isOwn: Bool
  }

  /// Number of newest events of a device that are searched for the last event of a region.
  private static let searchedEvents = 200

  /// Whether the last event that the device reported for this region was the same. Apps repeat "entered" after the
  /// operating system relaunches them. A repeated event is not published, but its record is stored.
  private static func isRepeated(_ event: RegionEvent, of device: Int64, _ db: any SQLConnection) throws -> Bool {
    let last = try db.first(
      """
      SELECT body FROM (SELECT id, region, body FROM region_events WHERE device = ? ORDER BY id DESC LIMIT ?) AS newest
      WHERE region = ? AND body LIKE '%"source":"device"}' ORDER BY id DESC LIMIT 1
      """, device, Int64(searchedEvents), event.region.id
    ) { row in ServerEvent.content(try row.text("body")) }
    guard let last = last ?? nil, last.time <= event.time else { return false }
    switch event.kind {
    case .entered: return last.kind == .entered || last.kind == .dwelled
    case .exited: return last.kind == .exited
    case .dwelled, .crossed: return false
    }
  }

  /// Evaluates the new fixes, stores the device's presence, and returns the events.
  private func evaluated(
    _ submission: Submission, _ stored: SubmissionResult, _ db: any SQLConnection
  ) throws -> [RegionEvent] {
    // Most servers have no regions. In that case the database is not queried.
    guard let source, version.regions > 0, stored.savedPoints > 0 else { return [] }
    let device = submission.device
    var events: [RegionEvent] = []
    let options = try presences[device.id]?.options ?? source.options(of: device.id, db)
    var presence = try presences[device.id]?.presence ?? Self.presence(of: device.id, db)
    if try isEvaluated(device.id, options, source, db) {
      let before = presence
      events = evaluate(submission, stored, &presence, options)
      try Self.store(presence, after: before, of: device.id, db)
    } else if presence.time != nil {
      // An old state is invalid if the evaluation is turned on again later.
      try db.run("DELETE FROM device_states WHERE device = ?", device.id)
      presence = RegionPresence()
    }
    if presences.count >= Self.maximumPresences { presences.removeAll(keepingCapacity: true) }
    presences[device.id] = DevicePresence(presence: presence, options: options)
    return events
  }

  package func discardState() {
    // The geofences stay valid, because earlier transactions committed them.
    presences.removeAll()
    outbox.invalidate()
    keys = []
  }

  /// Calls `body` with the position of each new record and the record.
  private static func forEachNew(_ submission: Submission, _ known: [Int], _ body: (Int, Record) throws -> Void) rethrows {
    var rest = known[...]
    for index in submission.records.indices {
      if rest.first == index { rest.removeFirst() } else { try body(index, submission.records[index]) }
    }
  }

  /// Returns the events of the new fixes, which are evaluated in the order of their times.
  private func evaluate(
    _ submission: Submission, _ stored: SubmissionResult, _ presence: inout RegionPresence, _ options: EvaluationOptions
  ) -> [RegionEvent] {
    let latest = submission.received.addingTimeInterval(Self.maximumAhead)
    var events: [RegionEvent] = []
    var order: [Fix] = []
    var isInOrder = true
    order.reserveCapacity(submission.records.count)
    func add(_ record: Record) {
      guard case .fix(let fix) = record.kind, fix.time <= latest else { return }
      if let last = order.last, fix.time < last.time { isInOrder = false }
      order.append(fix)
    }
    stored.confirmed.forEach(add)
    var withheld = stored.withheld[...]
    Self.forEachNew(submission, stored.known) { index, record in
      if withheld.first == index { withheld.removeFirst() } else { add(record) }
    }
    if !isInOrder {
      // Of two fixes with the same time the first counts, as in separate requests.
      order = order.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
    for fix in order { evaluator.evaluate(at: fix, &presence, choosing: options.chooses, into: &events) }
    return events
  }

  private func isEvaluated(
    _ device: Int64, _ options: EvaluationOptions, _ source: any EvaluationSource, _ db: any SQLConnection
  ) throws -> Bool {
    if let evaluates = options.evaluates { return evaluates }
    return try !source.hasSynced(device, db)
  }

  private static func store(
    _ presence: RegionPresence, after before: RegionPresence, of device: Int64, _ db: any SQLConnection
  ) throws {
    // A line starts at an evaluated fix, so that it changes only if the time changes.
    guard presence.time != before.time else { return }
    let line = presence.lineStart
    if presence.stays == before.stays {
      try db.run(
        """
        INSERT INTO device_states (device, time, stays, line_time, latitude, longitude, accuracy) VALUES (?, ?, '[]', ?, ?, ?, ?)
        ON CONFLICT (device) DO UPDATE SET time = excluded.time, line_time = excluded.line_time, latitude = excluded.latitude,
          longitude = excluded.longitude, accuracy = excluded.accuracy
        """, device, presence.time, line?.time, line?.coordinate.latitude, line?.coordinate.longitude, line?.accuracy)
      return
    }
    try db.run(
      """
      INSERT INTO device_states (device, time, stays, line_time, latitude, longitude, accuracy) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (device) DO UPDATE SET time = excluded.time, stays = excluded.stays, line_time = excluded.line_time,
        latitude = excluded.latitude, longitude = excluded.longitude, accuracy = excluded.accuracy
      """, device, presence.time, StoredEvent.stays(presence.stays), line?.time,
      line?.coordinate.latitude, line?.coordinate.longitude, line?.accuracy)
  }

  private static func presence(of device: Int64, _ db: any SQLConnection) throws -> RegionPresence {
    let presence = try db.first(
      "SELECT time, stays, line_time, latitude, longitude, accuracy FROM device_states WHERE device = ?", device
    ) { row in
      // A damaged row counts as an empty state, so that positions are still stored.
      let stored = try row.text("stays")
      let stays = (try? JSONDecoder().decode([RegionPresence.Stay].self, from: Data(stored.utf8))) ?? []
      return RegionPresence(time: try row.integer("time"), stays: stays, lineStart: try lineStart(row))
    }
    return presence ?? RegionPresence()
  }

  private static func lineStart(_ row: any SQLRow) throws -> LineStart? {
    guard let time = try row.optionalInteger("line_time"),
      let place = Coordinate(latitude: try row.double("latitude"), longitude: try row.double("longitude"))
    else { return nil }
    return LineStart(time: time, coordinate: place, accuracy: try row.double("accuracy"))
  }

  /// Stores an event that the server computed, in the same form as an event that a device reports, and publishes it.
  private func store(
    _ event: RegionEvent, of device: Device, _ stored: inout SubmissionResult, _ received: Date, _ db: any SQLConnection
  ) throws {
    let row = EventRow(Record(kind: .region(event)))
    try db.run(
      "INSERT INTO events (device, kind, time, discriminator, received, ended, record) VALUES (?,?,?,?,?,1,?) ON CONFLICT DO NOTHING",
      device.id, row.kind, row.time, row.discriminator, received.millisecondsSince1970, StoredEvent.record(event))
    try notify(ServerEvent(event, of: device, source: .server), &stored, received, db)
  }

  private func notify(_ pending: ServerEvent, _ stored: inout SubmissionResult, _ received: Date, _ db: any SQLConnection)
    throws
  {
    guard let written = try outbox.add(pending, at: received, db) else { return }
    keys += written
    stored.regionEvents.append(pending)
  }
}
