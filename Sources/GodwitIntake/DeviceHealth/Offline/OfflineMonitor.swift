package import Foundation
internal import GodwitModel
package import GodwitStore

/// Detects offline devices: learns the usual contacts of each device, records when a device goes offline or online, and adds the
/// deliveries of both events.
///
/// Several servers may monitor one database. They learn the same pauses. One of them records each offline period, in the
/// transaction with its deliveries.
package actor OfflineMonitor {
  private let store: any StoreDatabase
  private let outbox: any EventOutbox
  /// The last contact of each device at the last check. Empty before the first check.
  private var known: [Int64: Date] = [:]
  private var hasLooked = false
  /// The expectation of each device after its last contact, with the time at which it was computed.
  private var due: [Int64: (contact: Date, reckoned: Date, expectation: HeartbeatExpectation)] = [:]
  private var lastCleared: Int64 = 0

  /// Seconds between two checks.
  package static let interval = 30.0
  /// Seconds without a running server that count as an outage.
  package static let timeout = 150.0
  /// Minimum length of a pause that is learned, in seconds.
  package static let shortest = 60.0
  /// Seconds after which an expectation is computed again, because settings may have changed.
  private static let validity = 600.0
  /// Bounds of the time in seconds that devices get to reconnect after an outage. The time is the length of the outage.
  package static let grace = 120.0...3600.0

  /// - Parameters:
  ///   - store: the store of the server.
  ///   - outbox: receives the events of devices that went offline or online.
  package init(store: any StoreDatabase, outbox: any EventOutbox) {
    self.store = store
    self.outbox = outbox
  }

  /// The result of a check.
  package struct Result: Sendable, Hashable {
    package var offline: [String] = []
    package var online: [String] = []
    /// Ordering keys with new deliveries.
    package var keys: [OrderingKey] = []
  }

  /// The changes that a check writes.
  private struct Change: Sendable {
    var online: [HeartbeatTables.EndedPause] = []
    var begun: [(device: Device, silence: HeartbeatTables.OfflinePeriod, news: ServerEvent)] = []
    var ended: [(device: Device, silence: HeartbeatTables.OfflinePeriod, news: ServerEvent?)] = []
    var clearsBefore: Int64?
  }

  /// Runs one check.
  /// - Parameter now: the time.
  package func check(at now: Date) async throws -> Result {
    // This is written first, because it shows whether no server was running before.
    let isFirst = try await store.write { try HeartbeatTables.recordServer(at: now, timeout: Self.timeout, $0) }
    let change = try store.read { try self.change(at: now, isFirst: isFirst, $0) }
    return try await store.write { [outbox] in try Self.write(change, to: outbox, at: now, $0) }
  }

  // MARK: Reading

  private func change(at now: Date, isFirst: Bool, _ db: any SQLConnection) throws -> Change {
    let outages = try HeartbeatTables.outages(db)
    let rules = try HeartbeatTables.rules(db)
    let offlineDevices = try HeartbeatTables.offlineDevices(db)
    let contacts = try HeartbeatTables.contacts(db)
    var change = Change()
    for contact in contacts { record(contact, outages, &change) }
    hasLooked = true
    let watched = Set(contacts.map(\.device.id))
    let names = try DeviceNames(db)
    // A device without a valid token is no longer monitored.
    for (id, period) in offlineDevices where !watched.contains(id) {
      change.ended.append((names.device(id), period, nil))
    }
    let isGraceful = outages.last.map { now < $0.ended.addingTimeInterval(Self.grace(after: $0)) } ?? false
    for contact in contacts {
      let (id, rule) = (contact.device.id, rules[contact.device.id] ?? HeartbeatTables.Rule())
      if let period = offlineDevices[id] {
        if contact.last > period.since {
          let event = ServerEvent.online(
            contact.device, silentSince: period.since, at: contact.last, newest: try store.newest(device: id))
          change.ended.append((contact.device, period, period.wasReported ? event : nil))
        } else if let threshold = try expectation(contact, rule, at: now, db).threshold,
          Self.counted(contact.last, now, outages) > threshold
        {
          continue
        } else if !isFirst {
          // The expectation has changed, so that the pause is within the threshold.
          change.ended.append((contact.device, period, nil))
        }
        continue
      }
      let quiet = Self.counted(contact.last, now, outages)
      guard quiet > min(rule.threshold ?? .infinity, Habits.bounds.lowerBound), isFirst || !isGraceful else { continue }
      let expectation = try expectation(contact, rule, at: now, db)
      // The first check of a database may find devices that have been offline for long. No events are sent for such periods.
      let lasted = isFirst ? now.timeIntervalSince(contact.last) : quiet
      guard let threshold = expectation.threshold, lasted > threshold else { continue }
      let period = HeartbeatTables.OfflinePeriod(since: contact.last, noticed: now, wasReported: rule.notices && !isFirst)
      let event = ServerEvent.offline(
        contact.device, since: contact.last, expectation, newest: try store.newest(device: id), at: now)
      change.begun.append((contact.device, period, event))
    }
    let today = DayLength.number(of: now.millisecondsSince1970)
    if today != lastCleared {
      lastCleared = today
      change.clearsBefore = today - Habits.days
    }
    return change
  }

  /// Updates the last contact of a device, and learns the pause before it.
  private func record(_ contact: HeartbeatTables.Contact, _ outages: [HeartbeatTables.Outage], _ change: inout Change) {
    let id = contact.device.id
    let before = known[id]
    known[id] = contact.last
    guard hasLooked, before != contact.last else { return }
    var received = HeartbeatTables.EndedPause(device: id, contact: contact.last)
    if let before, contact.last.timeIntervalSince(before) >= Self.shortest,
      // If the server was not running during the pause, the real length is unknown.
      !outages.contains(where: { $0.began < contact.last && $0.ended > before })
    {
      received.before = before
    }
    let isNewHour = before.map { Int64($0.timeIntervalSince1970) / 3600 != Int64(contact.last.timeIntervalSince1970) / 3600 }
    if received.before != nil || isNewHour ?? true { change.online.append(received) }
    due[id] = nil
  }

  private func expectation(
    _ contact: HeartbeatTables.Contact, _ rule: HeartbeatTables.Rule, at now: Date, _ db: any SQLConnection
  ) throws -> HeartbeatExpectation {
    if let threshold = rule.threshold { return HeartbeatExpectation(origin: .user, threshold: threshold) }
    let id = contact.device.id
    if let known = due[id], known.contact == contact.last, abs(now.timeIntervalSince(known.reckoned)) < Self.validity {
      return known.expectation
    }
    let habits = try HabitsReader.habits(of: id, newest: try store.newest(device: id), db)
    let expectation = habits.expectation(after: contact.last)
    due[id] = (contact.last, now, expectation)
    return expectation
  }

  /// The length in seconds of the part of a pause in which a server was running.
  package static func counted(_ since: Date, _ now: Date, _ outages: [HeartbeatTables.Outage]) -> TimeInterval {
    outages.reduce(now.timeIntervalSince(since)) { left, outage in
      left - max(0, min(outage.ended, now).timeIntervalSince(max(outage.began, since)))
    }
  }

  private static func grace(after outage: HeartbeatTables.Outage) -> TimeInterval {
    min(max(outage.ended.timeIntervalSince(outage.began), grace.lowerBound), grace.upperBound)
  }

  // MARK: Writing

  private static func write(
    _ change: Change, to outbox: any EventOutbox, at now: Date, _ db: any SQLConnection
  ) throws -> Result {
    var result = Result()
    for received in change.online { try HeartbeatTables.record(received, db) }
    for (device, period, event) in change.ended where try HeartbeatTables.end(period, of: device.id, db) {
      result.online.append(device.name)
      if let event { result.keys += try outbox.add(event, at: now, db) }
    }
    for (device, period, event) in change.begun {
      // A contact of the device may have been stored since the check.
      guard try HeartbeatTables.lastContact(of: device.id, db) == period.since,
        try HeartbeatTables.begin(period, of: device.id, db)
      else { continue }
      result.offline.append(device.name)
      if period.wasReported { result.keys += try outbox.add(event, at: now, db) }
    }
    if let day = change.clearsBefore { try HeartbeatTables.discardHours(before: day, db) }
    return result
  }
}
