internal import Synchronization

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

/// Counts what is going on at the same time, for each client.
final class RequestShares: Sendable {
  enum Subject: Hashable, Sendable {
    case requests(RateLimiter.Subject)
    case streams(RateLimiter.Subject)
    case networkStreams(ClientNetwork)
  }

  /// A part of a limit, until it is released.
  final class Share: Sendable {
    private let shares: RequestShares
    private let subject: Subject

    fileprivate init(_ shares: RequestShares, _ subject: Subject) { (self.shares, self.subject) = (shares, subject) }

    deinit { shares.leave(subject) }
  }

  private let counts = Mutex<[Subject: Int]>([:])

  /// Takes a part of a limit.
  /// - Parameters:
  ///   - subject: what is limited.
  ///   - limit: how many of it there may be; 0: any number.
  /// - Returns: `nil` where there are as many already.
  func enter(_ subject: Subject, limit: Int) -> Share? {
    let isTaken = counts.withLock { counts in
      let count = counts[subject] ?? 0
      guard limit <= 0 || count < limit else { return false }
      counts[subject] = count + 1
      return true
    }
    return isTaken ? Share(self, subject) : nil
  }

  private func leave(_ subject: Subject) {
    counts.withLock { counts in
      guard let count = counts[subject] else { return }
      counts[subject] = count > 1 ? count - 1 : nil
    }
  }

  /// Subjects that have something.
  var count: Int { counts.withLock { $0.count } }
}

extension Server {
  /// Counts a request among those of its client that are being answered.
  /// - Throws: ``Problem`` with a status of 429 where there are too many. What a device wanted to send it sends again.
  func share(_ exchange: Exchange) throws(Problem) {
    guard let subject = exchange.rateSubject else { return }
    let limit = configuration.shares.requests
    guard let share = shares.enter(.requests(subject), limit: limit) else {
      throw Problem(
        429, "Too many requests at once",
        "\(limit) requests of one device, user or token are answered at the same time. Send this one again in a moment.",
        retryAfter: 1)
    }
    exchange.shares.append(share)
  }

  /// Counts an event stream.
  /// - Throws: ``Problem`` with a status of 429 where its client has too many.
  func shareStream(_ exchange: Exchange) throws(Problem) {
    let limit = configuration.shares.streams
    let network = RequestShares.Subject.networkStreams(ClientNetwork(exchange.clientAddress))
    for subject in [network] + [exchange.rateSubject.map { .streams($0) }].compactMap(\.self) {
      // One person is at home, at work and on the way.
      let most = if case .networkStreams = subject { limit } else { limit * 4 }
      guard let share = shares.enter(subject, limit: most) else {
        throw Problem(
          429, "Too many event streams", "\(most) event streams of one client are open already. Close one of them.",
          retryAfter: 30)
      }
      exchange.shares.append(share)
    }
  }
}

extension Exchange {
  /// Who is counted; `nil`: nothing proves who it is.
  fileprivate var rateSubject: RateLimiter.Subject? {
    if let device { return .device(device.id) }
    return switch reader.identity {
    case .owner: .owner
    case .user(let user, _), .proxied(let user): .user(user.id)
    case .token(let token, _): .token(token.id)
    case .nobody: nil
    }
  }
}
