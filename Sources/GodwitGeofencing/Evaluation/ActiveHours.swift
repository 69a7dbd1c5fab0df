internal import Foundation
internal import GodwitModel

/// A region's schedule in its time zone. Computes whether the region is active at a time, and when that may change.
struct ActiveHours: Sendable {
  private let schedule: RegionSchedule
  private let zone: TimeZone

  /// - Parameters:
  ///   - schedule: the region's schedule.
  ///   - zone: the time zone if the schedule has none, or an unknown one.
  package init(_ schedule: RegionSchedule, else zone: TimeZone) {
    self.schedule = schedule
    self.zone = schedule.timeZone.flatMap { TimeZone(identifier: $0) } ?? zone
  }

  /// Whether the region is active at a time.
  ///
  /// - Parameter time: milliseconds since 1970.
  package func isActive(at time: Int64) -> Bool {
    let date = Date(millisecondsSince1970: time)
    return schedule.isActive(at: date, utcOffset: zone.secondsFromGMT(for: date))
  }

  /// Returns a time before which ``isActive(at:)`` does not change, in milliseconds since 1970: the schedule's next change,
  /// or the end of the quarter of an hour, because UTC offsets change only at quarters of an hour.
  /// - Parameter time: milliseconds since 1970.
  package func nextPossibleChange(after time: Int64) -> Int64 {
    let date = Date(millisecondsSince1970: time)
    let quarter: Int64 = 15 * 60_000
    let end = time - (time % quarter + quarter) % quarter + quarter
    let change = schedule.nextChange(after: date, utcOffset: zone.secondsFromGMT(for: date))
    return min(end, change?.millisecondsSince1970 ?? .max)
  }
}
