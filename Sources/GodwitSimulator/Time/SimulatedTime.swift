public import struct Foundation.Date

/// A moment of the simulated world, in whole microseconds, so that sums of times and of energies are exact.
public struct SimulatedTime: Sendable, Hashable, Comparable, Codable {
  /// Microseconds since the beginning of 1970, UTC.
  public var microseconds: Int64

  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// The nearest microsecond to a date. Dates beyond the year 290,000 count as `never`.
  public init(_ date: Date) {
    let value = (date.timeIntervalSince1970 * 1e6).rounded()
    microseconds = value < 9e18 ? (value > -9e18 ? Int64(value) : .min) : .max
  }

  /// Later than everything that happens.
  public static let never = SimulatedTime(microseconds: .max)

  public var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }

  public static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }

  /// Seconds later, to the nearest microsecond. After `never` is nothing: what would be beyond it is `never`. The seconds
  /// have to be a number within 100,000 years.
  public static func + (time: Self, seconds: Double) -> Self {
    let (sum, isBeyond) = time.microseconds.addingReportingOverflow(Int64((seconds * 1e6).rounded()))
    return isBeyond ? (seconds > 0 ? .never : SimulatedTime(microseconds: .min)) : SimulatedTime(microseconds: sum)
  }

  public static func - (time: Self, seconds: Double) -> Self { time + -seconds }

  /// Seconds between two moments within 290,000 years.
  public static func - (a: Self, b: Self) -> Double { Double(a.microseconds &- b.microseconds) / 1e6 }
}
