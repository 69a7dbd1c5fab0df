internal import GodwitModel

/// A kind of measurement: the receiver that gives the position, and its state.
enum MeasurementKind: Int, CaseIterable, Sendable {
  /// The first fix after a start within two hours of the last fix; and a fix some seconds after that first one.
  case hot, hotHeld
  /// The same more than two hours after the last fix, with the satellites' orbits from the network.
  case assisted, assistedHeld
  /// A fix of a receiver that has been on since the last measurement.
  case tracking
  /// A wifi scan. `wifiFirst` is more than two hours after a fix, so that the next start is not hot.
  case wifi, wifiFirst

  var usesSatellites: Bool { rawValue <= Self.tracking.rawValue }
  var isStart: Bool { rawValue <= Self.assistedHeld.rawValue }
  var isHot: Bool { self == .hot || self == .hotHeld }

  /// Seconds that the receiver stays on after the first fix.
  var held: Double {
    switch self {
    case .hotHeld: 4
    case .assistedHeld: 10
    default: 0
    }
  }
}

/// Energy of a step from one measurement to the next, in joules.
struct StepCost: Sendable, Hashable {
  var satellites = 0.0
  var processor = 0.0
  var wifiScans = 0.0
  var cellPositions = 0.0
  var delivery = 0.0

  var joules: Double { satellites + processor + wifiScans + cellPositions + delivery }
}

/// Costs and errors of measurements. They are those of the simulated radios, with the mean in place of random values.
///
/// All simplifications favour the optimum: reflections and outages in street canyons are left out, as are the seconds that a
/// receiver needs to become accurate while it stays on.
struct MeasurementModel: Sendable {
  let phone: PhoneProfile
  let waiting: OptimumRules.Waiting

  /// Maximum seconds between two fixes of a receiver that stays on. For a longer gap a new start with `hotHeld` costs less.
  let maximumTracking: Int
  /// Minimum seconds without movement for a stay in which a program may sleep.
  static let rest = 300

  init(phone: PhoneProfile, waiting: OptimumRules.Waiting) {
    self.phone = phone
    self.waiting = waiting
    let start = SatelliteReceiver.Start.hotSeconds
    let search = (start.lowerBound + start.upperBound) / 2 * SkyQuality.canyon.startFactor * phone[.satelliteSearch]
    let seconds = phone[.satelliteOffDelay] + MeasurementKind.hotHeld.held + search / max(1, phone[.satellites])
    maximumTracking = seconds < 600 ? Int(seconds.rounded(.up)) : 600
  }

  // MARK: Errors

  /// Components of the error of a measurement: standard deviations on each axis, in metres.
  struct Quality: Sendable, Hashable {
    var fast: Double
    var slow: Double
    var wifi: Double
    /// Correlation time of the fast component, in seconds.
    var fastTime: Double
    /// Probability that the measurement is usable. A wifi position can be that of a relocated router.
    var usable: Double

    var variance: Double { fast * fast + slow * slow + wifi * wifi }

    /// Returns the covariance of the errors on one axis of this measurement and of one some seconds earlier.
    func covariance(_ earlier: Quality, seconds: Double) -> Double {
      if wifi > 0 || earlier.wifi > 0 { return wifi * earlier.wifi * DeterministicMath.exp(-seconds / CoarsePositions.memory) }
      return fast * earlier.fast * DeterministicMath.exp(-seconds / fastTime)
        + slow * earlier.slow * DeterministicMath.exp(-seconds / CorrelatedNoise.slowTime)
    }
  }

  /// Returns the quality of a kind of measurement; `nil` if the kind is not possible in this environment.
  func quality(_ kind: MeasurementKind, in environment: Environment) -> Quality? {
    guard kind.usesSatellites else {
      return Quality(
        fast: 0, slow: 0, wifi: CoarsePositions.wifiMedian / CoarsePositions.medianOfDeviation, fastTime: 1,
        usable: 1 - CoarsePositions.movedRouters)
    }
    guard let sky = SkyQuality.of(environment) else { return nil }
    let worse = kind == .tracking ? 1 : SatelliteReceiver.worse(isHot: kind.isHot, sky, after: kind.held)
    return Quality(fast: sky.fast * worse, slow: sky.slow * worse, wifi: 0, fastTime: sky.fastTime, usable: 1)
  }

  /// Returns the mean time in seconds from turning the receiver on to the measurement.
  func lead(_ kind: MeasurementKind, in environment: Environment) -> Double {
    guard kind.isStart else { return 0 }
    return search(kind, in: environment) + kind.held
  }

  private func search(_ kind: MeasurementKind, in environment: Environment) -> Double {
    let range = kind.isHot ? SatelliteReceiver.Start.hotSeconds : SatelliteReceiver.Start.assistedSeconds
    return (range.lowerBound + range.upperBound) / 2 * (SkyQuality.of(environment)?.startFactor ?? 1)
  }

  // MARK: Costs

  /// A measurement at one end of a step. It is `nil` in ``cost(from:to:seconds:measured:)`` for the beginning or the end of the
  /// day.
  struct End {
    var kind: MeasurementKind
    var environment: Environment
  }

  /// Returns the cost of a step. The second measurement is included and the first is not.
  /// - Parameters:
  ///   - seconds: Seconds between the two measurements.
  ///   - measured: How many of these seconds are measured.
  /// - Returns: The cost; `nil` if the phone cannot perform the step.
  func cost(from a: End?, to b: End?, seconds: Int, measured: Int) -> StepCost? {
    guard follows(a?.kind, b?.kind, seconds: seconds) else { return nil }
    var cost = StepCost()
    var lead = 0.0
    if let b {
      lead = self.lead(b.kind, in: b.environment)
      if b.kind.isStart {
        let search = search(b.kind, in: b.environment)
        cost.satellites = phone[.satelliteSearch] / 1e3 * search + phone[.satellites] / 1e3 * (lead - search)
      } else if !b.kind.usesSatellites {
        cost.wifiScans = phone[.wifiScan]
      }
      cost.delivery = phone[.delivery]
    }
    let isOn = b?.kind == .tracking
    if a?.kind.usesSatellites == true {
      if isOn {
        cost.satellites += phone[.satellites] / 1e3 * Double(seconds)
      } else {
        // During its off-delay a receiver needs no new start.
        guard b == nil || Double(seconds) >= phone[.satelliteOffDelay] + lead else { return nil }
        cost.satellites += phone[.satellites] / 1e3 * phone[.satelliteOffDelay]
      }
    }
    wait(&cost, seconds: seconds, measured: measured, lead: lead, isOn: isOn, isWoken: b != nil)
    return cost
  }

  private func follows(_ a: MeasurementKind?, _ b: MeasurementKind?, seconds: Int) -> Bool {
    let isRecent = a != nil && a != .wifiFirst && Double(seconds) < SatelliteReceiver.hotFor
    return switch b {
    case nil: true
    case .hot, .hotHeld, .wifi: isRecent
    case .assisted, .assistedHeld, .wifiFirst: !isRecent
    case .tracking: a?.usesSatellites == true && seconds <= maximumTracking
    }
  }

  /// Adds the energy that the program uses between two measurements.
  private func wait(_ cost: inout StepCost, seconds: Int, measured: Int, lead: Double, isOn: Bool, isWoken: Bool) {
    let running = phone[.runnable] / 1e3
    guard waiting != .asleep else {
      if isWoken { cost.processor += min(phone[.wake], running * Double(seconds)) }
      return
    }
    let isResting = seconds - measured >= Self.rest
    let awake = Double(isResting ? measured : seconds)
    cost.processor += running * awake + (isResting && isWoken ? phone[.wake] : 0)
    if isResting, waiting == .watching { watch(&cost, seconds: Double(seconds - measured)) }
    guard !isOn else { return }
    // A request for coarse positions begins with a position.
    let positions = (isResting ? 0 : 1) + max(0, awake - lead) / phone[.cellPositionInterval]
    cost.cellPositions += phone[.cellPosition] * positions
    cost.delivery += phone[.delivery] * positions
  }

  private func watch(_ cost: inout StepCost, seconds: Double) {
    cost.wifiScans += phone[.wifiScan] / phone[.wifiScanStill] * seconds
  }
}
