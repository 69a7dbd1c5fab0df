internal import GodwitModel

internal import struct Foundation.Date

/// The present conditions for sending to one endpoint.
struct SendingParameters: Sendable, Hashable {
  /// Seconds between two uploads; `nil`: only on request.
  var interval: Double?
  var batchSize: Int
  /// Whether records are held, because of the network or the power supply. Nothing is sent until that changes, not even on request.
  var isHeld = false
  /// The time until which the daily bytes are used up; `nil`: they are not.
  var heldUntil: Date?
}

/// Decides when waiting records are sent to one endpoint: at an interval, when a batch is full, or at once on request. There is
/// one upload at a time, and failures are followed by a back-off.
struct Sending: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case phase
    case waiting
    case lastSuccess
    case problem
    case failures
    case consecutiveQuarantines = "setAsideInARow"
    case uploadHasNoRecords = "isEmptyHanded"
    case isDraining
    case searchLimit
    case sizeLimit
    case begun
    case dueCount = "owed"
    case fault
    case probesNext
    case delayedUntil = "youngUntil"
    case since
  }

  enum Phase: Sendable, Hashable, Codable {
    case idle
    case uploading
    /// A pause after a failure. Nothing is sent before `until`, unless the user requests it or the network returns. `seconds`:
    /// the length of the pause when it began. `endsWithNetwork`: the network caused the failure, and the server did not request
    /// the pause.
    case backingOff(until: Date, seconds: Double, endsWithNetwork: Bool)
  }

  /// The action that the state machine requests.
  enum Step: Sendable, Hashable {
    case nothing
    case upload(limit: Int, isProbing: Bool = false)
    case wait(until: Date)
    case quarantined(reason: String)
  }

  /// The pauses, in seconds, after successive failures.
  static let backoff = ExponentialBackoff(first: 1, maximum: 600)

  private(set) var phase = Phase.idle
  /// Records that the endpoint has not acknowledged.
  private(set) var waiting: Int
  private(set) var lastSuccess: Date?
  /// The last problem, as a sentence; `nil` after a success.
  private(set) var problem: String?
  private var failures = 0
  /// The number of records that were quarantined since the server last accepted one. If a server rejects every record, the cause
  /// is the server and not the records.
  private var consecutiveQuarantines = 0
  /// Maximum successive quarantines without a pause.
  static let maximumConsecutiveQuarantines = 3
  /// Whether the current upload contains no waiting record. A rejection of the upload then concerns no record.
  private var uploadHasNoRecords = false
  /// Whether uploads continue until no record waits, and not only while batches are full.
  private var isDraining = false
  /// The maximum batch size while a record that the server rejects is being searched for; `nil`: the batch size of the conditions.
  private var searchLimit: Int?
  /// The search for the largest batch that the server accepts.
  private struct SizeLimit: Sendable, Hashable, Codable {
    /// The largest batch size that was accepted; `nil`: unknown.
    var working: Int?
    /// The number of full batches that were accepted since the limit was set.
    var accepted = 0
  }
  /// Set if the server rejected a batch because of its size. `searchLimit` then applies to all batches and grows slowly.
  private var sizeLimit: SizeLimit?
  /// The number of full batches of one size after which a larger one is tried.
  static let acceptedUntilRaised = 10
  /// The number of records in the current upload.
  private var begun: Int?
  /// The number of records that are due and that smaller batches have not sent yet.
  private var dueCount: Int?
  /// A failure of the server that repeats, although the server can be reached.
  private struct Fault: Sendable, Hashable, Codable {
    var status: Int
    var inARow = 1
  }
  private var fault: Fault?
  /// The number of equal failures after which a batch is halved, and a single record is compared with the next one. For a batch
  /// that is too large, one failure is sufficient.
  static let faultsUntilHalved = 3
  private static let tooLarge = 413
  /// Whether the next upload determines if the first record causes the failure.
  private var probesNext = false
  /// The time until which the waiting records are too new for the endpoint.
  private var delayedUntil: Date?
  /// The time from which the interval counts: the time of the first waiting record, or of the end of the last attempt.
  private var since: Date?

  init(waiting: Int) { self.waiting = waiting }

  /// Handles records that were appended, or that waited at the launch.
  /// - Parameters:
  ///   - count: the number of records.
  ///   - parameters: the conditions of the endpoint.
  ///   - oldest: the time of the oldest record; `nil`: now.
  ///   - now: the time.
  mutating func recorded(_ count: Int, _ parameters: SendingParameters, since oldest: Date? = nil, at now: Date) -> Step {
    waiting += count
    if since == nil { since = oldest ?? now }
    return next(parameters, at: now)
  }

  /// Sends all waiting records. A request of the user (`byUser`) also ends a pause after a failure.
  mutating func drain(_ parameters: SendingParameters, byUser: Bool, at now: Date) -> Step {
    isDraining = true
    if byUser, case .backingOff = phase { phase = .idle }
    return next(parameters, at: now)
  }

  /// Whether the attempts since the last success have failed, and no upload is in flight.
  var isFailing: Bool { failures > 0 && phase != .uploading }

  /// Handles the removal of some of the waiting records.
  mutating func lost(_ count: Int) { waiting = max(0, waiting - count) }

  /// Handles the deletion of all waiting records.
  mutating func purged() {
    waiting = 0
    since = nil
    (searchLimit, sizeLimit, dueCount) = (nil, nil, nil)
    delayedUntil = nil
    isDraining = false
    // The upload in flight contains no record of the journal any more.
    uploadHasNoRecords = phase == .uploading
  }

  /// Starts a request even if no record waits. - Returns: whether it can be sent now.
  mutating func ask(_ parameters: SendingParameters, at now: Date) -> Bool {
    guard phase == .idle, !parameters.isHeld, (parameters.heldUntil ?? now) <= now else { return false }
    phase = .uploading
    begun = nil
    uploadHasNoRecords = waiting == 0
    return true
  }

  /// Handles the return of the network: a pause that the network caused ends.
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
      // The clock may have been set back. The timer is set for the remaining time, but never for more than the full pause.
      let again = min(until, now.addingTimeInterval(seconds))
      phase = .backingOff(until: again, seconds: seconds, endsWithNetwork: endsWithNetwork)
      return .wait(until: again)
    }
    // The clock may have been set back. The next upload determines again whether the records are old enough.
    delayedUntil = nil
    return next(parameters, at: now)
  }

  mutating func finished(_ result: UploadResult, _ parameters: SendingParameters, at now: Date) -> Step {
    phase = .idle
    since = now
    let uploadHasNoRecords = uploadHasNoRecords
    self.uploadHasNoRecords = false
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
      // Records that were due when a larger batch failed are sent now, and not an interval later.
      dueCount = dueCount.flatMap { $0 > begun ?? 0 ? $0 - (begun ?? 0) : nil }
      if dueCount != nil { return resume(parameters, at: now) }
    case .notYet(let until):
      isDraining = false
      dueCount = nil
      problem = nil
      delayedUntil = until
    case .nothingToSend:
      waiting = 0
      isDraining = false
      dueCount = nil
    case .failed(let reason, let retryAfter, let jitter):
      return backOff(reason, retryAfter, jitter, endsWithNetwork: retryAfter == nil, at: now)
    case .faulted(let reason, let status, let count, let jitter):
      if !uploadHasNoRecords { faulted(status, count) }
      return backOff(reason, nil, jitter, endsWithNetwork: true, at: now)
    case .unauthorized(let reason, let jitter):
      return backOff(reason, nil, jitter, endsWithNetwork: false, at: now)
    case .rejected(let reason, let count):
      problem = reason
      if uploadHasNoRecords { break }
      if count > 1 {
        searchLimit = count / 2
        return resume(parameters, at: now)
      }
      // Nothing is sent until the result of the quarantine is known.
      phase = .uploading
      return .quarantined(reason: reason)
    case .quarantined(let remaining, let jitter):
      waiting = remaining
      dueCount = dueCount.flatMap { $0 > 1 ? $0 - 1 : nil }
      searchLimit = searchLimit.map { $0 * 2 }
      consecutiveQuarantines += 1
      guard waiting > 0 else { break }
      if consecutiveQuarantines < Self.maximumConsecutiveQuarantines { return resume(parameters, at: now) }
      let reason = "\(consecutiveQuarantines) records in a row were refused: \(problem ?? "no reason given")"
      return backOff(reason, nil, jitter, endsWithNetwork: false, at: now)
    }
    return next(parameters, at: now)
  }

  /// The time of the next upload under the present conditions; `nil`: no record waits, an upload is in flight, or records are
  /// sent only on request.
  func nextSend(_ parameters: SendingParameters) -> Date? {
    guard waiting > 0, !parameters.isHeld else { return nil }
    switch phase {
    case .uploading: return nil
    case .backingOff(let until, _, _): return until
    case .idle:
      guard let interval = parameters.interval, let since else { return nil }
      return [since.addingTimeInterval(interval), delayedUntil, parameters.heldUntil].compactMap(\.self).max()
    }
  }

  // MARK: Rules

  /// Returns the action that is due now.
  private mutating func next(_ parameters: SendingParameters, at now: Date) -> Step {
    guard phase == .idle else { return .nothing }
    guard waiting > 0 else {
      isDraining = false
      (since, dueCount) = (nil, nil)
      return .nothing
    }
    if parameters.isHeld { return .nothing }
    if let until = parameters.heldUntil, until > now { return .wait(until: until) }
    if isDraining { return begin(parameters) }
    if let until = delayedUntil, until > now { return .wait(until: until) }
    delayedUntil = nil
    guard let interval = parameters.interval else { return .nothing }
    // A clock that was set back does not extend the wait beyond the interval.
    if let since, since > now { self.since = now }
    if waiting >= parameters.batchSize { return begin(parameters) }
    let due = (since ?? now).addingTimeInterval(interval)
    return due <= now ? begin(parameters) : .wait(until: due)
  }

  /// Continues an interrupted series of uploads, independent of the interval, unless the conditions now forbid it.
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
    if dueCount == nil { dueCount = min(waiting, parameters.batchSize) }
    return .upload(limit: limit, isProbing: isProbing)
  }

  /// Raises the search limit after a success. After a rejection of the size, the next size is tried in small steps. Otherwise the
  /// rejected record is already quarantined or further on, and the limit doubles.
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

  /// Handles a failure of the server that a single record may cause. A smaller batch is a different request and needs no long pause.
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

  /// Starts an exponential back-off. Half of the pause is random, so that devices that failed together do not retry together.
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
