/// A record that a client sends: its number in the client's journal, from 1.
package struct SentRecord: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The client's journal.
  package var journal: UInt64
  package var number: Int

  package init(journal: UInt64, number: Int) { (self.journal, self.number) = (journal, number) }

  package static func < (one: SentRecord, other: SentRecord) -> Bool { (one.journal, one.number) < (other.journal, other.number) }
  package var description: String { "\(journal)-\(number)" }
}

/// What clients have sent to servers, and what was acknowledged.
package struct History: Sendable {
  /// The time of each record that was sent, in milliseconds since 1970.
  package private(set) var sent: [SentRecord: Int] = [:]
  package private(set) var acknowledged: Set<SentRecord> = []
  /// For each journal, how many entries into a region its acknowledged records make at least.
  package private(set) var entries: [UInt64: Int] = [:]

  package init() {}

  /// A client is about to send a record.
  package mutating func send(_ record: SentRecord, time: Int) { sent[record] = time }

  /// The server has acknowledged records.
  /// - Parameters:
  ///   - records: all that the response is about.
  ///   - entries: into a region, by all acknowledged records of this journal.
  package mutating func acknowledge(_ records: some Collection<SentRecord>, entries: Int) {
    acknowledged.formUnion(records)
    if let journal = records.first?.journal { self.entries[journal] = max(self.entries[journal] ?? 0, entries) }
  }
}

/// What a store has, and what a webhook received.
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
    /// Entered and left between two positions: neither an entry nor an exit.
    package var isCrossing: Bool
    /// As in RFC 3339, in UTC: it is compared as text.
    package var time: String

    package init(name: String, device: Int, isEntry: Bool, isCrossing: Bool = false, time: String) {
      (self.name, self.device, self.isEntry, self.isCrossing, self.time) = (name, device, isEntry, isCrossing, time)
    }
  }

  /// Each row.
  package var points: [Point] = []
  /// The numbers that the store knows as received.
  package var ranges: [Range] = []
  /// In the order of their numbers.
  package var events: [Event] = []
  /// Names of the events that a webhook accepted, in the order of their arrival; nil without a webhook.
  package var deliveries: [String]?

  package init(points: [Point] = [], ranges: [Range] = [], events: [Event] = [], deliveries: [String]? = nil) {
    (self.points, self.ranges, self.events, self.deliveries) = (points, ranges, events, deliveries)
  }
}
