public import struct Foundation.Date

/// A record of a device: the unit of the journal, of the formats and of the server's store.
///
///     configuration.recorded = { records in
///       for record in records {
///         if case .fix(let fix) = record.kind { draw(fix.coordinate, tripID: record.context.tripID) }
///       }
///     }
///
/// A record is immutable. Its ``id`` makes a repeated upload idempotent: a server stores each identifier once.
public struct Record: Sendable, Hashable, Codable {
  /// Journal id and sequence number; `nil` for a record from software without numbers.
  public var id: RecordID?
  /// The content of the record.
  public var kind: Kind
  /// The state of the device at that time.
  public var context: DeviceContext
  /// Unknown members sent by the device: the text of a JSON object, stored so that an export returns it. `nil` if there were none.
  public var extras: String?
  /// Time at which the device received the data, if known. It can be long after the measurement.
  public var received: Date?

  /// The content of a record.
  public enum Kind: Sendable, Hashable, Codable {
    /// A measured position.
    case fix(Fix)
    /// A stay, or its beginning or end.
    case visit(Visit)
    /// A finished trip.
    indirect case trip(Trip)
    /// An event of a region.
    indirect case region(RegionEvent)
    /// An event of the tracker itself.
    case action(Action)
  }

  public init(id: RecordID? = nil, kind: Kind, context: DeviceContext = DeviceContext(), extras: String? = nil) {
    self.id = id
    self.kind = kind
    self.context = context
    self.extras = extras
  }

  /// The time of the record: the measurement of a fix, the delivery of a visit, the end of a trip, or the time of an event.
  public var time: Date {
    switch kind {
    case .fix(let fix): fix.time
    case .visit(let visit): visit.time
    case .trip(let trip): trip.end
    case .region(let event): event.time
    case .action(let action): action.time
    }
  }
}

/// The permanent identifier of a record: the journal to which it was first written, and its number there. A server skips a record
/// whose identifier it already has, which turns at-least-once delivery into exactly-once storage.
public struct RecordID: Sendable, Hashable, Codable {
  /// Random number of the journal.
  public var journal: UInt64
  /// Sequence number in the journal, from 1, never reused.
  public var sequence: RecordNumber

  public init(journal: UInt64, sequence: RecordNumber) {
    self.journal = journal
    self.sequence = sequence
  }
}

/// A stay at a place, or its beginning or end, as the system reported it.
public struct Visit: Sendable, Hashable, Codable {
  /// Time of delivery of the report, some minutes after the event.
  public var time: Date
  public var coordinate: Coordinate
  /// Horizontal accuracy in metres, ≥ 0.
  public var horizontalAccuracy: Meters?
  /// Time of arrival; `nil` if it was before the system started monitoring.
  public var arrival: Date?
  /// Time of departure; `nil` while the visit continues.
  public var departure: Date?

  public init(
    time: Date, coordinate: Coordinate, horizontalAccuracy: Meters? = nil, arrival: Date? = nil, departure: Date? = nil
  ) {
    self.time = time
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.arrival = arrival
    self.departure = departure
  }
}

/// A finished trip, started and ended by the user or by motion.
///
/// Its fixes are separate records. Their ``DeviceContext/tripID`` is the ``id`` of the trip.
public struct Trip: Sendable, Hashable, Codable, Identifiable {
  /// Start and end of the trip. A pause that ended the trip automatically is not included.
  public var start: Date
  public var end: Date
  /// A value of Overland's `trip_mode`: walk, run, bicycle, car, …
  public var mode: String
  /// The first and the last sufficiently accurate fix of the trip.
  public var startFix: Fix?
  public var endFix: Fix?
  /// Duration in seconds, ≥ 0.
  public var duration: Double
  /// Distance in metres, ≥ 0: the sum of the great-circle distances between fixes.
  public var distance: Meters
  /// Steps of the pedometer; `nil` if unavailable.
  public var steps: Int?
  /// Whether a pause of the system ended the trip and not the user.
  public var stoppedAutomatically: Bool

  public init(
    start: Date, end: Date, mode: String, startFix: Fix? = nil, endFix: Fix? = nil, duration: Double,
    distance: Meters, steps: Int? = nil, stoppedAutomatically: Bool = false
  ) {
    self.start = start
    self.end = end
    self.mode = mode
    self.startFix = startFix
    self.endFix = endFix
    self.duration = duration
    self.distance = distance
    self.steps = steps
    self.stoppedAutomatically = stoppedAutomatically
  }

  /// The start time, in the format of ``DeviceContext/tripID`` in the records of the trip: "2026-11-20T08:30:00Z".
  public var id: String { RFC3339.string(start, .seconds) }
}

/// An event of the tracker itself, for diagnosis.
public struct Action: Sendable, Hashable, Codable {
  public var time: Date
  /// Names are those of Overland: `paused_location_updates`, `resumed_location_updates`, `exited_pause_region`, `will_terminate`, …
  public var name: String
  /// Last known position; `nil` if there was none.
  public var coordinate: Coordinate?

  public init(time: Date, name: String, coordinate: Coordinate? = nil) {
    self.time = time
    self.name = name
    self.coordinate = coordinate
  }
}
