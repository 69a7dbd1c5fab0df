internal import GodwitModel

internal import struct Foundation.Date

/// The policy `adaptive`: satellites for as long as one good fix takes, as often as the way needs one; nothing but cheap
/// positions that wake the program at rest. Documentation/Adaptive.md has the reasons of each rule.
///
///     seeking ⇄ waiting     on the way
///        ↕         ↕
///     holding → resting     at a place: awake for a few minutes, then asleep
struct Adaptive: Sendable, Hashable, Codable {
  enum Phase: Sendable, Hashable, Codable {
    /// The receiver is on until there is a good fix.
    case seeking(since: Date, until: Date)
    /// The receiver is off until the next fix is due; the program runs.
    case waiting(until: Date)
    /// It stands still; the program runs, because most stops are short.
    case holding(since: Date)
    /// It has stood still for long; the program sleeps.
    case resting
    /// Something at rest says that it has left: the motion chip is asked, before the receiver is.
    case checking(until: Date)

    /// A clock that was set back makes nobody wait longer than was meant.
    func held(to now: Date) -> Phase {
      switch self {
      case .seeking(let since, let until):
        since > now ? .seeking(since: now, until: min(until, now.addingTimeInterval(Adaptive.coldSearch))) : self
      case .waiting(let until): .waiting(until: min(until, now.addingTimeInterval(Adaptive.backoff.maximum)))
      case .holding(let since): since > now ? .holding(since: now) : self
      case .checking(let until): .checking(until: min(until, now.addingTimeInterval(Adaptive.chipTimeout)))
      case .resting: self
      }
    }
  }

  // Seconds.
  /// A receiver that had a fix within two hours needs less than this, any other with a network less than the other.
  static let hotSearch = 12.0
  static let coldSearch = 30.0
  static let hotFor = 7200.0
  /// The waits after searches in vain.
  static let backoff = ExponentialBackoff(first: 20, maximum: 960)
  /// At a stop of a doubted chip a fix is due after so long, so many times, as long as satellites are received.
  static let checkAfter = 30.0
  static let maximumChecks = 8
  /// Standing still so long is a rest.
  static let timeout = 300.0
  /// What is sent before the rest has so long for it.
  static let farewell = 20.0
  /// Older fixes are no news: the first one after a start may be of hours ago.
  static let freshness = 10.0
  /// The motion chip answers in less.
  static let chipTimeout = 2.0
  /// Without a rough place for so long, a rough one is better than none.
  static let roughAfter = 120.0

  // Metres.
  /// A fix of this accuracy is taken at once.
  static let goodAccuracy: Meters = 20
  /// A less exact one is no fix at all but a hint.
  static let worstAccuracy: Meters = 100
  /// A position of networks is a record only if it is as good as this.
  static let roughest: Meters = 200
  /// Within this of a place one is at it.
  static let extent: Meters = 100
  /// Metres a second of a walk.
  static let walkingSpeed = 1.4
  /// Metres a second that only a ride comes to for long.
  static let rideSpeed = 6.0
  /// Each position further than this from the last wakes the program at rest.
  static let restFilter: Meters = 75

  var phase = Phase.waiting(until: .distantPast)
  var chip = ChipMotion()
  var standstill = Standstill()
  var pace = Pace()
  var stays = ReportedStays()
  var resting = RestWatch()
  var sleeplessness = SuspensionObserver()
  /// The newest exact fix.
  var last: Fix?
  /// The newest record.
  var lastKept: Fix?
  /// A fix that was too far from the last one to be believed.
  var doubted: Fix?
  /// The best position of a search, so far.
  var candidate: Fix?
  /// Searches in vain, in a row.
  var failures = 0
  var place: RestPlace?
  /// Fixes sought at a stop of a doubted chip, in a row, and the place of the stop while one is sought.
  var checks = 0
  var checkedStop: RestPlace?
  /// Whether what is to be sent before the rest was reported.
  var hasSettled = false

  var circle: ExitCircle? { resting.circle }
  var isResting: Bool {
    switch phase {
    case .resting, .checking: true
    case .seeking, .waiting, .holding: false
    }
  }

  // MARK: What is wanted

  func fill(_ request: inout LocationRequest) {
    request.pausesAutomatically = false
    request.tracksVisits = false
    switch phase {
    case .seeking:
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .best, true)
    case .waiting where failures > 0:
      // Under a roof: networks say roughly where, and satellites are looked for now and then all the same.
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .hundredMeters, true)
    case .waiting:
      if let filter = continuousFilter {
        (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .best, true)
        request.distanceFilter = filter
      } else {
        (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .threeKilometers, true)
      }
    case .holding:
      // Keeps the program running without the indicator, and without significant changes, which would end that.
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.standard, .hundredMeters, false)
    case .resting, .checking:
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.standard, .hundredMeters, false)
      request.distanceFilter = Self.restFilter
      // A system that lets the program run in spite of the filter would do so all night.
      if sleeplessness.isCertain { (request.mode, request.tracksVisits) = (.significant, true) }
    }
  }

  /// Where fixes are due so soon that a receiver turned off would cost more than one that stays on: metres between them.
  var continuousFilter: Meters? {
    guard pace.interval < Self.continuousBelow, let speed = last?.speed, speed > 2 else { return nil }
    return max(10, (speed * pace.interval / 10).rounded() * 10)
  }
  /// Seconds. What a receiver needs to begin and to end comes to as much.
  static let continuousBelow = 11.0

  var wakeAt: Date? {
    switch phase {
    case .seeking(_, let until), .waiting(let until), .checking(let until): until
    case .holding(let since):
      nextCheck(since) ?? since.addingTimeInterval(Self.timeout + (hasSettled ? Self.farewell : 0))
    case .resting: nil
    }
  }

  /// When a fix is due at a stop that began then: only with a chip that is doubted.
  private func nextCheck(_ since: Date) -> Date? {
    guard !hasSettled, failures == 0, checks < Self.maximumChecks, chip.isDoubted(at: since) else { return nil }
    return since.addingTimeInterval(Self.checkAfter)
  }

  /// What the next launch is to know.
  var remembered: Rest? { resting.rest }

  // MARK: What happens

  mutating func handle(_ input: PolicyInput, at now: Date) -> PolicyResponse {
    var response = PolicyResponse()
    phase = phase.held(to: now)
    switch input {
    case .began(let rest): begin(rest, &response, at: now)
    case .fixes(let fixes): for fix in fixes { handle(fix, &response, at: now) }
    case .motion(let seen, let isSure): see(seen, isSure: isSure, &response, at: now)
    case .motionHistory(let spans): handle(spans, &response, at: now)
    case .leftCircle: if phase == .resting { alarm(&response, at: now) }
    case .visit(let visit): if visit.departure != nil, phase == .resting { alarm(&response, at: now) }
    case .time: break
    case .minute: sleeplessness.addMinute(isResting: phase == .resting, at: now)
    }
    scheduleTimer(&response, at: now)
    return response
  }

  private mutating func begin(_ rest: Rest?, _ response: inout PolicyResponse, at now: Date) {
    resting.resume(rest)
    if let rest {
      stays.resume(rest)
      place = RestPlace(rest)
      response.asksMotionSince = rest.seen
    }
    seek(at: now)
  }

  /// What is due by the time.
  private mutating func scheduleTimer(_ response: inout PolicyResponse, at now: Date) {
    switch phase {
    case .seeking(_, let until): if until <= now { giveUp(&response, at: now) }
    case .waiting(let until), .checking(let until): if until <= now { seek(at: now) }
    case .holding(let since):
      // The sums are those of `wakeAt`: a difference may be less by a rounding, and the timer would be due permanently.
      if let due = nextCheck(since) {
        guard due <= now else { break }
        checks += 1
        checkedStop = place
        seek(at: now)
      } else if !hasSettled, now >= since.addingTimeInterval(Self.timeout) {
        hasSettled = true
        response.isSettled = true
      } else if now >= since.addingTimeInterval(Self.timeout + Self.farewell) {
        enterRest(since: since, &response, at: now)
      }
    case .resting: break
    }
  }

  /// What the motion chip sees now.
  private mutating func see(_ seen: Motion, isSure: Bool, _ response: inout PolicyResponse, at now: Date) {
    let wasStill = chip.isStill
    guard chip.handle(seen) else { return }
    expectMotion()
    switch phase {
    case .seeking: break
    case .waiting:
      if chip.isStill, !wasStill {
        // The end of the way is a place worth knowing.
        let isBelieved = !chip.isDoubted(at: now) && last.map { !chip.isContradicted(by: $0) } ?? true
        if isBelieved, isFresh(last, at: now) { hold(at: now) } else { seek(at: now) }
      } else if !chip.isStill, !isFresh(last, at: now) {
        seek(at: now)
      }
    case .holding: if !chip.isStill { startMoving(at: now) }
    case .resting, .checking: if !chip.isStill, isSure { startMoving(at: now) }
    }
  }

  /// Another kind of motion has its own usual pace.
  mutating func expectMotion() {
    guard let kind = chip.takeNewKind() else { return }
    // No walk is so fast: the pace of the ride goes on.
    if let speed = last?.speed, speed > Self.rideSpeed, !kind.contains(.driving) { return }
    pace.expect(kind)
  }

  private func isFresh(_ fix: Fix?, at now: Date) -> Bool {
    fix.map { now.timeIntervalSince($0.time) < Self.freshness } ?? false
  }
}
