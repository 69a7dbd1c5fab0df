/// A record that a client sends: its number in the client's journal, from 1.
package struct SentRecord: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The client's journal.
  package var journal: UInt64
  package var number: Int

  package init(journal: UInt64, number: Int) { (self.journal, self.number) = (journal, number) }

  package static func < (one: SentRecord, other: SentRecord) -> Bool { (one.journal, one.number) < (other.journal, other.number) }
  package var description: String { "\(journal)-\(number)" }
}

/// The records that clients have sent to servers, and the acknowledged ones.
package struct History: Sendable {
  /// The time of each record that was sent, in milliseconds since 1970.
  package private(set) var sent: [SentRecord: Int] = [:]
  package private(set) var acknowledged: Set<SentRecord> = []
  /// For each journal, the minimum number of entries into a region that its acknowledged records cause.
  package private(set) var entries: [UInt64: Int] = [:]

  package init() {}

  /// Records that a client is about to send a record.
  package mutating func send(_ record: SentRecord, time: Int) { sent[record] = time }

  /// Records that the server has acknowledged records.
  /// - Parameters:
  ///   - records: all records of the request.
  ///   - entries: the number of entries into a region that all acknowledged records of this journal cause.
  package mutating func acknowledge(_ records: some Collection<SentRecord>, entries: Int) {
    acknowledged.formUnion(records)
    if let journal = records.first?.journal { self.entries[journal] = max(self.entries[journal] ?? 0, entries) }
  }
}

/// The contents of a store, and the deliveries that a webhook received.
package struct StoredHistory: Sendable {
  package struct Point: Sendable, Hashable {
    package var record: SentRecord
    /// The number of the device in the store.
    package var device: Int
    /// Milliseconds since 1970.
    package var time: Int

    package init(record: SentRecord, device: Int, time: Int) { (self.record, self.device, self.time) = (record, device, time) }
  }
  package struct Range: Sendable, Hashable {
    package var journal: UInt64
    package var first: Int
    package var last: Int

    package init(journal: UInt64, first: Int, last: Int) { (self.journal, self.first, self.last) = (journal, first, last) }
  }
  /// An event of a region.
  package struct Event: Sendable, Hashable {
    /// The permanent identifier.
    package var name: String
    package var device: Int
    package var isEntry: Bool
    /// Whether the region was entered and left between two positions: neither an entry nor an exit.
    package var isCrossing: Bool
    /// RFC 3339 in UTC. Times are compared as text.
    package var time: String

    package init(name: String, device: Int, isEntry: Bool, isCrossing: Bool = false, time: String) {
      (self.name, self.device, self.isEntry, self.isCrossing, self.time) = (name, device, isEntry, isCrossing, time)
    }
  }

  /// All stored points; a point that is stored twice occurs twice.
  package var points: [Point] = []
  /// The ranges of numbers that the store has recorded as received.
  package var ranges: [Range] = []
  /// The events in the order of their numbers.
  package var events: [Event] = []
  /// The names of the events that a webhook accepted, in the order of their arrival; `nil` without a webhook.
  package var deliveries: [String]?

  package init(points: [Point] = [], ranges: [Range] = [], events: [Event] = [], deliveries: [String]? = nil) {
    (self.points, self.ranges, self.events, self.deliveries) = (points, ranges, events, deliveries)
  }
}
