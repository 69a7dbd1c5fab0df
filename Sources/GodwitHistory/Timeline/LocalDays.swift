package import Foundation
internal import GodwitModel

/// The days of a time zone, with daylight saving time.
package struct LocalDays: Sendable {
  package let zone: TimeZone
  /// The times for which the cached offset is valid.
  private var span: Range<Int64> = 0..<0
  /// Milliseconds.
  private var offset: Int64 = 0

  package init(_ zone: TimeZone) { self.zone = zone }

  package static let length = DayLength.milliseconds

  /// Returns the local date of a time, in days since 1970.
  /// - Parameter time: milliseconds since 1970.
  package mutating func day(of time: Int64) -> Int64 {
    if !span.contains(time) { update(at: time) }
    return DirtyDays.day(of: time + offset)
  }

  /// Returns the start of a day in milliseconds since 1970.
  package mutating func start(of day: Int64) -> Int64 {
    // UTC offsets are below 24 h.
    boundary(of: day, in: (day - 1) * Self.length - Self.length...(day + 1) * Self.length)
  }

  /// Returns the first time at or after the start of a day, in milliseconds since 1970.
  /// - Parameters:
  ///   - day: days since 1970.
  ///   - span: a range whose start is before the day and whose end is not.
  package mutating func boundary(of day: Int64, in span: ClosedRange<Int64>) -> Int64 {
    var (before, after) = (span.lowerBound, span.upperBound)
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if self.day(of: middle) < day { before = middle } else { after = middle }
    }
    return after
  }

  private mutating func update(at time: Int64) {
    let date = Date(timeIntervalSince1970: Double(time) / 1000)
    offset = Int64(zone.secondsFromGMT(for: date)) * 1000
    // The offset changes at most once within an hour. It is cached until the next change, but for at most a day.
    var end = time + Self.length
    if let next = zone.nextDaylightSavingTimeTransition(after: date) {
      let change = Int64((next.timeIntervalSince1970 * 1000).rounded())
      if change > time { end = min(end, change) }
    }
    span = time..<end
  }
}
