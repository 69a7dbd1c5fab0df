/// Why there are no places: what was wrong, at which service, and what to do.
///
/// It is safe to log: keys, tokens and coordinates are taken out of what a service says before it gets in here.
public struct PlacesError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of fault it is.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A setting of the service cannot be: an empty key, an address that is none. Nothing was sent.
    case invalidSetup
    /// A radius or a limit that the service does not take. Nothing was sent.
    case invalidSearch
    /// The service did not answer at all.
    case unreachable
    /// The service does not accept the key or the token.
    case unauthorized
    /// Too many requests, or a quota is used up.
    case limitReached
    /// The service does not do this, also not after a retry.
    case rejected = "refused"
    /// The service could not do it this time.
    case failed
    /// The answer is not what the service's documentation promises.
    case unreadable
    /// Nothing is at this place that the service could name.
    case notFound
  }

  /// What kind of fault it is.
  public let code: Code
  /// "Google Places".
  public let service: String
  /// Host, and port where one was given; `nil` when nothing was sent.
  public let host: String?
  /// HTTP status of the answer; `nil` when there was none.
  public let status: Int?
  /// Seconds that the service asks to wait before the next request, 0…86,400; `nil` when it does not say.
  public let retryAfter: Double?
  /// What was wrong: a sentence without its full stop.
  public let reason: String
  /// What to do: a whole sentence.
  public let advice: String

  /// A later retry can succeed.
  public var isTemporary: Bool {
    switch code {
    case .unreachable, .limitReached, .failed: true
    case .invalidSetup, .invalidSearch, .unauthorized, .rejected, .unreadable, .notFound: false
    }
  }

  /// All of it in a line or two.
  public var description: String {
    let place = host.map { "\(service) at \($0)" } ?? service
    return "\(place): \(reason). \(advice)"
  }

  init(
    _ code: Code, service: String, host: String? = nil, status: Int? = nil, retryAfter: Double? = nil, reason: String,
    advice: String? = nil
  ) {
    self.code = code
    self.service = service
    self.host = host
    self.status = status
    self.retryAfter = retryAfter
    self.reason = reason
    self.advice = advice ?? code.advice(retryAfter: retryAfter)
  }
}

extension PlacesError.Code {
  /// What to do where nothing more is known.
  fileprivate func advice(retryAfter: Double?) -> String {
    switch self {
    case .invalidSetup: "Correct the setting."
    case .invalidSearch: "Reduce the radius or the number of requested places."
    case .unreachable: "Check the address and the network, and try again later."
    case .unauthorized: "Check the key or the token, and that its project may use this service."
    case .limitReached:
      retryAfter.map { "Try again in \(Int($0.rounded(.up))) s, and less often." } ?? "Try again later, and less often."
    case .rejected: "Check the address and the settings of the service against its documentation."
    case .failed: "Try again later."
    case .unreadable: "Check that the address belongs to this service and that the service still uses this protocol."
    case .notFound: "Try another position."
    }
  }
}
