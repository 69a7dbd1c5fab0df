/// A record that a client sends: its number in the client's journal, from 1.
struct SentRecord: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The client's journal.
  var journal: UInt64
  var number: Int

  static func < (one: SentRecord, other: SentRecord) -> Bool { (one.journal, one.number) < (other.journal, other.number) }
  var description: String { "\(journal)-\(number)" }
}

/// What clients have sent to servers, and what was acknowledged.
struct History: Sendable {
  /// The time of each record that was sent, in milliseconds since 1970.
  private(set) var sent: [SentRecord: Int] = [:]
  private(set) var acknowledged: Set<SentRecord> = []
  /// For each journal, how many entries into a region its acknowledged records make at least.
  private(set) var entries: [UInt64: Int] = [:]

  /// A client is about to send a record.
  mutating func send(_ record: SentRecord, time: Int) { sent[record] = time }

  /// The server has acknowledged records.
  /// - Parameters:
  ///   - records: all that the response is about.
  ///   - entries: into a region, by all acknowledged records of this journal.
  mutating func acknowledge(_ records: some Collection<SentRecord>, entries: Int) {
    acknowledged.formUnion(records)
    if let journal = records.first?.journal { self.entries[journal] = max(self.entries[journal] ?? 0, entries) }
  }
}

/// What a store has, and what a webhook received.
struct StoredHistory: Sendable {
  struct Point: Sendable, Hashable {
    var record: SentRecord
    /// The number of the device in the store.
    var device: Int
    /// Milliseconds since 1970.
    var time: Int
  }
  struct Range: Sendable, Hashable {
    var journal: UInt64
    var first: Int
    var last: Int
  }
  /// An event of a region.
  struct Event: Sendable, Hashable {
    /// The permanent identifier.
    var name: String
    var device: Int
    var isEntry: Bool
    /// As in RFC 3339, in UTC: it is compared as text.
    var time: String
  }

  /// Each row.
  var points: [Point] = []
  /// The numbers that the store knows as received.
  var ranges: [Range] = []
  /// In the order of their numbers.
  var events: [Event] = []
  /// Names of the events that a webhook accepted, in the order of their arrival; nil without a webhook.
  var deliveries: [String]?
}
