/// Compares the sent and acknowledged records of clients with the contents of a store: each acknowledged record is stored, each record is
/// stored once and as it was sent, events are in order, and a webhook has received each event in order.
package struct HistoryChecker: Sendable {
  /// A violated guarantee.
  package struct Problem: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, CaseIterable {
      case lost = "acknowledged records are not stored"
      case duplicate = "records are stored more than once"
      case unsent = "stored records were never sent"
      case altered = "records have another time than the one that was sent"
      case mixed = "journals are stored under several devices"
      case uncovered = "acknowledged records are in no stored range"
      case missingEvents = "journals have fewer entries into the region than their acknowledged records cause"
      case duplicateEvents = "events are stored more than once"
      case outOfOrderEvents = "events are not later than the one before, or of the same kind"
      case undelivered = "events were not delivered"
      case unknownDeliveries = "delivered events are not stored"
      case outOfOrderDeliveries = "events were first delivered after a later one of their device"
    }
    package var kind: Kind
    package var count: Int
    /// Up to five of the affected records, journals or events.
    package var examples: [String]

    package var description: String { "\(count) \(kind.rawValue): \(examples.joined(separator: ", "))" }
  }

  package let history: History
  package let stored: StoredHistory

  package init(history: History, stored: StoredHistory) { (self.history, self.stored) = (history, stored) }

  /// The violated guarantees.
  package var problems: [Problem] { points + ranges + events + deliveries }

  private func problem(_ kind: Problem.Kind, _ found: some Collection<some CustomStringConvertible>) -> [Problem] {
    found.isEmpty ? [] : [Problem(kind: kind, count: found.count, examples: found.prefix(5).map(\.description))]
  }

  private var points: [Problem] {
    let counts = Dictionary(grouping: stored.points, by: \.record)
    let duplicates = counts.filter { $0.value.count > 1 }.keys.sorted()
    let altered = stored.points.filter { point in history.sent[point.record].map { $0 != point.time } ?? false }.map(\.record)
    let devices = Dictionary(grouping: stored.points, by: \.record.journal).mapValues { Set($0.map(\.device)) }
    return problem(.lost, history.acknowledged.filter { counts[$0] == nil }.sorted())
      + problem(.duplicate, duplicates)
      + problem(.unsent, counts.keys.filter { history.sent[$0] == nil }.sorted())
      + problem(.altered, altered.sorted())
      + problem(.mixed, devices.filter { $0.value.count > 1 }.keys.sorted())
  }

  private var ranges: [Problem] {
    let ranges = Dictionary(grouping: stored.ranges, by: \.journal).mapValues { $0.sorted { $0.first < $1.first } }
    let uncovered = history.acknowledged.filter { record in
      guard let range = ranges[record.journal]?.last(where: { $0.first <= record.number }) else { return true }
      return range.last < record.number
    }
    return problem(.uncovered, uncovered.sorted())
  }

  private var events: [Problem] {
    let duplicates = Dictionary(grouping: stored.events, by: \.name).filter { $0.value.count > 1 }.keys.sorted()
    let byDevice = Dictionary(grouping: stored.events, by: \.device)
    let outOfOrder = byDevice.values.flatMap { events -> [String] in
      let (all, changes) = (zip(events, events.dropFirst()), events.filter { !$0.isCrossing })
      let alike = zip(changes, changes.dropFirst()).filter { $0.isEntry == $1.isEntry }
      return (all.filter { $0.time >= $1.time } + alike).map(\.1.name)
    }
    let devices = Dictionary(stored.points.map { ($0.record.journal, $0.device) }) { first, _ in first }
    let missing = history.entries.filter { journal, entries in
      let found = devices[journal].flatMap { byDevice[$0] } ?? []
      return found.count(where: \.isEntry) < entries
    }
    return problem(.duplicateEvents, duplicates) + problem(.outOfOrderEvents, outOfOrder.sorted())
      + problem(.missingEvents, missing.keys.sorted())
  }

  private var deliveries: [Problem] {
    guard let deliveries = stored.deliveries else { return [] }
    // The position of the first delivery of each event: a repeated delivery is allowed at any time.
    let first = Dictionary(deliveries.enumerated().map { ($1, $0) }) { first, _ in first }
    let names = Set(stored.events.map(\.name))
    let outOfOrder = Dictionary(grouping: stored.events, by: \.device).values.flatMap { events in
      let arrived = events.compactMap { event in first[event.name].map { (event.name, $0) } }
      return zip(arrived, arrived.dropFirst()).filter { $0.1 > $1.1 }.map(\.0.0)
    }
    return problem(.undelivered, stored.events.map(\.name).filter { first[$0] == nil })
      + problem(.unknownDeliveries, first.keys.filter { !names.contains($0) }.sorted())
      + problem(.outOfOrderDeliveries, outOfOrder.sorted())
  }
}
