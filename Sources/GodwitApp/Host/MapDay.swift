internal import Foundation

/// A calendar day in a time zone, of 23, 24 or 25 hours.
struct MapDay: Sendable, Hashable {
  var year: Int
  var month: Int
  var day: Int

  /// The day that contains a time.
  init(_ time: Date, _ calendar: Calendar) {
    let parts = calendar.dateComponents([.year, .month, .day], from: time)
    (year, month, day) = (parts.year ?? 1970, parts.month ?? 1, parts.day ?? 1)
  }

  /// The interval from the first moment of the day to that of the next day.
  func interval(_ calendar: Calendar) -> DateInterval {
    let start = calendar.startOfDay(for: noon(calendar))
    let end = calendar.startOfDay(for: adding(1, calendar).noon(calendar))
    return DateInterval(start: start, end: max(start, end))
  }

  /// Returns the day that is a number of days later.
  func adding(_ days: Int, _ calendar: Calendar) -> MapDay {
    let noon = noon(calendar)
    return MapDay(calendar.date(byAdding: .day, value: days, to: noon) ?? noon, calendar)
  }

  /// Noon exists on every day, while some time zones skip midnight.
  private func noon(_ calendar: Calendar) -> Date {
    calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 12)) ?? Date(timeIntervalSince1970: 0)
  }

  /// "2026-11-20"
  var name: String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(year)-\(two(month))-\(two(day))"
  }
}
