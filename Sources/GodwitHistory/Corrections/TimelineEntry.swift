internal import Foundation
internal import GodwitModel

/// A computed visit with the corrections of users.
package struct ShownVisit: Sendable, Hashable {
  package var visit: FoundVisit
  /// The name that a user gave this visit.
  package var name: String?
  /// The number of the named place that a user chose for this visit.
  package var placeID: Int64?
  package var isConfirmed = false
  /// The numbers of the corrections that apply to the visit.
  package var corrections: [Int64] = []

  package init(_ visit: FoundVisit) { self.visit = visit }

  /// The confidence of the visit, 0…1.
  package var confidence: Double { isConfirmed ? 1 : visit.confidence }
}

/// A computed trip with the corrections of users.
package struct ShownTrip: Sendable, Hashable {
  package var trip: FoundTrip
  package var isConfirmed = false
  package var corrections: [Int64] = []

  package init(_ trip: FoundTrip) { self.trip = trip }
}

/// A visit or a trip of a timeline.
package enum TimelineEntry: Sendable, Hashable {
  case visit(ShownVisit)
  case trip(ShownTrip)

  /// The start in milliseconds since 1970.
  package var start: Int64 {
    switch self {
    case .visit(let shown): shown.visit.arrival
    case .trip(let shown): shown.trip.start
    }
  }

  /// The end in milliseconds since 1970. For a visit without a departure: the last time at which the device was seen there.
  package var end: Int64 {
    switch self {
    case .visit(let shown): max(shown.visit.end, shown.visit.arrival)
    case .trip(let shown): max(shown.trip.end, shown.trip.start)
    }
  }

  package var kind: TimelineCorrection.Target.Kind {
    switch self {
    case .visit: .visit
    case .trip: .trip
    }
  }

  package var visit: ShownVisit? { if case .visit(let shown) = self { shown } else { nil } }
  package var trip: ShownTrip? { if case .trip(let shown) = self { shown } else { nil } }

  /// Milliseconds that the entry has in common with a time; negative if there is a gap between them.
  func common(_ times: ClosedRange<Int64>) -> Int64 { min(end, times.upperBound) - max(start, times.lowerBound) }

  /// Returns visits and trips in the order of their times.
  package static func ordered(_ visits: [ShownVisit], _ trips: [ShownTrip]) -> [TimelineEntry] {
    (visits.map { .visit($0) } + trips.map { .trip($0) }).sorted { ($0.start, $0.end) < ($1.start, $1.end) }
  }

  /// Returns the entry with the number of a correction that applies to it.
  func noted(_ correction: TimelineCorrection, isConfirmed: Bool = true) -> TimelineEntry {
    switch self {
    case .visit(var shown):
      if shown.corrections.last != correction.id { shown.corrections.append(correction.id) }
      shown.isConfirmed = shown.isConfirmed || isConfirmed
      return .visit(shown)
    case .trip(var shown):
      if shown.corrections.last != correction.id { shown.corrections.append(correction.id) }
      shown.isConfirmed = shown.isConfirmed || isConfirmed
      return .trip(shown)
    }
  }

  // MARK: Times

  /// Returns the part of the entry between two times; `nil` if nothing remains. The distances of a trip are divided by time.
  func cut(to start: Int64, _ end: Int64) -> TimelineEntry? {
    guard end > start else { return nil }
    switch self {
    case .visit(var shown):
      shown.visit = shown.visit.cut(to: start, end, keepsOpen: end == self.end)
      return .visit(shown)
    case .trip(var shown):
      guard let trip = shown.trip.cut(to: start, end) else { return nil }
      shown.trip = trip
      return .trip(shown)
    }
  }

  /// Returns the entry with another start or end. The first or last part of a trip becomes longer or shorter. `nil` if nothing remains.
  func stretched(start: Int64? = nil, end: Int64? = nil) -> TimelineEntry? {
    let (first, last) = (start ?? self.start, end ?? self.end)
    guard last > first else { return nil }
    if first >= self.start, last <= self.end { return cut(to: first, last) }
    switch self {
    case .visit: return cut(to: first, last)
    case .trip(var shown):
      guard var trip = shown.trip.cut(to: max(first, self.start), min(last, self.end)) else { return nil }
      trip.start = first
      trip.end = last
      trip.segments[0].start = first
      trip.segments[trip.segments.count - 1].end = last
      shown.trip = trip
      return .trip(shown)
    }
  }
}

extension FoundVisit {
  /// Returns the part of the visit between two times.
  /// - Parameter keepsOpen: whether a visit without a departure stays open.
  func cut(to start: Int64, _ end: Int64, keepsOpen: Bool) -> FoundVisit {
    var part = self
    let length = Double(max(1, self.end - arrival))
    part.arrival = start
    part.seen = min(max(seen, start), end)
    part.departure = departure == nil && keepsOpen ? nil : end
    part.points = max(1, Int((Double(points) * min(1, Double(end - start) / length)).rounded()))
    return part
  }
}

extension FoundTrip {
  /// Returns the part of the trip between two times, with its share of the distances; `nil` if nothing remains.
  func cut(to start: Int64, _ end: Int64) -> FoundTrip? {
    var part = self
    part.segments = segments.compactMap { segment in
      let (first, last) = (max(segment.start, start), min(segment.end, end))
      guard last > first, segment.end > segment.start else { return nil }
      let share = Double(last - first) / Double(segment.end - segment.start)
      var cut = segment
      (cut.start, cut.end) = (first, last)
      cut.distance *= share
      cut.moving *= share
      return cut
    }
    guard let first = part.segments.first, let last = part.segments.last else { return nil }
    (part.start, part.end) = (first.start, last.end)
    return part
  }
}
