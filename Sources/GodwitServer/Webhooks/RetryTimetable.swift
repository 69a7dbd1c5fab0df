internal import Foundation
internal import GodwitModel

/// What became of an attempt to send a letter.
enum WebhookOutcome: Sendable {
  /// - Parameter retryAfter: seconds, where the answer said so.
  case answered(status: Int, retryAfter: Double?)
  /// There was no answer. - Parameter sentence: why.
  case failed(String)
}

/// When a letter that did not arrive is tried again, and when it is given up. Pure.
enum RetryTimetable {
  /// Seconds before the second attempt; each further pause is twice as long.
  static let firstPause = 5.0
  /// Seconds of the longest pause.
  static let longestPause = 6 * 3600.0
  /// Seconds after which a letter that did not arrive is dead.
  static let patience = 24 * 3600.0
  /// Attempts of a letter that is refused: some ten minutes, as long as it takes to put a mistake right at once.
  static let mostRefusals = 8
  /// A pause is longer or shorter by up to this part of it, so that what failed together does not come again together.
  static let jitter = 0.2

  enum Verdict: Sendable, Equatable {
    case delivered
    case again(at: Date)
    /// It stays until somebody wants it sent once more, or no longer.
    case dead
    /// And the webhook is to be turned off: its address said that it is gone for good.
    case gone
  }

  /// - Parameters:
  ///   - attempts: this one included, ≥ 1.
  ///   - written: when the letter was written, or last taken from the dead.
  ///   - chance: 0 ..< 1.
  static func verdict(
    on outcome: WebhookOutcome, attempts: Int, written: Date, now: Date, chance: Double
  ) -> Verdict {
    var wish = 0.0
    if case .answered(let status, let retryAfter) = outcome {
      switch status {
      case 200..<300: return .delivered
      case 410: return .gone
      // Asked to wait, or to send once more: no refusals.
      case 408, 425, 429: break
      case 300..<500: if attempts >= mostRefusals { return .dead }
      default: break
      }
      wish = retryAfter ?? 0
    }
    let end = written.addingTimeInterval(patience)
    guard now < end else { return .dead }
    let pause = min(longestPause, max(wish, pause(after: attempts) * (1 + jitter * (2 * chance - 1))))
    return .again(at: min(end, now.addingTimeInterval(pause)))
  }

  /// Seconds after so many attempts, without chance.
  static func pause(after attempts: Int) -> Double {
    min(longestPause, firstPause * Double(1 << min(20, max(0, attempts - 1))))
  }

  /// The header `Retry-After`: seconds, or a date such as "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 10.2.3).
  /// - Returns: seconds from `now`, 0 to a day; `nil` when it is neither.
  static func seconds(retryAfter text: String, now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    guard let seconds = Double(text) ?? date(text)?.timeIntervalSince(now), seconds.isFinite else { return nil }
    return min(max(0, seconds), 86_400)
  }

  private static func date(_ text: String) -> Date? {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
    return RFC3339.date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }
}
