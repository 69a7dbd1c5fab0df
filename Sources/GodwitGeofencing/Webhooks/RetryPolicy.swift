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
enum RetryPolicy {
  /// The pauses without chance.
  package static let backoff = ExponentialBackoff(first: 5, maximum: 6 * 3600)
  /// Seconds after which a letter that did not arrive is dead.
  package static let patience = 24 * 3600.0
  /// Attempts of a letter that is refused: some ten minutes, as long as it takes to put a mistake right at once.
  static let maximumRefusals = 8
  /// A pause is longer or shorter by up to this part of it, so that what failed together does not come again together.
  package static let jitter = 0.2

  package enum Decision: Sendable, Equatable {
    case delivered
    case again(at: Date)
    /// It stays until an administrator sends it once more or removes it.
    case dead
    /// And the webhook is to be turned off: its address said that it is gone for good.
    case gone
  }

  /// - Parameters:
  ///   - attempts: this one included, ≥ 1.
  ///   - written: when the letter was written, or last taken from the dead.
  ///   - random: 0 ..< 1.
  package static func verdict(
    on outcome: WebhookOutcome, attempts: Int, written: Date, now: Date, random: Double
  ) -> Decision {
    var wish = 0.0
    if case .answered(let status, let retryAfter) = outcome {
      switch status {
      case 200..<300: return .delivered
      case 410: return .gone
      // Asked to wait, or to send once more: no refusals.
      case 408, 425, 429: break
      case 300..<500: if attempts >= maximumRefusals { return .dead }
      default: break
      }
      wish = retryAfter ?? 0
    }
    let end = written.addingTimeInterval(patience)
    guard now < end else { return .dead }
    let pause = min(backoff.maximum, max(wish, backoff.pause(after: attempts) * (1 + jitter * (2 * random - 1))))
    return .again(at: min(end, now.addingTimeInterval(pause)))
  }
}
