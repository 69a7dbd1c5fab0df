internal import GodwitModel

internal import struct Foundation.Date

/// The number of bytes that were sent to an endpoint in a day (UTC).
struct DailyUsage: Sendable, Hashable, Codable {
  var day: Int
  var bytes: Int

  static func day(_ time: Date) -> Int { Int((time.timeIntervalSince1970 / DayLength.seconds).rounded(.down)) }

  /// The start of the next day.
  var nextDay: Date { Date(timeIntervalSince1970: Double(day + 1) * DayLength.seconds) }
}
