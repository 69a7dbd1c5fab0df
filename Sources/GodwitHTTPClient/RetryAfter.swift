package import Foundation

/// The header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
package enum RetryAfter {
  /// Maximum seconds, independent of the header.
  private static let maximum = 86_400.0

  /// - Returns: seconds from `now`, 0 to a day; `nil` when it is neither.
  package static func seconds(_ text: String, now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    guard let seconds = Double(text) ?? HTTPDate.date(text)?.timeIntervalSince(now), seconds.isFinite else { return nil }
    return min(max(0, seconds), maximum)
  }
}

extension HTTPClient.Response {
  /// Seconds that the server asks to wait, from `now`; `nil`: it does not ask.
  package func retryAfter(now: Date) -> Double? { headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now) } }
}
