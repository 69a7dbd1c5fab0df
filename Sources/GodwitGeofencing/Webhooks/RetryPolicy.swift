internal import Foundation
internal import GodwitModel

/// The result of an attempt.
enum WebhookOutcome: Sendable {
  /// - Parameter retryAfter: seconds of the answer's `Retry-After`, if present.
  case answered(status: Int, retryAfter: Double?)
  /// There was no answer. - Parameter sentence: the reason.
  case failed(String)
}

/// Decides when a failed attempt is repeated, and when a delivery fails. Pure.
enum RetryPolicy {
  /// The pauses without jitter.
  package static let backoff = ExponentialBackoff(first: 5, maximum: 6 * 3600)
  /// Seconds after which an undelivered delivery fails.
  package static let timeout = 24 * 3600.0
  /// Maximum attempts of a rejected delivery: about ten minutes, enough to correct a mistake at once.
  static let maximumRejections = 8
  /// The maximum relative deviation of a pause, so that failed deliveries do not retry together.
  package static let jitter = 0.2

  package enum Decision: Sendable, Equatable {
    case delivered
    case again(at: Date)
    /// The delivery failed. It stays until an administrator retries or removes it.
    case dead
    /// The delivery failed, and the webhook is turned off, because its URL is permanently gone.
    case gone
  }

  /// Whether a request with several deliveries was rejected because of one of them, or of its size: then each half is sent
  /// alone.
  package static func isDivided(on outcome: WebhookOutcome) -> Bool {
    guard case .answered(let status, _) = outcome else { return false }
    // The others concern the address or the rate, not the deliveries.
    return (400..<500).contains(status) && ![401, 403, 404, 405, 408, 410, 425, 429].contains(status)
  }

  /// - Parameters:
  ///   - attempts: including this one, ≥ 1.
  ///   - written: when the delivery was written, or last retried manually.
  ///   - random: 0 ..< 1.
  package static func decision(
    on outcome: WebhookOutcome, attempts: Int, written: Date, now: Date, random: Double
  ) -> Decision {
    var requested = 0.0
    if case .answered(let status, let retryAfter) = outcome {
      switch status {
      case 200..<300: return .delivered
      case 410: return .gone
      // These ask for a later attempt; they are not rejections.
      case 408, 425, 429: break
      case 300..<500: if attempts >= maximumRejections { return .dead }
      default: break
      }
      requested = retryAfter ?? 0
    }
    let end = written.addingTimeInterval(timeout)
    guard now < end else { return .dead }
    let pause = min(backoff.maximum, max(requested, backoff.pause(after: attempts) * (1 + jitter * (2 * random - 1))))
    return .again(at: min(end, now.addingTimeInterval(pause)))
  }
}
