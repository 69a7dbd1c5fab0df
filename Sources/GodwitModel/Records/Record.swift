public import struct Foundation.Date

/// A record of a device: the unit of the journal, of the formats and of the server's store.
///
///     configuration.recorded = { records in
///       for record in records {
///         if case .fix(let fix) = record.kind { draw(fix.coordinate, tripID: record.context.tripID) }
///       }
///     }
///
/// A record never changes. Its ``id`` makes a repeated upload harmless: a server stores each identifier once.
public struct Record: Sendable, Hashable, Codable {
  /// Journal id and sequence number; `nil` for a record from software without numbers.
  public var id: RecordID?
  /// The content of the record.
  public var kind: Kind
  /// The state of the device at that time.
  public var context: DeviceContext
  /// Further members of the sender: the text of a JSON object, stored so that an export returns it. `nil` if there were
  /// none.
  public var extras: String?
  /// When the device received it, if known: it may be long after the measurement.
  public var received: Date?

  /// The content of a record, by its kind.
  public enum Kind: Sendable, Hashable, Codable {
    /// A measured position.
    case fix(Fix)
    /// A stay, or one end of one.
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

  /// The time of the record: of a fix its measurement, of a visit its delivery, of a trip its end.
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

/// The permanent identifier of a record: the journal that it was first written to and its number there. A server skips
/// a record whose identifier it has, which turns "at least once" into "exactly once".
public struct RecordID: Sendable, Hashable, Codable {
  /// Random number that a new journal gets.
  public var journal: UInt64
  /// Position in the journal, from 1, never used twice.
  public var sequence: RecordNumber

  public init(journal: UInt64, sequence: RecordNumber) {
    self.journal = journal
    self.sequence = sequence
  }
}

/// A stay at a place, or one end of it, as the system reported it.
public struct Visit: Sendable, Hashable, Codable {
  /// When the report was delivered, some minutes after the event.
  public var time: Date
  public var coordinate: Coordinate
  /// Metres, ≥ 0.
  public var horizontalAccuracy: Meters?
  /// `nil`: before the system started monitoring.
  public var arrival: Date?
  /// `nil`: the visit continues.
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

/// A finished trip: what was recorded between a start and an end, by the user or by motion.
///
/// Its fixes are records of their own, whose ``DeviceContext/tripID`` is the trip's ``id``.
public struct Trip: Sendable, Hashable, Codable, Identifiable {
  /// When it began and ended. A pause that ends a trip automatically does not belong to it.
  public var start: Date
  public var end: Date
  /// A value of Overland's `trip_mode`: walk, run, bicycle, car, …
  public var mode: String
  /// The first fix of the trip that was accurate enough, and the last one.
  public var startFix: Fix?
  public var endFix: Fix?
  /// Seconds, ≥ 0.
  public var duration: Double
  /// Metres, ≥ 0: sum of the great-circle steps.
  public var distance: Meters
  /// Counted by the pedometer; `nil` if unavailable.
  public var steps: Int?
  /// Ended by the system's pause and not by the user.
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

  /// The start as ``DeviceContext/tripID`` has it in the records of the trip: "2026-11-20T08:30:00Z".
  public var id: String { RFC3339.string(start, .seconds) }
}

/// An event in the life of the tracker, for diagnosis.
public struct Action: Sendable, Hashable, Codable {
  public var time: Date
  /// Overland's names: `paused_location_updates`, `resumed_location_updates`, `exited_pause_region`, `will_terminate`,
  /// …
  public var name: String
  /// Last known position, `nil` if there was none.
  public var coordinate: Coordinate?

  public init(time: Date, name: String, coordinate: Coordinate? = nil) {
    self.time = time
    self.name = name
    self.coordinate = coordinate
  }
}
