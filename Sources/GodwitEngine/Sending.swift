internal import Foundation
internal import GodwitModel

/// When what waits goes to one endpoint: at an interval, when a batch is full, at once when asked; one upload
/// at a time; after failures more and more rarely.
struct Sending: Sendable, Hashable {
  enum Phase: Sendable, Hashable {
    case idle
    case uploading
    /// After a failure: not before this time, whatever happens, unless the owner or the network says so.
    case backingOff(until: Date)
  }

  /// What an endpoint's machine wants done.
  enum Step: Sendable, Hashable {
    case nothing
    case upload(limit: Int)
    case wait(until: Date)
    case setAside(reason: String, thenUpload: Int?)
  }

  /// Seconds of the first back-off; each failure doubles it.
  static let firstBackOff = 1.0
  /// Seconds of the longest.
  static let longestBackOff = 600.0

  private(set) var phase = Phase.idle
  /// Records that the endpoint has not acknowledged.
  private(set) var waiting: Int
  private(set) var lastSuccess: Date?
  /// What went wrong last, as a sentence; `nil` after a success.
  private(set) var problem: String?
  private var failures = 0
  /// Send until nothing waits, not only full batches.
  private var isDraining = false
  /// Smaller than a batch while a record that the server refuses is being looked for.
  private var searchLimit: Int?
  /// Since when something waits, or when the last attempt ended: what the interval counts from.
  private var since: Date?

  init(waiting: Int) { self.waiting = waiting }

  /// Records were appended (or are there at launch).
  mutating func recorded(_ count: Int, _ settings: Settings, at now: Date) -> Step {
    waiting += count
    if since == nil { since = now }
    return next(settings, at: now)
  }

  /// The owner, or the end of tracking, wants everything out.
  mutating func drain(_ settings: Settings, at now: Date) -> Step {
    isDraining = true
    if case .backingOff = phase { phase = .idle }
    return next(settings, at: now)
  }

  /// The network came back: a back-off that was the network's fault is over.
  mutating func networkReturned(_ settings: Settings, at now: Date) -> Step {
    guard case .backingOff = phase else { return next(settings, at: now) }
    phase = .idle
    isDraining = true
    return next(settings, at: now)
  }

  mutating func timerFired(_ settings: Settings, at now: Date) -> Step {
    if case .backingOff(let until) = phase, until <= now {
      phase = .idle
      return waiting > 0 ? begin(settings) : .nothing
    }
    return next(settings, at: now)
  }

  mutating func finished(_ result: UploadResult, _ settings: Settings, at now: Date) -> Step {
    phase = .idle
    since = now
    switch result {
    case .accepted(let remaining):
      waiting = remaining
      failures = 0
      problem = nil
      lastSuccess = now
      // A bad record is behind us or further on: look for it with larger and larger steps again.
      searchLimit = searchLimit.flatMap { $0 * 2 >= settings.main.batchSize ? nil : $0 * 2 }
    case .nothingToSend:
      waiting = 0
      isDraining = false
    case .failed(let reason, let retryAfter, let jitter):
      return backOff(reason, retryAfter, jitter, at: now)
    case .unauthorized(let reason, let jitter):
      return backOff(reason, nil, jitter, at: now)
    case .refused(let reason, let count):
      problem = reason
      if count > 1 {
        searchLimit = count / 2
        return begin(settings)
      }
      waiting = max(0, waiting - 1)
      searchLimit = searchLimit.map { $0 * 2 }
      let another = waiting > 0
      if another { phase = .uploading }
      return .setAside(reason: reason, thenUpload: another ? limit(settings) : nil)
    }
    return next(settings, at: now)
  }

  // MARK: Rules

  /// What is due now.
  private mutating func next(_ settings: Settings, at now: Date) -> Step {
    guard phase == .idle else { return .nothing }
    guard waiting > 0 else {
      isDraining = false
      since = nil
      return .nothing
    }
    if isDraining { return begin(settings) }
    guard let interval = settings.sendInterval else { return .nothing }
    if waiting >= settings.main.batchSize { return begin(settings) }
    let due = (since ?? now).addingTimeInterval(interval)
    return due <= now ? begin(settings) : .wait(until: due)
  }

  private mutating func begin(_ settings: Settings) -> Step {
    phase = .uploading
    return .upload(limit: limit(settings))
  }

  private func limit(_ settings: Settings) -> Int { max(1, min(searchLimit ?? .max, settings.main.batchSize)) }

  /// Exponential, half of it random, so that devices that failed together do not come back together.
  private mutating func backOff(_ reason: String, _ retryAfter: Double?, _ jitter: Double, at now: Date) -> Step {
    problem = reason
    let longest = min(Self.longestBackOff, Self.firstBackOff * Double(1 << min(failures, 20)))
    failures += 1
    let seconds = max(longest * (0.5 + 0.5 * jitter), retryAfter ?? 0)
    let until = now.addingTimeInterval(seconds)
    phase = .backingOff(until: until)
    return .wait(until: until)
  }
}
