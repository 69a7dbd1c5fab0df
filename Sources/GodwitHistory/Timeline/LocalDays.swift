package import Foundation

/// The days of a clock on the wall: in a time zone, with its summer time.
package struct LocalDays: Sendable {
  package let zone: TimeZone
  /// Between which times the offset is what it was last.
  private var span: Range<Int64> = 0..<0
  /// Milliseconds.
  private var offset: Int64 = 0

  package init(_ zone: TimeZone) { self.zone = zone }

  package static let length: Int64 = 86_400_000

  /// Days since 1970, of the local date.
  /// - Parameter time: milliseconds since 1970.
  package mutating func day(of time: Int64) -> Int64 {
    if !span.contains(time) { look(at: time) }
    return DirtyDays.day(of: time + offset)
  }

  /// The first moment of a day, milliseconds since 1970.
  package mutating func start(of day: Int64) -> Int64 {
    // No clock is further than a day from UTC.
    boundary(of: day, in: (day - 1) * Self.length - Self.length...(day + 1) * Self.length)
  }

  /// The first moment that is not before a day.
  /// - Parameters:
  ///   - day: since 1970.
  ///   - span: the first is before the day, the last is not.
  package mutating func boundary(of day: Int64, in span: ClosedRange<Int64>) -> Int64 {
    var (before, after) = (span.lowerBound, span.upperBound)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if self.day(of: middle) < day { before = middle } else { after = middle }
    }
    return after
  }

  private mutating func look(at time: Int64) {
    let date = Date(timeIntervalSince1970: Double(time) / 1000)
    offset = Int64(zone.secondsFromGMT(for: date)) * 1000
    // Rules never change twice within an hour; to the next change, or for a day where none is known.
    var end = time + Self.length
    if let next = zone.nextDaylightSavingTimeTransition(after: date) {
      let change = Int64((next.timeIntervalSince1970 * 1000).rounded())
      if change > time { end = min(end, change) }
    }
    span = time..<end
  }
}
