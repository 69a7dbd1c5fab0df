package import Foundation

/// The header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
package enum RetryAfter {
  /// Maximum seconds, whatever the header contains.
  private static let maximum = 86_400.0

  /// Reads a value of the header. - Returns: seconds from `now`, 0 to a day; `nil`: the value is neither a number nor a date.
  package static func seconds(_ text: String, now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let date = HTTPDate.date(text, now: now)
    guard let seconds = Double(text) ?? date?.timeIntervalSince(now), seconds.isFinite else { return nil }
    return min(max(0, seconds), maximum)
  }
}

extension HTTPClient.Response {
  /// The seconds that the server requests to wait; `nil`: the response has no such header. A date counts from the date of the
  /// response, because the clock of this machine may be wrong by months; without that date from `now`.
  package func retryAfter(now: Date) -> Double? {
    let sent = headers["date"].flatMap { HTTPDate.date($0, now: now) }
    return headers["retry-after"].flatMap { RetryAfter.seconds($0, now: sent ?? now) }
  }
}
