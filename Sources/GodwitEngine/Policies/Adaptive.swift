internal import GodwitModel

internal import struct Foundation.Date

/// The policy `adaptive`. While moving, the receiver is on only until it has one good fix, and the next fix is due when the path needs it.
/// At rest, only positions that cost little energy resume the program. Documentation/Adaptive.md has the reason of each rule.
///
///     seeking ⇄ waiting     while moving
///        ↕         ↕
///     holding → resting     at a place: running for a few minutes, then suspended
struct Adaptive: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case phase
    case chip
    case standstill
    case pace
    case stays
    case resting
    case suspensionObserver = "sleeplessness"
    case last
    case lastKept
    case doubted
    case candidate
    case failures
    case place
    case checks
    case checkedStop
    case hasSettled
  }

  enum Phase: Sendable, Hashable, Codable {
    /// The receiver is on until there is a good fix.
    case seeking(since: Date, until: Date)
    /// The receiver is off until the next fix is due; the program runs.
    case waiting(until: Date)
    /// The device stands still. The program runs, because most stops are short.
    case holding(since: Date)
    /// The device has stood still for long. The program is suspended.
    case resting
    /// There is a sign at rest that the device has left. The motion chip is queried before the receiver is turned on.
    case checking(until: Date)

    /// Limits the times of the phase, so that a clock that was set back does not extend a wait.
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
  /// Maximum duration of a search if the last fix is younger than ``hotFor``, and of any other search.
  static let hotSearch = 12.0
  static let coldSearch = 30.0
  static let hotFor = 7200.0
  /// The pauses after unsuccessful searches.
  static let backoff = ExponentialBackoff(first: 20, maximum: 960)
  /// At a stop of a doubted chip, a fix is due after ``checkAfter`` seconds, up to ``maximumChecks`` times, while satellites are received.
  static let checkAfter = 30.0
  static let maximumChecks = 8
  /// Standing still for this long is a rest.
  static let timeout = 300.0
  /// The time for sending records before the rest begins.
  static let finalSendDuration = 20.0
  /// Age from which a fix is outdated. The first fix after a start may be hours old.
  static let freshness = 10.0
  /// Timeout of a query of the motion chip.
  static let chipTimeout = 2.0
  /// Seconds without a record after which an inaccurate position is recorded.
  static let roughAfter = 120.0

  // Metres.
  /// A fix with this accuracy is accepted at once.
  static let goodAccuracy: Meters = 20
  /// A position with a larger accuracy value does not count as a fix.
  static let worstAccuracy: Meters = 100
  /// A position of networks is recorded only with this accuracy or a better one.
  static let maximumNetworkAccuracy: Meters = 200
  /// Diameter of a place: the device is at a place within half of this distance, plus the accuracies.
  static let extent: Meters = 100
  /// The speed of a walk, metres per second.
  static let walkingSpeed = 1.4
  /// A speed, metres per second, that only a ride reaches for long.
  static let rideSpeed = 6.0
  /// Distance filter at rest: each position farther than this from the last one resumes the program.
  static let restFilter: Meters = 75

  var phase = Phase.waiting(until: .distantPast)
  var chip = ChipMotion()
  var standstill = Standstill()
  var pace = Pace()
  var stays = ReportedStays()
  var resting = RestWatch()
  var suspensionObserver = SuspensionObserver()
  /// The newest exact fix.
  var last: Fix?
  /// The newest record.
  var lastKept: Fix?
  /// A fix that was too far from the last one to be accepted without a confirmation.
  var doubted: Fix?
  /// The best position of the current search.
  var candidate: Fix?
  /// The number of successive unsuccessful searches.
  var failures = 0
  var place: RestPlace?
  /// The number of successive fixes that were sought at a stop of a doubted chip, and the place of the stop while a fix is sought.
  var checks = 0
  var checkedStop: RestPlace?
  /// Whether the policy has reported that it is the time to send before the rest.
  var hasSettled = false

  var circle: ExitCircle? { resting.circle }
  var isResting: Bool {
    switch phase {
    case .resting, .checking: true
    case .seeking, .waiting, .holding: false
    }
  }

  // MARK: Requests

  func fill(_ request: inout LocationRequest) {
    request.pausesAutomatically = false
    request.tracksVisits = false
    switch phase {
    case .seeking:
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .best, true)
    case .waiting where failures > 0:
      // Satellites are not received. Networks provide an approximate position, and the system still searches for satellites from
      // time to time.
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .hundredMeters, true)
    case .waiting:
      if let filter = continuousFilter {
        (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .best, true)
        request.distanceFilter = filter
      } else {
        (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.both, .threeKilometers, true)
      }
    case .holding:
      // This keeps the program running without the indicator. Significant changes are not requested, because they would end that.
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.standard, .hundredMeters, false)
    case .resting, .checking:
      (request.mode, request.desiredAccuracy, request.showsBackgroundIndicator) = (.standard, .hundredMeters, false)
      request.distanceFilter = Self.restFilter
      // A system that does not suspend the program in spite of the filter would keep it running all night.
      if suspensionObserver.isCertain { (request.mode, request.tracksVisits) = (.significant, true) }
    }
  }

  /// The distance filter, metres, if the receiver stays on between two fixes; `nil`: it is turned off. The receiver stays on if
  /// the next fix is due so soon that turning it off would cost more energy.
  var continuousFilter: Meters? {
    guard pace.interval < Self.continuousBelow, let speed = last?.speed, speed > 2 else { return nil }
    return max(10, (speed * pace.interval / 10).rounded() * 10)
  }
  /// Seconds. Starting and stopping the receiver costs as much energy as this time.
  static let continuousBelow = 11.0

  var wakeAt: Date? {
    switch phase {
    case .seeking(_, let until), .waiting(let until), .checking(let until): until
    case .holding(let since):
      nextCheck(since) ?? since.addingTimeInterval(Self.timeout + (hasSettled ? Self.finalSendDuration : 0))
    case .resting: nil
    }
  }

  /// The time at which a fix is due at a stop that began at `since`; `nil`: none is due, because the chip is not doubted.
  private func nextCheck(_ since: Date) -> Date? {
    guard !hasSettled, failures == 0, checks < Self.maximumChecks, chip.isDoubted(at: since) else { return nil }
    return since.addingTimeInterval(Self.checkAfter)
  }

  /// The rest that is stored for the next launch.
  var remembered: Rest? { resting.rest }

  // MARK: Inputs

  mutating func handle(_ input: PolicyInput, at now: Date) -> PolicyResponse {
    var response = PolicyResponse()
    phase = phase.held(to: now)
    switch input {
    case .began(let rest): begin(rest, &response, at: now)
    case .fixes(let fixes): for fix in fixes { handle(fix, &response, at: now) }
    case .motion(let seen, let isSure): handleMotion(seen, isSure: isSure, &response, at: now)
    case .motionHistory(let spans): handle(spans, &response, at: now)
    case .leftCircle: if phase == .resting { alarm(&response, at: now) }
    case .visit(let visit): if visit.departure != nil, phase == .resting { alarm(&response, at: now) }
    case .time: break
    case .minute: suspensionObserver.addMinute(isResting: phase == .resting, at: now)
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

  /// Performs the steps that are due at the present time.
  private mutating func scheduleTimer(_ response: inout PolicyResponse, at now: Date) {
    switch phase {
    case .seeking(_, let until): if until <= now { endSearchWithoutFix(&response, at: now) }
    case .waiting(let until), .checking(let until): if until <= now { seek(at: now) }
    case .holding(let since):
      // The sums are the same as in `wakeAt`. A difference may be smaller by a rounding error, and the timer would be due permanently.
      if let due = nextCheck(since) {
        guard due <= now else { break }
        checks += 1
        checkedStop = place
        seek(at: now)
      } else if !hasSettled, now >= since.addingTimeInterval(Self.timeout) {
        hasSettled = true
        response.isSettled = true
      } else if now >= since.addingTimeInterval(Self.timeout + Self.finalSendDuration) {
        enterRest(since: since, &response, at: now)
      }
    case .resting: break
    }
  }

  /// Handles the present motion that the motion chip reports.
  private mutating func handleMotion(_ seen: Motion, isSure: Bool, _ response: inout PolicyResponse, at now: Date) {
    let wasStill = chip.isStill
    guard chip.handle(seen) else { return }
    expectMotion()
    switch phase {
    case .seeking: break
    case .waiting:
      if chip.isStill, !wasStill {
        // The end of the path needs a fix.
        let isBelieved = !chip.isDoubted(at: now) && last.map { !chip.isContradicted(by: $0) } ?? true
        if isBelieved, isFresh(last, at: now) { hold(at: now) } else { seek(at: now) }
      } else if !chip.isStill, !isFresh(last, at: now) {
        seek(at: now)
      }
    case .holding: if !chip.isStill { startMoving(at: now) }
    case .resting, .checking: if !chip.isStill, isSure { startMoving(at: now) }
    }
  }

  /// Sets the usual pace of a new kind of motion.
  mutating func expectMotion() {
    guard let kind = chip.takeNewKind() else { return }
    // No walk is so fast: the pace of the ride is kept.
    if let speed = last?.speed, speed > Self.rideSpeed, !kind.contains(.driving) { return }
    pace.expect(kind)
  }

  private func isFresh(_ fix: Fix?, at now: Date) -> Bool {
    fix.map { now.timeIntervalSince($0.time) < Self.freshness } ?? false
  }
}
