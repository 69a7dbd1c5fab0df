public import struct Foundation.Date

/// A time of the simulated world in whole microseconds, so that sums of times and of energies are exact.
public struct SimulatedTime: Sendable, Hashable, Comparable, Codable {
  /// Microseconds since 1970-01-01T00:00:00Z.
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// Creates the time nearest to a date. A date after the year 287,000 becomes ``never``, as does one that is not a number.
  public init(_ date: Date) {
    let value = (date.timeIntervalSince1970 * 1e6).rounded()
    microseconds = value < 9e18 ? (value > -9e18 ? Int64(value) : .min) : .max
  }

  /// Later than all events.
  public static let never = SimulatedTime(microseconds: .max)

  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// Returns the time some seconds later, rounded to a microsecond. A sum beyond ``never`` is ``never``. The seconds must be a
  /// number within ±100,000 years.
  public static func + (time: Self, seconds: Double) -> Self {
    let (sum, isBeyond) = time.microseconds.addingReportingOverflow(Int64((seconds * 1e6).rounded()))
    return isBeyond ? (seconds > 0 ? .never : SimulatedTime(microseconds: .min)) : SimulatedTime(microseconds: sum)
  }

  public static func - (time: Self, seconds: Double) -> Self { time + -seconds }

  /// Returns the seconds between two times, which must be within 290,000 years of each other.
  public static func - (a: Self, b: Self) -> Double { Double(a.microseconds &- b.microseconds) / 1e6 }
}
