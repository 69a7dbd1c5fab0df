/// An error of a lookup: the cause, the service and what to do.
///
/// The error can be logged: keys, tokens and coordinates are removed from the service's messages.
public struct PlacesError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Kind of the error.
  public enum Code: String, Sendable, Hashable, CaseIterable {
    /// A setting of the service is invalid, for example an empty key or an invalid address. No request was sent.
    case invalidSetup
    /// The service does not accept the radius or limit. No request was sent.
    case invalidSearch
    /// The service did not respond.
    case unreachable
    /// The service rejects the key or token.
    case unauthorized
    /// There were too many requests, or a quota is exhausted.
    case limitReached
    /// The service rejects the request. A retry does not help.
    case rejected = "refused"
    /// The service failed. A later attempt can succeed.
    case failed
    /// The response does not match the service's documentation.
    case unreadable
    /// The service has no result for this position.
    case notFound
  }

  /// Kind of the error.
  public let code: Code
  /// Name of the service, for example "Google Places".
  public let service: String
  /// Host, with a port if one was given; `nil` if no request was sent.
  public let host: String?
  /// HTTP status of the response; `nil` without a response.
  public let status: Int?
  /// Seconds until the next request is permitted, 0…86,400; `nil` if the service does not specify it.
  public let retryAfter: Double?
  /// The cause, as a sentence without its full stop.
  public let reason: String
  /// What to do, as a complete sentence.
  public let advice: String

  /// Whether a later attempt can succeed.
  public var isTemporary: Bool {
    switch code {
    case .unreachable, .limitReached, .failed: true
    case .invalidSetup, .invalidSearch, .unauthorized, .rejected, .unreadable, .notFound: false
    }
  }

  /// The whole error in one or two lines.
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
  /// Returns the general advice for this kind of error.
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
