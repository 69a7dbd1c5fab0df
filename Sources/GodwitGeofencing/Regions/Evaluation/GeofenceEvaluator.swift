package import Foundation
internal import GodwitModel
package import GodwitStore

/// Takes part in the transactions of the store: finds the region events in what devices send, makes those that their fixes amount
/// to, and writes both down with the letters about them. All of it is there exactly when the records are: after a kill nothing is
/// missing and nothing is there twice.
///
/// `@unchecked Sendable`: everything in it is touched only on the store's thread, and before that by its creator.
package final class GeofenceEvaluator: CommitParticipant, @unchecked Sendable {
  private let source: (any EvaluationSource)?
  private var evaluator: RegionEvaluator
  private var outbox = Outbox()
  private var version = EvaluationVersion(regions: 0, rules: 0)
  private var presences: [Int64: DevicePresence] = [:]
  /// Lanes with letters that the transaction has written.
  private var lanes: [OrderingKey] = []

  /// A device's presence, and what it is chosen by.
  private struct DevicePresence {
    /// `nil`: another server may have changed it, and the store knows.
    var presence: RegionPresence?
    var terms: EvaluationTerms
  }

  /// Devices whose presence is kept in memory.
  private static let maximumPresences = 50_000
  /// Seconds that a fix may be ahead of its arrival: a clock that runs ahead would shut out all fixes until then.
  package static let maximumAhead: TimeInterval = 600

  /// - Parameters:
  ///   - source: the regions; `nil`: only devices tell of them.
  ///   - zone: the time zone of schedules that name none.
  package init(source: (any EvaluationSource)?, zone: TimeZone = .current) {
    self.source = source
    evaluator = RegionEvaluator(FenceSet(zone: zone))
  }

  /// The lanes that got a letter since this was last asked, after a commit.
  package func takeKeys() -> [OrderingKey] {
    defer { lanes = [] }
    return lanes
  }

  // MARK: In a transaction

  package func begin(_ group: [Submission], in database: any SQLConnection) throws {
    outbox.forget()
    guard let source else { return }
    let now = try source.version(in: database)
    if now != version {
      if now.regions != version.regions { evaluator.fences.apply(try source.changes(after: version.regions, in: database)) }
      // Terms hang on the rules, and what a device is not to be told of any more must be looked for again.
      presences.removeAll()
      version = now
    }
    if database.dialect.isShared { for submission in group { presences[submission.device.id]?.presence = nil } }
  }

  package func process(_ submission: Submission, _ stored: inout SubmissionResult, in database: any SQLConnection) throws {
    if submission.isHistory { return }
    var news: [PendingEvent] = []
    Self.forEachNew(submission, stored.known) { _, record in
      if case .region(let event) = record.kind { news.append(PendingEvent(event: event, isOwn: true)) }
    }
    news += try evaluated(submission, stored, in: database).map { PendingEvent(event: $0, isOwn: false) }
    // In the order of their times, of devices and of the server alike: that is the order in which webhooks get them.
    news = news.enumerated().sorted { ($0.element.event.time, $0.offset) < ($1.element.event.time, $1.offset) }.map(\.element)
    for one in news {
      if one.isOwn {
        if try Self.isRepeated(one.event, of: submission.device.id, database) { continue }
        try tell(GeofenceEvent(one.event, of: submission.device, source: .device), &stored, submission.received, database)
      } else {
        try store(one.event, of: submission.device, &stored, submission.received, database)
      }
    }
  }

  /// An event, and whether the device itself has seen it.
  private struct PendingEvent {
    var event: RegionEvent
    var isOwn: Bool
  }

  /// Events of a device that are looked through for the last one of a region.
  private static let searchedEvents = 200

  /// Whether the device has reported the same of this region before, and nothing else since: apps repeat the event "entered"
  /// when the system launches them again. The record itself is stored.
  private static func isRepeated(_ event: RegionEvent, of device: Int64, _ database: any SQLConnection) throws -> Bool {
    let last = try database.first(
      """
      SELECT body FROM (SELECT id, region, body FROM region_events WHERE device = ? ORDER BY id DESC LIMIT ?) AS newest
      WHERE region = ? AND body LIKE '%"source":"device"}' ORDER BY id DESC LIMIT 1
      """, device, Int64(searchedEvents), event.region.id
    ) { row in GeofenceEvent.content(row.text(0)) }
    guard let last = last ?? nil, last.time <= event.time else { return false }
    return (last.kind == .exited) == (event.kind == .exited) && event.kind != .dwelled
  }

  /// The events that the new fixes amount to; the device's presence is stored.
  private func evaluated(
    _ submission: Submission, _ stored: SubmissionResult, in database: any SQLConnection
  ) throws -> [RegionEvent] {
    // Most servers never had a region: nothing is asked of the database for them.
    guard let source, version.regions > 0, stored.savedPoints > 0 else { return [] }
    let device = submission.device
    var events: [RegionEvent] = []
    let terms = try presences[device.id]?.terms ?? source.terms(of: device.id, in: database)
    var presence = try presences[device.id]?.presence ?? Self.presence(of: device.id, database)
    if try isEvaluated(device.id, terms, source, database) {
      let before = (time: presence.time, stays: presence.stays)
      events = evaluate(submission, stored, &presence, terms)
      if presence.stays != before.stays {
        try database.run(
          """
          INSERT INTO presences (device, time, stays) VALUES (?, ?, ?)
          ON CONFLICT (device) DO UPDATE SET time = excluded.time, stays = excluded.stays
          """, device.id, presence.time, String(decoding: try JSONEncoder().encode(presence.stays), as: UTF8.self))
      } else if presence.time != before.time {
        try database.run(
          """
          INSERT INTO presences (device, time, stays) VALUES (?, ?, '[]') ON CONFLICT (device) DO UPDATE SET time = excluded.time
          """, device.id, presence.time)
      }
    } else if presence.time != nil {
      // Should it be turned on again one day, what was long ago is not what was just before.
      try database.run("DELETE FROM presences WHERE device = ?", device.id)
      presence = RegionPresence()
    }
    if presences.count >= Self.maximumPresences { presences.removeAll(keepingCapacity: true) }
    presences[device.id] = DevicePresence(presence: presence, terms: terms)
    return events
  }

  package func discardState() {
    // The fences stay: others have written them, in transactions of their own.
    presences.removeAll()
    outbox.forget()
    lanes = []
  }

  /// Calls `body` with each record that is new, and its position.
  private static func forEachNew(_ submission: Submission, _ known: [Int], _ body: (Int, Record) throws -> Void) rethrows {
    var rest = known[...]
    for index in submission.records.indices {
      if rest.first == index { rest.removeFirst() } else { try body(index, submission.records[index]) }
    }
  }

  /// What the new fixes amount to, in the order of their times.
  private func evaluate(
    _ submission: Submission, _ stored: SubmissionResult, _ presence: inout RegionPresence, _ terms: EvaluationTerms
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
      // Of two fixes at the same time the first one counts, as it does in different requests.
      order = order.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }
    for fix in order { evaluator.look(at: fix, &presence, choosing: terms.chooses, into: &events) }
    return events
  }

  private func isEvaluated(
    _ device: Int64, _ terms: EvaluationTerms, _ source: any EvaluationSource, _ database: any SQLConnection
  ) throws -> Bool {
    if let evaluates = terms.evaluates { return evaluates }
    return try !source.hasSynced(device, in: database)
  }

  private static func presence(of device: Int64, _ database: any SQLConnection) throws -> RegionPresence {
    let presence = try database.first("SELECT time, stays FROM presences WHERE device = ?", device) { row in
      // Only this wrote it. If it is damaged all the same, the device is nowhere yet, and its positions are stored.
      let stays = (try? JSONDecoder().decode([RegionPresence.Stay].self, from: Data(row.text(1).utf8))) ?? []
      return RegionPresence(time: row.integer(0), stays: stays)
    }
    return presence ?? RegionPresence()
  }

  /// Keeps an event of our own as a device's would be kept.
  private func store(
    _ event: RegionEvent, of device: Device, _ stored: inout SubmissionResult, _ received: Date, _ database: any SQLConnection
  ) throws {
    let row = EventRow(Record(kind: .region(event), extras: #"{"source":"server"}"#))
    try database.run(
      "INSERT INTO events (device, kind, time, discriminator, received, ended, record) VALUES (?,?,?,?,?,1,?) ON CONFLICT DO NOTHING",
      device.id, row.kind, row.time, row.discriminator, received.millisecondsSince1970, try row.json())
    try tell(GeofenceEvent(event, of: device, source: .server), &stored, received, database)
  }

  private func tell(_ news: GeofenceEvent, _ stored: inout SubmissionResult, _ received: Date, _ database: any SQLConnection)
    throws
  {
    guard let written = try outbox.add(news, at: received, in: database) else { return }
    lanes += written
    stored.regionEvents.append(news)
  }
}

/// The region events that a submission brought.
private enum RegionEventsKey: ByProductKey {
  static let initial: [GeofenceEvent] = []
}

extension SubmissionResult {
  /// The events of regions that are new: the device's own, and those that its positions made.
  package var regionEvents: [GeofenceEvent] {
    get { byProducts[RegionEventsKey.self] }
    set { byProducts[RegionEventsKey.self] = newValue }
  }
}
