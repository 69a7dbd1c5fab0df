internal import GodwitModel

internal import struct Foundation.Date

/// What holds for an endpoint just now.
struct SendingParameters: Sendable, Hashable {
  /// Seconds; `nil`: only manually.
  var interval: Double?
  var batchSize: Int
  /// Not on this network, or not on battery: nothing is sent, not even manually, until that changes.
  var isHeld = false
  /// Until when the day's bytes are used up.
  var heldUntil: Date?
}

/// When what waits goes to one endpoint: at an interval, when a batch is full, at once when asked; one upload
/// at a time; after failures more and more rarely.
struct Sending: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case phase
    case waiting
    case lastSuccess
    case problem
    case failures
    case consecutiveQuarantines = "setAsideInARow"
    case isEmptyHanded
    case isDraining
    case searchLimit
    case sizeLimit
    case begun
    case owed
    case fault
    case probesNext
    case youngUntil
    case since
  }

  enum Phase: Sendable, Hashable, Codable {
    case idle
    case uploading
    /// After a failure: not before this time, whatever happens, unless the user or the network says so.
    /// `seconds`: how long that was when it began. `endsWithNetwork`: it was the network's fault and nobody asked
    /// for the pause.
    case backingOff(until: Date, seconds: Double, endsWithNetwork: Bool)
  }

  /// What an endpoint's machine wants done.
  enum Step: Sendable, Hashable {
    case nothing
    case upload(limit: Int, isProbing: Bool = false)
    case wait(until: Date)
    case quarantined(reason: String)
  }

  /// Seconds after failures in a row.
  static let backoff = ExponentialBackoff(first: 1, maximum: 600)

  private(set) var phase = Phase.idle
  /// Records that the endpoint has not acknowledged.
  private(set) var waiting: Int
  private(set) var lastSuccess: Date?
  /// What went wrong last, as a sentence; `nil` after a success.
  private(set) var problem: String?
  private var failures = 0
  /// Records quarantined since the server last took one: a server that refuses everything is at fault, not they.
  private var consecutiveQuarantines = 0
  /// How many may follow one another without a pause.
  static let maximumConsecutiveQuarantines = 3
  /// No record that waits is in the upload that is on its way: none is to blame for what the server says to it.
  private var isEmptyHanded = false
  /// Send until nothing waits, not only full batches.
  private var isDraining = false
  /// Smaller than a batch while a record that the server refuses is being looked for.
  private var searchLimit: Int?
  /// What is known of the size of a batch that the server accepts.
  private struct SizeLimit: Sendable, Hashable, Codable {
    /// The largest size that was accepted.
    var working: Int?
    /// Full batches that were accepted since the limit was set.
    var accepted = 0
  }
  /// The server rejected a batch for its size: `searchLimit` is that of all batches, and grows slowly.
  private var sizeLimit: SizeLimit?
  /// Full batches of one size after which a larger one is tried.
  static let acceptedUntilRaised = 10
  /// Records of the present upload.
  private var begun: Int?
  /// Records that are due, and that smaller batches have not sent yet.
  private var owed: Int?
  /// A failure of the server that comes again and again, although it can be reached.
  private struct Fault: Sendable, Hashable, Codable {
    var status: Int
    var inARow = 1
  }
  private var fault: Fault?
  /// Equal failures after which a batch is halved, and a single record compared with the next one. A batch that is too large
  /// says so at once.
  static let faultsUntilHalved = 3
  private static let tooLarge = 413
  /// The next upload finds out whether the first record is to blame.
  private var probesNext = false
  /// Until when what waits is too young for the endpoint.
  private var youngUntil: Date?
  /// Since when something waits, or when the last attempt ended: what the interval counts from.
  private var since: Date?

  init(waiting: Int) { self.waiting = waiting }

  /// Records were appended, or are there at launch.
  /// - Parameters:
  ///   - count: how many.
  ///   - parameters: what holds for the endpoint.
  ///   - oldest: when the first of them was made; `nil`: now.
  ///   - now: the time.
  mutating func recorded(_ count: Int, _ parameters: SendingParameters, since oldest: Date? = nil, at now: Date) -> Step {
    waiting += count
    if since == nil { since = oldest ?? now }
    return next(parameters, at: now)
  }

  /// Everything is to go out: the user wants it, which ends a pause after a failure, or an occasion is good for it.
  mutating func drain(_ parameters: SendingParameters, byUser: Bool, at now: Date) -> Step {
    isDraining = true
    if byUser, case .backingOff = phase { phase = .idle }
    return next(parameters, at: now)
  }

  /// Attempts since the last success have failed, and none is on its way.
  var isFailing: Bool { failures > 0 && phase != .uploading }

  /// Some of what waited was removed.
  mutating func lost(_ count: Int) { waiting = max(0, waiting - count) }

  /// Everything that waited was deleted.
  mutating func purged() {
    waiting = 0
    since = nil
    (searchLimit, sizeLimit, owed) = (nil, nil, nil)
    youngUntil = nil
    isDraining = false
    // What is on its way is no record of the journal any more.
    isEmptyHanded = phase == .uploading
  }

  /// Ask although nothing may wait. - Returns: whether it can be done now.
  mutating func ask(_ parameters: SendingParameters, at now: Date) -> Bool {
    guard phase == .idle, !parameters.isHeld, (parameters.heldUntil ?? now) <= now else { return false }
    phase = .uploading
    begun = nil
    isEmptyHanded = waiting == 0
    return true
  }

  /// The network came back: a back-off that was the network's fault is over.
  mutating func networkReturned(_ parameters: SendingParameters, at now: Date) -> Step {
    guard case .backingOff(_, _, let endsWithNetwork) = phase else { return next(parameters, at: now) }
    guard endsWithNetwork else { return .nothing }
    phase = .idle
    isDraining = true
    return next(parameters, at: now)
  }

  mutating func timerFired(_ parameters: SendingParameters, at now: Date) -> Step {
    if case .backingOff(let until, let seconds, let endsWithNetwork) = phase {
      if until <= now {
        phase = .idle
        return resume(parameters, at: now)
      }
      // Too early by the clock, which may have been set back: wait for the rest, but never longer than at first.
      let again = min(until, now.addingTimeInterval(seconds))
      phase = .backingOff(until: again, seconds: seconds, endsWithNetwork: endsWithNetwork)
      return .wait(until: again)
    }
    return next(parameters, at: now)
  }

  mutating func finished(_ result: UploadResult, _ parameters: SendingParameters, at now: Date) -> Step {
    phase = .idle
    since = now
    let isEmptyHanded = isEmptyHanded
    self.isEmptyHanded = false
    switch result {
    case .accepted(let remaining, _):
      let isFull = begun.map { $0 == limit(parameters) } ?? false
      waiting = remaining
      failures = 0
      consecutiveQuarantines = 0
      (fault, probesNext) = (nil, false)
      problem = nil
      lastSuccess = now
      raiseLimit(isFull: isFull, parameters)
      // What was due when a larger batch failed is sent now, and not an interval later.
      owed = owed.flatMap { $0 > begun ?? 0 ? $0 - (begun ?? 0) : nil }
      if owed != nil { return resume(parameters, at: now) }
    case .notYet(let until):
      isDraining = false
      owed = nil
      problem = nil
      youngUntil = until
    case .nothingToSend:
      waiting = 0
      isDraining = false
      owed = nil
    case .failed(let reason, let retryAfter, let jitter):
      return backOff(reason, retryAfter, jitter, endsWithNetwork: retryAfter == nil, at: now)
    case .faulted(let reason, let status, let count, let jitter):
      if !isEmptyHanded { faulted(status, count) }
      return backOff(reason, nil, jitter, endsWithNetwork: true, at: now)
    case .unauthorized(let reason, let jitter):
      return backOff(reason, nil, jitter, endsWithNetwork: false, at: now)
    case .rejected(let reason, let count):
      problem = reason
      if isEmptyHanded { break }
      if count > 1 {
        searchLimit = count / 2
        return resume(parameters, at: now)
      }
      // Nothing is sent until it is known that the record has been quarantined.
      phase = .uploading
      return .quarantined(reason: reason)
    case .quarantined(let remaining, let jitter):
      waiting = remaining
      owed = owed.flatMap { $0 > 1 ? $0 - 1 : nil }
      searchLimit = searchLimit.map { $0 * 2 }
      consecutiveQuarantines += 1
      guard waiting > 0 else { break }
      if consecutiveQuarantines < Self.maximumConsecutiveQuarantines { return resume(parameters, at: now) }
      let reason = "\(consecutiveQuarantines) records in a row were refused: \(problem ?? "no reason given")"
      return backOff(reason, nil, jitter, endsWithNetwork: false, at: now)
    }
    return next(parameters, at: now)
  }

  /// When what waits is sent next, as things are; `nil`: nothing waits, it is being sent, or it is sent only manually.
  func nextSend(_ parameters: SendingParameters) -> Date? {
    guard waiting > 0, !parameters.isHeld else { return nil }
    switch phase {
    case .uploading: return nil
    case .backingOff(let until, _, _): return until
    case .idle:
      guard let interval = parameters.interval, let since else { return nil }
      return [since.addingTimeInterval(interval), youngUntil, parameters.heldUntil].compactMap(\.self).max()
    }
  }

  // MARK: Rules

  /// What is due now.
  private mutating func next(_ parameters: SendingParameters, at now: Date) -> Step {
    guard phase == .idle else { return .nothing }
    guard waiting > 0 else {
      isDraining = false
      (since, owed) = (nil, nil)
      return .nothing
    }
    if parameters.isHeld { return .nothing }
    if let until = parameters.heldUntil, until > now { return .wait(until: until) }
    if isDraining { return begin(parameters) }
    if let until = youngUntil, until > now { return .wait(until: until) }
    youngUntil = nil
    guard let interval = parameters.interval else { return .nothing }
    // A clock that was set back makes nobody wait longer than the interval.
    if let since, since > now { self.since = now }
    if waiting >= parameters.batchSize { return begin(parameters) }
    let due = (since ?? now).addingTimeInterval(interval)
    return due <= now ? begin(parameters) : .wait(until: due)
  }

  /// Goes on with what was begun, whatever the interval says, unless the terms forbid it by now.
  private mutating func resume(_ parameters: SendingParameters, at now: Date) -> Step {
    guard waiting > 0, !parameters.isHeld, (parameters.heldUntil ?? now) <= now else { return next(parameters, at: now) }
    return begin(parameters)
  }

  private mutating func begin(_ parameters: SendingParameters) -> Step {
    phase = .uploading
    let isProbing = probesNext
    probesNext = false
    let limit = limit(parameters)
    begun = min(waiting, limit)
    if owed == nil { owed = min(waiting, parameters.batchSize) }
    return .upload(limit: limit, isProbing: isProbing)
  }

  /// After a success: of a size that the server rejected the next one is tried in small steps. Otherwise a bad record is
  /// behind or further on: it is looked for with larger and larger steps again.
  private mutating func raiseLimit(isFull: Bool, _ parameters: SendingParameters) {
    guard var limit = searchLimit else { return }
    if sizeLimit == nil {
      limit *= 2
    } else if isFull {
      sizeLimit?.working = limit
      sizeLimit?.accepted += 1
      if let accepted = sizeLimit?.accepted, accepted >= Self.acceptedUntilRaised {
        limit += max(1, limit / 10)
        sizeLimit?.accepted = 0
      }
    }
    searchLimit = limit < parameters.batchSize ? limit : nil
    if searchLimit == nil { sizeLimit = nil }
  }

  /// One record may be what the server fails at: a smaller batch is another request, which need not wait as long.
  private mutating func faulted(_ status: Int, _ count: Int) {
    if fault?.status == status { fault?.inARow += 1 } else { fault = Fault(status: status) }
    guard let inARow = fault?.inARow, inARow >= Self.faultsUntilHalved || status == Self.tooLarge else { return }
    fault = nil
    if count > 1 {
      searchLimit = count / 2
      failures = 0
      guard status == Self.tooLarge else { return }
      let working = sizeLimit?.working.flatMap { $0 < count ? $0 : nil }
      searchLimit = working ?? count / 2
      sizeLimit = SizeLimit(working: working)
    } else {
      searchLimit = 1
      probesNext = true
    }
  }

  private func limit(_ parameters: SendingParameters) -> Int { max(1, min(searchLimit ?? .max, parameters.batchSize)) }

  /// Exponential, half of it random, so that devices that failed together do not come back together.
  private mutating func backOff(_ reason: String, _ retryAfter: Double?, _ jitter: Double, endsWithNetwork: Bool, at now: Date)
    -> Step
  {
    problem = reason
    failures += 1
    let maximum = Self.backoff.pause(after: failures)
    let seconds = max(maximum * (0.5 + 0.5 * jitter), retryAfter ?? 0)
    let until = now.addingTimeInterval(seconds)
    phase = .backingOff(until: until, seconds: seconds, endsWithNetwork: endsWithNetwork)
    return .wait(until: until)
  }
}
