package import Foundation

/// The date formats of HTTP (RFC 9110, 5.6.7): "Sun, 06 Nov 1994 08:49:37 GMT", and the obsolete "Sunday, 06-Nov-94 08:49:37 GMT"
/// and "Sun Nov  6 08:49:37 1994".
package enum HTTPDate {
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// Reads a date. The name of the day is not checked.
  /// - Parameters:
  ///   - text: the date.
  ///   - now: the time, for years of two digits.
  /// - Returns: the time; `nil` if the text is not a date.
  package static func date(_ text: String, now: Date) -> Date? {
    let parts = text.split(separator: " ")
    switch parts.count {
    case 6 where parts[5] == "GMT":
      return date(number(parts[3], digits: 4), parts[2], number(parts[1], digits: 2), parts[4])
    case 4 where parts[3] == "GMT":
      let date = parts[1].split(separator: "-", omittingEmptySubsequences: false)
      guard date.count == 3 else { return nil }
      let year = number(date[2], digits: 2).map { fullYear($0, now: now) }
      return self.date(year, date[1], number(date[0], digits: 2), parts[2])
    case 5:
      let day = number(parts[2], digits: parts[2].utf8.count == 1 ? 1 : 2)
      return date(number(parts[4], digits: 4), parts[1], day, parts[3])
    default: return nil
    }
  }

  /// Returns the year with these last two digits that is at most 50 years in the future.
  private static func fullYear(_ digits: Int, now: Date) -> Int {
    // The mean length of a year in the Gregorian calendar.
    let present = 1970 + Int((now.timeIntervalSince1970 / (365.2425 * 86_400)).rounded(.down))
    let ahead = ((digits - present) % 100 + 100) % 100
    return present + (ahead > 50 ? ahead - 100 : ahead)
  }

  private static func date(_ year: Int?, _ month: Substring, _ day: Int?, _ clock: Substring) -> Date? {
    guard let year, let month = months.firstIndex(of: String(month)), let day else { return nil }
    let clock = clock.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2) }
    guard clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2], hour < 24, minute < 60,
      // 60 is a leap second.
      second <= 60, (1...days(in: month + 1, of: year)).contains(day)
    else { return nil }
    let seconds = daysSince1970(year, month + 1, day) * 86_400 + hour * 3600 + minute * 60 + second
    return Date(timeIntervalSince1970: Double(seconds))
  }

  private static func number(_ text: Substring, digits: Int) -> Int? {
    guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text)
  }

  private static func days(in month: Int, of year: Int) -> Int {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Returns the days since 1970 in the Gregorian calendar. Years begin in March here, so that the leap day is the last day.
  private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let years = month > 2 ? year : year - 1
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
  }
}
