internal import GodwitModel

/// A day of a device whose rows of points do not match the hash of this day. All other points are intact.
package struct DamagedDay: Error, Sendable, Hashable, CustomStringConvertible {
  /// The number of the device.
  package let device: Int64
  /// The device's name.
  package let name: String
  /// The day (UTC), counted from 1970-01-01.
  package let number: Int64
  /// How many rows there are.
  package let rows: Int64
  /// How many rows were stored.
  package let storedRows: Int64

  /// The day (UTC), such as "2026-03-01".
  package var day: String { Self.text(number) }

  /// The times of the day, milliseconds since 1970.
  package var times: ClosedRange<Int64> { Self.times(ofDay: number) }

  /// The times of a day (UTC), milliseconds since 1970.
  /// - Parameter number: counted from 1970-01-01. The number of a damaged entry may be out of range; then the times are clamped.
  static func times(ofDay number: Int64) -> ClosedRange<Int64> {
    func start(_ day: Int64) -> Int64 {
      let (time, overflow) = day.multipliedReportingOverflow(by: DayLength.milliseconds)
      return overflow ? (day < 0 ? .min : .max) : time
    }
    let (first, next) = (start(number), number < .max ? start(number + 1) : .max)
    return first...(next < .max && next > first ? next - 1 : next)
  }

  /// A day (UTC) as text.
  /// - Parameter number: counted from 1970-01-01.
  static func text(_ number: Int64) -> String {
    // The number may come from a damaged entry.
    let limit: Int64 = 1 << 40
    let date = RFC3339.civil(daysSince1970: Int(min(max(number, -limit), limit)))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(date.year)-\(two(date.month))-\(two(date.day))"
  }

  /// What is wrong with the rows, for the description.
  private var reason: String {
    switch (rows, storedRows) {
    case (let rows, let stored) where rows == stored: "the content of \(rows == 1 ? "its row" : "its \(rows) rows") was changed"
    case (0, let stored): "its \(stored.counted("row is", "rows are")) missing"
    case (let rows, let stored):
      "there \(rows == 1 ? "is" : "are") \(rows.counted("row")), and \(stored.counted("was", "were")) stored"
    }
  }

  package var description: String {
    """
    Stored points of the device "\(name)", \(day) (UTC), are damaged: \(reason). All other points are intact. \
    Restore them with `godwit verify --repair-from BACKUP`, or keep the rows as they are with `godwit verify --accept-rows`.
    """
  }
}
