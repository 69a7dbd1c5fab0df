internal import Foundation
internal import GodwitAccounts
public import GodwitHTTP
internal import GodwitModel
package import GodwitServices
internal import GodwitStore

/// The rate limits of a server. Requests from the server's machine that do not come through a proxy are not counted.
public struct RateLimits: Sendable, Hashable {
  /// The limit of a device's uploads. The response contains the time for a retry, so that no data is lost.
  public var uploads = RateLimit(perMinute: 6000)
  /// The limit of a user, or of a program with a token.
  public var requests = RateLimit(perMinute: 1200)
  /// The limit of a client network without credentials: pages, links, attempts to sign in.
  public var anonymous = RateLimit(perMinute: 600)

  public init() {}
}

/// The limits of concurrent use per client.
public struct ShareLimits: Sendable, Hashable {
  /// Maximum connections of one client network: an IPv4 address or an IPv6 /64. 0: no limit.
  public var connections = 256
  /// Maximum concurrent requests of one device, user or token. The limit exceeds that of connections, so that a single
  /// network with a stolen token cannot block the device. 0: no limit.
  public var requests = 1024
  /// Maximum event streams of one client network; a user or token may have four times as many. 0: no limit.
  public var streams = 64

  public init() {}
}

/// Enforces the limits of clients: counts requests over time, and concurrent requests.
package final class ServerLimits: Sendable {
  private let rates: RateLimits
  private let maximum: ShareLimits
  private let clock: ServerClock
  package let limiter = RateLimiter()
  private let shares = RequestShares()

  package init(_ rates: RateLimits, _ shares: ShareLimits, clock: ServerClock) {
    self.rates = rates
    self.clock = clock
    maximum = shares
  }

  /// Counts an admitted request.
  /// - Throws: `Problem` with status 429 if the limit is exceeded. Devices repeat the upload later.
  package func count(_ request: HTTPRequest) throws(Problem) {
    guard !request.isFromThisMachine else { return }
    let decision: RateLimiter.Decision?
    let now = clock.now
    if let device = request.device {
      decision = limiter.take(.device(device.id), rates.uploads, policy: "uploads", at: now)
    } else {
      switch request.principal.identity {
      case .administrator: decision = limiter.take(.administrator, rates.requests, policy: "requests", at: now)
      case .user(let user, _), .proxied(let user):
        decision = limiter.take(.user(user.id), rates.requests, policy: "requests", at: now)
      case .token(let token, _): decision = limiter.take(.token(token.id), rates.requests, policy: "requests", at: now)
      case .anonymous:
        decision = limiter.take(.network(ClientNetwork(request.clientAddress)), rates.anonymous, policy: "anonymous", at: now)
      }
    }
    guard let decision else { return }
    request.moreHeaders += decision.headers
    guard let wait = decision.wait else { return }
    throw Problem(
      429, "Too many requests",
      "\(decision.quota) requests a minute are accepted. Try again in \(wait.counted("second")); then send the request again.",
      retryAfter: wait)
  }

  /// Counts a request among the concurrent requests of its client.
  /// - Throws: `Problem` with status 429 if the limit is exceeded. Devices repeat the upload later.
  package func share(_ request: HTTPRequest) throws(Problem) {
    guard let subject = request.rateSubject else { return }
    let limit = maximum.requests
    guard let share = shares.enter(.requests(subject), limit: limit) else {
      throw Problem(
        429, "Too many requests at once",
        "\(limit) requests of one device, user or token are answered at the same time. Send this one again in a moment.",
        retryAfter: 1)
    }
    request.shares.append(share)
  }

  /// Counts an event stream.
  /// - Throws: `Problem` with status 429 if the client has too many.
  package func shareStream(_ request: HTTPRequest) throws(Problem) {
    let limit = maximum.streams
    let network = RequestShares.Subject.networkStreams(ClientNetwork(request.clientAddress))
    for subject in [network] + [request.rateSubject.map { .streams($0) }].compactMap(\.self) {
      // A user may have streams from several networks at the same time.
      let largest = if case .networkStreams = subject { limit } else { limit * 4 }
      guard let share = shares.enter(subject, limit: largest) else {
        throw Problem(
          429, "Too many event streams", "\(largest) event streams of one client are open already. Close one of them.",
          retryAfter: 30)
      }
      request.shares.append(share)
    }
  }
}

extension HTTPRequest {
  /// The subject for which a request is counted; `nil`: the request is not authenticated.
  fileprivate var rateSubject: RateLimiter.Subject? {
    if let device { return .device(device.id) }
    return switch principal.identity {
    case .administrator: .administrator
    case .user(let user, _), .proxied(let user): .user(user.id)
    case .token(let token, _): .token(token.id)
    case .anonymous: nil
    }
  }
}
