/// The length of a UTC day; POSIX time has no leap seconds.
package enum DayLength {
  package static let wholeSeconds: Int64 = 86_400
  package static let seconds: Double = 86_400
  package static let milliseconds: Int64 = 86_400_000

  /// Returns the day of a time, as days since 1970-01-01, negative before.
  /// - Parameter milliseconds: Milliseconds since 1970, any value.
  package static func number(of milliseconds: Int64) -> Int64 {
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: Self.milliseconds)
    return rest < 0 ? days - 1 : days
  }
}
