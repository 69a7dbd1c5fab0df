internal import Foundation
internal import GodwitAccounts
public import GodwitHTTP
package import GodwitServices
internal import GodwitStore

/// The limits of a server. Requests of the server's own machine, that come through no proxy, are not counted.
public struct RateLimits: Sendable, Hashable {
  /// What a device sends. The response states when to retry, and nothing is lost.
  public var uploads = RateLimit(perMinute: 6000)
  /// The limit of a user, or of a program with a token.
  public var requests = RateLimit(perMinute: 1200)
  /// The limit of an address without credentials: pages, links, attempts to sign in.
  public var anonymous = RateLimit(perMinute: 600)

  public init() {}
}

/// What each client has of the server at the same time.
public struct ShareLimits: Sendable, Hashable {
  /// Connections of one client network: an IPv4 address or an IPv6 /64. 0: no limit.
  public var connections = 256
  /// Requests of one device, user or token that are being answered: more than one network can have, so that a token in wrong hands does
  /// not keep its device out. 0: no limit.
  public var requests = 1024
  /// Event streams of one client network, and of one user or token. 0: no limit.
  public var streams = 64

  public init() {}
}

/// How much of the server its clients may have: counts requests over time, and those that are being answered.
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

  /// Counts a request that was let in.
  /// - Throws: `Problem` with a status of 429 where it is one too many. What a device wanted to send it sends again.
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
      "\(decision.quota) requests a minute are accepted. Try again in \(wait) second\(wait == 1 ? "" : "s"); then send the request again.",
      retryAfter: wait)
  }

  /// Counts a request among those of its client that are being answered.
  /// - Throws: `Problem` with a status of 429 where there are too many. What a device wanted to send it sends again.
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
  /// - Throws: `Problem` with a status of 429 where its client has too many.
  package func shareStream(_ request: HTTPRequest) throws(Problem) {
    let limit = maximum.streams
    let network = RequestShares.Subject.networkStreams(ClientNetwork(request.clientAddress))
    for subject in [network] + [request.rateSubject.map { .streams($0) }].compactMap(\.self) {
      // One person is at home, at work and on the way.
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
  /// The subject that requests are counted for; `nil`: the request is not authenticated.
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
