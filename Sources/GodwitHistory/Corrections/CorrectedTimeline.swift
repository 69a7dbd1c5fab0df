internal import Foundation
internal import GodwitModel
package import GodwitStore

/// Reads the visits and trips of a device, with the corrections of users applied. Corrected modes also change similar trips, see
/// ``TripHabits``.
package struct CorrectedTimeline {
  private let db: any SQLConnection
  private let rows: TimelineRows

  package init(_ db: any SQLConnection) {
    self.db = db
    rows = TimelineRows(db)
  }

  /// Returns visits, in the order of their arrivals.
  package func visits(_ query: TimelineRows.Query) throws -> [ShownVisit] {
    try list(query, raw: { try rows.visits($0).map { .visit(ShownVisit($0)) } }, kind: .visit).compactMap(\.visit)
  }

  /// Returns trips, in the order of their starts.
  package func trips(_ query: TimelineRows.Query) throws -> [ShownTrip] { try trips(query, nil) }

  /// - Parameter habits: the habits of the device; `nil`: they are read if they are needed.
  private func trips(_ query: TimelineRows.Query, _ habits: TripHabits?) throws -> [ShownTrip] {
    try list(query, raw: { try rows.trips($0).map { .trip(ShownTrip($0)) } }, kind: .trip, habits).compactMap(\.trip)
  }

  /// Returns the entries that overlap a time, and adjacent entries that the same corrections affect.
  package func entries(ofDevice device: Int64, _ times: Range<Int64>) throws -> CorrectionRules {
    try entries(ofDevice: device, times, TripHabits(ofDevice: device, db))
  }

  /// Returns the numbers of the corrections of a time that apply to an entry.
  package func applied(ofDevice device: Int64, _ times: Range<Int64>) throws -> Set<Int64> {
    try entries(ofDevice: device, times, TripHabits()).applied
  }

  private func entries(ofDevice device: Int64, _ times: Range<Int64>, _ habits: TripHabits) throws -> CorrectionRules {
    let (corrections, computed) = try context(of: device, times, habits)
    return CorrectionRules.applied(corrections, to: computed)
  }

  // MARK: Pages

  private func list(
    _ query: TimelineRows.Query, raw: (TimelineRows.Query) throws -> [TimelineEntry], kind: TimelineCorrection.Target.Kind,
    _ habits: TripHabits? = nil
  ) throws -> [TimelineEntry] {
    guard try CorrectionTable.countActive(ofDevice: query.device, db) > 0 else { return try raw(query) }
    // Modes of trips do not affect visits.
    let habits = try habits ?? (kind == .trip ? TripHabits(ofDevice: query.device, db) : TripHabits())
    var found: [TimelineEntry] = []
    var part = query
    while true {
      let computed = try raw(part)
      let isLast = computed.count < part.limit
      // All computed entries up to this time have been read.
      let end = isLast ? query.times.upperBound : min(query.times.upperBound, (computed.last?.start ?? 0) + 1)
      let start = part.after.map { $0 + 1 } ?? query.times.lowerBound
      if start < end {
        found += try entries(ofDevice: query.device, start..<end, habits).entries.filter { entry in
          entry.kind == kind && entry.start < end && entry.start > part.after ?? .min && Self.overlaps(entry, query.times)
        }
      }
      if isLast || found.count >= query.limit || start >= end { return Array(found.prefix(query.limit)) }
      part.after = end - 1
    }
  }

  /// A visit without a departure overlaps any later time.
  private static func overlaps(_ entry: TimelineEntry, _ times: Range<Int64>) -> Bool {
    if let visit = entry.visit?.visit, visit.departure == nil { return visit.arrival < times.upperBound }
    return entry.start < times.upperBound && entry.end > times.lowerBound
  }

  // MARK: Reading

  /// Reads everything that determines the entries of a time: corrections and computed entries, also beyond the time as far as one
  /// of the corrections reaches.
  ///
  /// Corrections of consecutive entries may form a chain, so that a few hours may depend on years. Each iteration reads more at once.
  private func context(
    of device: Int64, _ times: Range<Int64>, _ habits: TripHabits
  ) throws -> ([TimelineCorrection], [TimelineEntry]) {
    var span = times.lowerBound...max(times.lowerBound, times.upperBound)
    var padding: Int64 = 0
    while true {
      let window = Self.padded(span, by: padding)
      let corrections = try CorrectionTable.active(ofDevice: device, window, db)
      // An entry that touches the edge of a correction is included.
      let read = corrections.map(Self.neighbourhood).reduce(window, Self.union)
      let entries = try computed(ofDevice: device, in: read, habits)
      let whole = Self.closed(span, corrections, entries)
      if window.lowerBound <= whole.lowerBound, whole.upperBound <= window.upperBound {
        return (
          corrections.filter { $0.body.reach.overlaps(whole) },
          entries.filter { Self.overlaps($0, whole.lowerBound..<whole.upperBound) }
        )
      }
      span = whole
      // Limited, so that it can be doubled without overflow.
      padding = max(DayLength.milliseconds, 2 * min(padding, .max / 4))
    }
  }

  private static func padded(_ span: ClosedRange<Int64>, by padding: Int64) -> ClosedRange<Int64> {
    let (lower, isBelow) = span.lowerBound.subtractingReportingOverflow(padding)
    let (upper, isAbove) = span.upperBound.addingReportingOverflow(padding)
    return (isBelow ? .min : lower)...(isAbove ? .max : upper)
  }

  /// Reads the entries of a time without corrections.
  private func computed(ofDevice device: Int64, in span: ClosedRange<Int64>, _ habits: TripHabits) throws -> [TimelineEntry] {
    let query = TimelineRows.Query(device: device, times: span.lowerBound..<span.upperBound)
    return TimelineEntry.ordered(
      try rows.visits(query).map(ShownVisit.init), try rows.trips(query).map { ShownTrip(habits.applied(to: $0)) })
  }

  /// Extends a time by all corrections that overlap it, the entries that these touch, the corrections that overlap those entries,
  /// and so on.
  private static func closed(
    _ span: ClosedRange<Int64>, _ corrections: [TimelineCorrection], _ entries: [TimelineEntry]
  ) -> ClosedRange<Int64> {
    var reaches = corrections.map { correction in
      let near = neighbourhood(of: correction)
      let touched = entries.lazy.filter { $0.start <= near.upperBound && $0.end >= near.lowerBound }
      return (own: correction.body.reach, whole: touched.reduce(near) { union($0, $1.start...$1.end) })
    }
    var whole = span
    while true {
      let further = reaches.partition { $0.own.overlaps(whole) }
      if further == reaches.endIndex { return whole }
      whole = reaches[further...].reduce(whole) { union($0, $1.whole) }
      reaches.removeSubrange(further...)
    }
  }

  /// The time that a correction reaches, extended at both ends so that adjacent entries touch it.
  private static func neighbourhood(of correction: TimelineCorrection) -> ClosedRange<Int64> {
    padded(correction.body.reach, by: 1)
  }

  private static func union(_ a: ClosedRange<Int64>, _ b: ClosedRange<Int64>) -> ClosedRange<Int64> {
    min(a.lowerBound, b.lowerBound)...max(a.upperBound, b.upperBound)
  }
}

// MARK: Days

extension CorrectedTimeline {
  /// Returns the sums of local days, in order, with corrected trips.
  /// - Parameters:
  ///   - days: days since 1970, as local dates.
  ///   - local: the days of the device's time zone.
  package func shares(ofDevice device: Int64, _ days: Range<Int64>, _ local: LocalDays) throws -> [(
    key: DayShare.Key, share: DayShare
  )] {
    var local = local
    let computed = try rows.shares(device: device, days)
    let times = local.start(of: days.lowerBound)..<local.start(of: days.upperBound)
    let habits = try TripHabits(ofDevice: device, db)
    guard !times.isEmpty,
      try !habits.isEmpty || !CorrectionTable.active(ofDevice: device, times.lowerBound...times.upperBound, db).isEmpty
    else { return computed }
    let query = TimelineRows.Query(device: device, times: times)
    let (before, after) = (try rows.trips(query), try trips(query, habits).map(\.trip))
    // Only the days of trips that differ are computed again. All other days have exactly the stored sums.
    var changed: Set<Int64> = []
    for trip in Set(before).symmetricDifference(after) {
      // If the clocks were set back past midnight, the date of the end can be before that of the start.
      let (first, last) = (local.day(of: trip.start), local.day(of: max(trip.start, trip.end)))
      for day in min(first, last)...max(first, last) where days.contains(day) { changed.insert(day) }
    }
    var sums: [DayShare.Key: DayShare] = [:]
    for (key, share) in computed where key.mode == nil || !changed.contains(key.localDay) { sums[key] = share }
    for trip in after {
      for share in TripMaker.shares(of: trip, &local) where changed.contains(share.day) {
        let key = DayShare.Key(localDay: share.day, mode: share.mode)
        sums[key, default: DayShare()].distance += share.distance
        sums[key, default: DayShare()].seconds += share.seconds
        sums[key, default: DayShare()].moving += share.moving
      }
    }
    return sums.sorted { $0.key < $1.key }.map { (key: $0.key, share: $0.value) }
  }
}
