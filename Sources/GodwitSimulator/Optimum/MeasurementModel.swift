internal import GodwitModel

/// A way to get a position, and what the phone's receivers do for it.
enum MeasurementKind: Int, CaseIterable, Sendable {
  /// The first fix after a start, when the last one is less than two hours old; and the fix some seconds later.
  case hot, hotHeld
  /// The same after a longer time, with the satellites' orbits from the network.
  case assisted, assistedHeld
  /// A fix of a receiver that stays on since the last measurement.
  case tracking
  /// A wifi scan; `wifiFirst`: more than two hours after a fix, so that the next start is not hot.
  case wifi, wifiFirst

  var usesSatellites: Bool { rawValue <= Self.tracking.rawValue }
  var isStart: Bool { rawValue <= Self.assistedHeld.rawValue }
  var isHot: Bool { self == .hot || self == .hotHeld }

  /// Seconds for which the receiver stays on after the first fix.
  var held: Double {
    switch self {
    case .hotHeld: 4
    case .assistedHeld: 10
    default: 0
    }
  }
}

/// What a step from one measurement to the next uses, in joules.
struct StepCost: Sendable, Hashable {
  var satellites = 0.0
  var processor = 0.0
  var wifiScans = 0.0
  var cellPositions = 0.0
  var delivery = 0.0

  var joules: Double { satellites + processor + wifiScans + cellPositions + delivery }
}

/// Costs and errors of measurements: those of the simulated radios, with the mean where those draw by chance.
///
/// Everything that is left out is in favour of the optimum: reflections and outages in canyons, and that a receiver which stays on
/// needs seconds to become accurate.
struct MeasurementModel: Sendable {
  let phone: PhoneProfile
  let waiting: OptimumRules.Waiting

  /// Seconds between two fixes for which a receiver is left on at most: beyond, a new start with `hotHeld` costs less.
  let maximumTracking: Int
  /// Seconds without movement from which on it is a stay, and a program may sleep.
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

  /// What the error of a measurement is made of: standard deviations on each axis, metres.
  struct Quality: Sendable, Hashable {
    var fast: Double
    var slow: Double
    var wifi: Double
    /// Seconds of correlation of the fast part.
    var fastTime: Double
    /// Probability that it is of any use: a wifi position can be that of a relocated router.
    var usable: Double

    var variance: Double { fast * fast + slow * slow + wifi * wifi }

    /// Of the errors on an axis of this measurement and one some seconds earlier.
    func covariance(_ earlier: Quality, seconds: Double) -> Double {
      if wifi > 0 || earlier.wifi > 0 { return wifi * earlier.wifi * DeterministicMath.exp(-seconds / CoarsePositions.memory) }
      return fast * earlier.fast * DeterministicMath.exp(-seconds / fastTime)
        + slow * earlier.slow * DeterministicMath.exp(-seconds / CorrelatedNoise.slowTime)
    }
  }

  /// Nil where that measurement is not possible.
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

  /// Seconds from turning the receiver on to the measurement, on average.
  func lead(_ kind: MeasurementKind, in environment: Environment) -> Double {
    guard kind.isStart else { return 0 }
    return search(kind, in: environment) + kind.held
  }

  private func search(_ kind: MeasurementKind, in environment: Environment) -> Double {
    let range = kind.isHot ? SatelliteReceiver.Start.hotSeconds : SatelliteReceiver.Start.assistedSeconds
    return (range.lowerBound + range.upperBound) / 2 * (SkyQuality.of(environment)?.startFactor ?? 1)
  }

  // MARK: Costs

  /// One end of a step; nil in ``cost(from:to:seconds:measured:)`` for the beginning or the end of the day.
  struct End {
    var kind: MeasurementKind
    var environment: Environment
  }

  /// What a step costs, the second measurement with it and the first without. Nil: the phone cannot do it.
  /// - Parameters:
  ///   - seconds: between the two.
  ///   - measured: how many of them are on the way.
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
        // Within the time until it is off a receiver needs no new start.
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

  /// What the program uses between two measurements.
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
    // A request of coarse positions begins with one.
    let positions = (isResting ? 0 : 1) + max(0, awake - lead) / phone[.cellPositionInterval]
    cost.cellPositions += phone[.cellPosition] * positions
    cost.delivery += phone[.delivery] * positions
  }

  private func watch(_ cost: inout StepCost, seconds: Double) {
    cost.wifiScans += phone[.wifiScan] / phone[.wifiScanStill] * seconds
  }
}
