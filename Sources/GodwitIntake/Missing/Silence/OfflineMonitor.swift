package import Foundation
package import GodwitGeofencing
internal import GodwitModel
package import GodwitStore

/// Listens for who is not heard: learns how each device is usually heard, notes when one is silent for longer than can be explained
/// and when it is heard again, and writes the letters about both.
///
/// Several servers on one database may watch at the same time: what they learn is the same, and each silence is noted by one of
/// them, in the transaction that writes its letters. Belongs to one task.
package final class OfflineMonitor {
  private let store: any StoreDatabase
  /// When each device was last heard, as of the last look; empty before the first.
  private var known: [Int64: Date] = [:]
  private var hasLooked = false
  /// When a device that is quiet now will be silent, as long as it is not heard.
  private var due: [Int64: (contact: Date, reckoned: Date, expectation: HeartbeatExpectation)] = [:]
  private var lastCleared: Int64 = 0

  /// Seconds between two looks.
  package static let interval = 30.0
  /// Seconds without a server that are counted as such.
  package static let patience = 150.0
  /// Seconds of silence that are learned of.
  package static let shortest = 60.0
  /// Seconds after which what was reckoned is reckoned anew: settings change.
  private static let validity = 600.0
  /// Seconds that devices get to be heard after no server was there: as many as that took, within these bounds.
  package static let grace = 120.0...3600.0

  package init(store: any StoreDatabase) { self.store = store }

  /// What a look came to.
  package struct Result: Sendable, Hashable {
    package var silent: [String] = []
    package var heard: [String] = []
    /// Lanes with new letters.
    package var lanes: [OrderingKey] = []
  }

  /// What is to be written.
  private struct Change: Sendable {
    var heard: [SilenceTables.Heard] = []
    var begun: [(device: Device, silence: SilenceTables.Silence, news: GeofenceEvent)] = []
    var ended: [(device: Device, silence: SilenceTables.Silence, news: GeofenceEvent?)] = []
    var clearsBefore: Int64?
  }

  /// Looks once.
  /// - Parameter now: the time.
  package func look(at now: Date) async throws -> Result {
    // First of all that a server is here: then it is known whether none was.
    let isFirst = try await store.write { try SilenceTables.noteServer(at: now, patience: Self.patience, $0) }
    let change = try store.read { try self.change(at: now, isFirst: isFirst, $0) }
    return try await store.write { try Self.write(change, at: now, $0) }
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
    // A device without a token is not missed.
    for (id, silence) in silences where !watched.contains(id) { change.ended.append((names.device(id), silence, nil)) }
    let isGraceful = outages.last.map { now < $0.ended.addingTimeInterval(Self.grace(after: $0)) } ?? false
    for contact in contacts {
      let (id, rule) = (contact.device.id, rules[contact.device.id] ?? SilenceTables.Rule())
      if let silence = silences[id] {
        if contact.last > silence.since {
          let news = GeofenceEvent.heard(
            contact.device, silentSince: silence.since, at: contact.last, newest: try store.newest(device: id))
          change.ended.append((contact.device, silence, silence.wasTold ? news : nil))
        } else if let threshold = try expectation(contact, rule, at: now, connection).threshold,
          Self.counted(contact.last, now, outages) > threshold
        {
          continue
        } else if !isFirst {
          // What is expected has changed: it is explained now.
          change.ended.append((contact.device, silence, nil))
        }
        continue
      }
      let quiet = Self.counted(contact.last, now, outages)
      guard quiet > min(rule.threshold ?? .infinity, Habits.bounds.lowerBound), isFirst || !isGraceful else { continue }
      let expectation = try expectation(contact, rule, at: now, connection)
      // A server that has never watched finds those that are silent already, and tells nothing of what is old.
      let lasted = isFirst ? now.timeIntervalSince(contact.last) : quiet
      guard let threshold = expectation.threshold, lasted > threshold else { continue }
      let silence = SilenceTables.Silence(since: contact.last, noticed: now, wasTold: rule.notices && !isFirst)
      let news = GeofenceEvent.silent(
        contact.device, since: contact.last, expectation, newest: try store.newest(device: id), at: now)
      change.begun.append((contact.device, silence, news))
    }
    let today = now.millisecondsSince1970 / 86_400_000
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
      // Without a running server it is not known how long it was silent.
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

  /// Seconds of a silence in which a server was there to hear.
  package static func counted(_ since: Date, _ now: Date, _ outages: [SilenceTables.Outage]) -> TimeInterval {
    outages.reduce(now.timeIntervalSince(since)) { left, outage in
      left - max(0, min(outage.ended, now).timeIntervalSince(max(outage.began, since)))
    }
  }

  private static func grace(after outage: SilenceTables.Outage) -> TimeInterval {
    min(max(outage.ended.timeIntervalSince(outage.began), grace.lowerBound), grace.upperBound)
  }

  // MARK: Writing

  private static func write(_ change: Change, at now: Date, _ connection: any SQLConnection) throws -> Result {
    var result = Result()
    var outbox = Outbox()
    for heard in change.heard { try SilenceTables.note(heard, connection) }
    for (device, silence, news) in change.ended where try SilenceTables.end(silence, of: device.id, connection) {
      result.heard.append(device.name)
      if let news { result.lanes += try outbox.add(news, at: now, in: connection) ?? [] }
    }
    for (device, silence, news) in change.begun {
      // It may have been heard since it was looked at.
      guard try SilenceTables.lastContact(of: device.id, connection) == silence.since,
        try SilenceTables.begin(silence, of: device.id, connection)
      else { continue }
      result.silent.append(device.name)
      if silence.wasTold { result.lanes += try outbox.add(news, at: now, in: connection) ?? [] }
    }
    if let day = change.clearsBefore { try SilenceTables.discardHours(before: day, connection) }
    return result
  }
}

extension OfflineMonitor {
  /// Looks until the task is cancelled.
  /// - Parameters:
  ///   - store: of the server.
  ///   - noted: told of lanes with new letters.
  package static func run(_ store: any StoreDatabase, noted: @Sendable ([OrderingKey]) -> Void) async {
    let watch = OfflineMonitor(store: store)
    while !Task.isCancelled {
      do { noted(try await watch.look(at: Date()).lanes) } catch {
        // The store could not be read or written; its next reader gets the error, and the next look finds as much.
      }
      try? await Task.sleep(for: .seconds(interval))
    }
  }
}
