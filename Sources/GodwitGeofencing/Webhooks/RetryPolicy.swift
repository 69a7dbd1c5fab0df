internal import Foundation
internal import GodwitModel

/// The result of an attempt to send a request.
enum WebhookOutcome: Sendable {
  /// - Parameter retryAfter: seconds of the response's `Retry-After` header, if present.
  case answered(status: Int, retryAfter: Double?)
  /// No response was received. The value is the reason.
  case failed(String)
}

/// Decides when a failed attempt is repeated, and when a delivery fails. A pure function.
enum RetryPolicy {
  /// The pauses without jitter.
  package static let backoff = ExponentialBackoff(first: 5, maximum: 6 * 3600)
  /// Seconds after which a delivery that was not acknowledged fails.
  package static let timeout = 24 * 3600.0
  /// Seconds after the start of the server in which no delivery fails because of its age. The network may not be available at
  /// the start, and the clock of a machine without a battery jumps to the true time.
  package static let grace = 3600.0
  /// Maximum attempts of a rejected delivery. They take about ten minutes, so that an operator can correct a mistake
  /// immediately.
  static let maximumRejections = 8
  /// The maximum relative deviation of a pause, so that failed deliveries do not retry together.
  package static let jitter = 0.2

  package enum Decision: Sendable, Equatable {
    case delivered
    case again(at: Date)
    /// The delivery failed. It is stored until an administrator retries or discards it.
    case dead
    /// The delivery failed, and the webhook is turned off, because its URL is permanently gone.
    case gone
  }

  /// Whether a request with several deliveries was rejected because of one of the deliveries, or because of its size. In
  /// this case the deliveries are sent again in smaller requests.
  package static func isDivided(on outcome: WebhookOutcome) -> Bool {
    guard case .answered(let status, _) = outcome else { return false }
    // The excluded statuses concern the URL, the credentials or the rate, not the deliveries.
    return (400..<500).contains(status) && ![401, 403, 404, 405, 408, 410, 425, 429].contains(status)
  }

  /// - Parameters:
  ///   - outcome: the result of the attempt.
  ///   - attempts: the number of attempts including this one, ≥ 1.
  ///   - written: the time at which the delivery was written, or last retried manually.
  ///   - running: seconds since the start of the server, ≥ 0.
  ///   - random: 0 ..< 1.
  package static func decision(
    on outcome: WebhookOutcome, attempts: Int, written: Date, now: Date, running: TimeInterval, random: Double
  ) -> Decision {
    var requested = 0.0
    if case .answered(let status, let retryAfter) = outcome {
      switch status {
      case 200..<300: return .delivered
      case 410: return .gone
      // These statuses request a later attempt. They are not rejections.
      case 408, 425, 429: break
      case 300..<500: if attempts >= maximumRejections { return .dead }
      default: break
      }
      requested = retryAfter ?? 0
    }
    let end = max(written.addingTimeInterval(timeout), now.addingTimeInterval(grace - running))
    guard now < end else { return .dead }
    let pause = min(backoff.maximum, max(requested, backoff.pause(after: attempts) * (1 + jitter * (2 * random - 1))))
    return .again(at: min(end, now.addingTimeInterval(pause)))
  }
}
