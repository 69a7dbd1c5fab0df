package import Foundation
internal import GodwitModel
package import GodwitStore

/// Detects offline devices: learns the usual contacts of each device, records when a device goes offline or online, and
/// writes the deliveries of both events.
///
/// Several servers may monitor one database: they learn the same, and each offline period is recorded by one of them,
/// in the transaction with its deliveries.
package actor OfflineMonitor {
  private let store: any StoreDatabase
  private let outbox: any EventOutbox
  /// The last contact of each device at the last check; empty before the first.
  private var known: [Int64: Date] = [:]
  private var hasLooked = false
  /// When a device will count as offline without a further contact.
  private var due: [Int64: (contact: Date, reckoned: Date, expectation: HeartbeatExpectation)] = [:]
  private var lastCleared: Int64 = 0

  /// Seconds between two checks.
  package static let interval = 30.0
  /// Seconds without a running server that count as an outage.
  package static let patience = 150.0
  /// Minimum seconds of a pause that is learned.
  package static let shortest = 60.0
  /// Seconds after which an expectation is computed again, because settings change.
  private static let validity = 600.0
  /// Seconds that devices get after an outage: the length of the outage, within these bounds.
  package static let grace = 120.0...3600.0

  /// - Parameters:
  ///   - store: the store of the server.
  ///   - outbox: takes the events of devices that went offline or online.
  package init(store: any StoreDatabase, outbox: any EventOutbox) {
    self.store = store
    self.outbox = outbox
  }

  /// The result of a check.
  package struct Result: Sendable, Hashable {
    package var silent: [String] = []
    package var heard: [String] = []
    /// Ordering keys with new deliveries.
    package var keys: [OrderingKey] = []
  }

  /// The changes to write.
  private struct Change: Sendable {
    var heard: [SilenceTables.Heard] = []
    var begun: [(device: Device, silence: SilenceTables.Silence, news: ServerEvent)] = []
    var ended: [(device: Device, silence: SilenceTables.Silence, news: ServerEvent?)] = []
    var clearsBefore: Int64?
  }

  /// Runs one check.
  /// - Parameter now: the time.
  package func check(at now: Date) async throws -> Result {
    // Recorded first, because it shows whether no server was running before.
    let isFirst = try await store.write { try SilenceTables.noteServer(at: now, patience: Self.patience, $0) }
    let change = try store.read { try self.change(at: now, isFirst: isFirst, $0) }
    return try await store.write { [outbox] in try Self.write(change, to: outbox, at: now, $0) }
  }

  // MARK: Reading

  private func change(at now: Date, isFirst: Bool, _ connection: any SQLConnection) throws -> Change {
    let outages = try SilenceTables.outages(connection)
    let rules = try SilenceTables.rules(connection)
    let silences = try SilenceTables.silences(connection)
    let contacts = try SilenceTables.contacts(connection)
    var change = Change()
    for contact in contacts { note(contact, outages, &change) }
    hasLooked = true
    let watched = Set(contacts.map(\.device.id))
    let names = try DeviceNames(connection)
    // A device without a token is not monitored.
    for (id, silence) in silences where !watched.contains(id) { change.ended.append((names.device(id), silence, nil)) }
    let isGraceful = outages.last.map { now < $0.ended.addingTimeInterval(Self.grace(after: $0)) } ?? false
    for contact in contacts {
      let (id, rule) = (contact.device.id, rules[contact.device.id] ?? SilenceTables.Rule())
      if let silence = silences[id] {
        if contact.last > silence.since {
          let news = ServerEvent.heard(
            contact.device, silentSince: silence.since, at: contact.last, newest: try store.newest(device: id))
          change.ended.append((contact.device, silence, silence.wasTold ? news : nil))
        } else if let threshold = try expectation(contact, rule, at: now, connection).threshold,
          Self.counted(contact.last, now, outages) > threshold
        {
          continue
        } else if !isFirst {
          // The expectation has changed and explains the pause.
          change.ended.append((contact.device, silence, nil))
        }
        continue
      }
      let quiet = Self.counted(contact.last, now, outages)
      guard quiet > min(rule.threshold ?? .infinity, Habits.bounds.lowerBound), isFirst || !isGraceful else { continue }
      let expectation = try expectation(contact, rule, at: now, connection)
      // The first check of a server finds devices that are offline already; old periods are not published.
      let lasted = isFirst ? now.timeIntervalSince(contact.last) : quiet
      guard let threshold = expectation.threshold, lasted > threshold else { continue }
      let silence = SilenceTables.Silence(since: contact.last, noticed: now, wasTold: rule.notices && !isFirst)
      let news = ServerEvent.silent(
        contact.device, since: contact.last, expectation, newest: try store.newest(device: id), at: now)
      change.begun.append((contact.device, silence, news))
    }
    let today = DayLength.number(of: now.millisecondsSince1970)
    if today != lastCleared {
      lastCleared = today
      change.clearsBefore = today - Habits.days
    }
    return change
  }

  /// Learns from a contact.
  private func note(_ contact: SilenceTables.Contact, _ outages: [SilenceTables.Outage], _ change: inout Change) {
    let id = contact.device.id
    let before = known[id]
    known[id] = contact.last
    guard hasLooked, before != contact.last else { return }
    var heard = SilenceTables.Heard(device: id, contact: contact.last)
    if let before, contact.last.timeIntervalSince(before) >= Self.shortest,
      // During an outage of the server the pause is unknown.
      !outages.contains(where: { $0.began < contact.last && $0.ended > before })
    {
      heard.before = before
    }
    let isNewHour = before.map { Int64($0.timeIntervalSince1970) / 3600 != Int64(contact.last.timeIntervalSince1970) / 3600 }
    if heard.before != nil || isNewHour ?? true { change.heard.append(heard) }
    due[id] = nil
  }

  private func expectation(
    _ contact: SilenceTables.Contact, _ rule: SilenceTables.Rule, at now: Date, _ connection: any SQLConnection
  ) throws -> HeartbeatExpectation {
    if let threshold = rule.threshold { return HeartbeatExpectation(basis: .owner, threshold: threshold) }
    let id = contact.device.id
    if let known = due[id], known.contact == contact.last, now.timeIntervalSince(known.reckoned) < Self.validity {
      return known.expectation
    }
    let habits = try HabitsReader.habits(of: id, newest: try store.newest(device: id), connection)
    let expectation = habits.expectation(after: contact.last)
    due[id] = (contact.last, now, expectation)
    return expectation
  }

  /// Seconds of a pause in which a server was running.
  package static func counted(_ since: Date, _ now: Date, _ outages: [SilenceTables.Outage]) -> TimeInterval {
    outages.reduce(now.timeIntervalSince(since)) { left, outage in
      left - max(0, min(outage.ended, now).timeIntervalSince(max(outage.began, since)))
    }
  }

  private static func grace(after outage: SilenceTables.Outage) -> TimeInterval {
    min(max(outage.ended.timeIntervalSince(outage.began), grace.lowerBound), grace.upperBound)
  }

  // MARK: Writing

  private static func write(
    _ change: Change, to outbox: any EventOutbox, at now: Date, _ connection: any SQLConnection
  ) throws -> Result {
    var result = Result()
    for heard in change.heard { try SilenceTables.note(heard, connection) }
    for (device, silence, news) in change.ended where try SilenceTables.end(silence, of: device.id, connection) {
      result.heard.append(device.name)
      if let news { result.keys += try outbox.add(news, at: now, in: connection) }
    }
    for (device, silence, news) in change.begun {
      // The device may have sent since the check.
      guard try SilenceTables.lastContact(of: device.id, connection) == silence.since,
        try SilenceTables.begin(silence, of: device.id, connection)
      else { continue }
      result.silent.append(device.name)
      if silence.wasTold { result.keys += try outbox.add(news, at: now, in: connection) }
    }
    if let day = change.clearsBefore { try SilenceTables.discardHours(before: day, connection) }
    return result
  }
}
