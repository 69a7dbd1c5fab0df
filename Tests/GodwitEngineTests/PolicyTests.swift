import Foundation
import GodwitEngine
import GodwitModel
import Testing

extension EngineUnderTest {
  /// Creates an engine with a policy, the best accuracy and visits.
  init(policy: TrackingPolicy, _ change: (inout Settings) -> Void = { _ in }) {
    self.init { settings in
      settings.main.policy = policy
      settings.main.desiredAccuracy = .best
      settings.main.tracksVisits = true
      change(&settings)
    }
  }

  /// The last request to the location services; `nil` if they are off.
  var request: LocationRequest? { effects.configurations.last ?? nil }
  /// Whether an exit region is monitored.
  var watchesExit: Bool {
    effects.last {
      switch $0 {
      case .watchExit, .stopWatchingExit: true
      default: false
      }
    }.map { if case .watchExit = $0 { true } else { false } } ?? false
  }

  /// Sends a satellite fix at the time of the fix, with a course to the north.
  @discardableResult
  mutating func satellites(_ seconds: Double, north meters: Double, speed: Double, accuracy: Double = 8) -> [Effect] {
    var reported = fix(seconds, north: meters, accuracy: accuracy)
    (reported.speed, reported.course) = (speed, speed > 0.5 ? 0 : nil)
    return send(.fixes([reported]), seconds)
  }

  /// Advances the time to `end`, fires the policy's timer each time it is due, and calls `each` after it.
  mutating func advance(from start: Double, until end: Double, _ each: (inout Self, Double) -> Void = { _, _ in }) {
    while let due = policyTimer, due <= end {
      send(.timerFired(.policy), max(due, start))
      each(&self, max(due, start))
    }
  }

  /// The time of the policy's timer, in seconds after the start; `nil` if it is not set.
  var policyTimer: Double? { timers[.policy] }
}

@Suite("Policies")
struct PolicyTests {
  @Test("fixed: the settings are requested unchanged")
  func fixed() {
    let engine = EngineUnderTest(policy: .fixed) { $0.main.pausesAutomatically = true }
    #expect(engine.request?.desiredAccuracy == .best && engine.request?.pausesAutomatically == true)
    #expect(engine.request?.distanceFilter == nil && engine.policyTimer == nil && !engine.watchesExit)
  }

  @Test("filtered: the same with a filter of 10 m, and every position is recorded")
  func filtered() {
    var engine = EngineUnderTest(policy: .filtered)
    #expect(engine.request?.distanceFilter == 10 && engine.request?.desiredAccuracy == .best)
    for second in 1...5 { engine.fixes(Double(second), north: Double(second) * 12) }
    #expect(engine.effects.fixes.count == 5)
  }

  @Test("by motion: high accuracy while the chip reports motion, else 3 km and the largest filter; unknown changes nothing")
  func byMotion() {
    var engine = EngineUnderTest(policy: .byMotion)
    #expect(engine.request?.desiredAccuracy == .tenMeters && engine.request?.distanceFilter == 10)
    engine.send(.motionChanged(.stationary, isSure: true), 10)
    #expect(engine.request?.desiredAccuracy == .threeKilometers)
    #expect(engine.request?.distanceFilter == .greatestFiniteMagnitude)
    #expect(engine.send(.motionChanged([], isSure: false), 20).configurations.isEmpty)
    engine.send(.motionChanged([.driving, .stationary], isSure: true), 30)
    #expect(engine.request?.desiredAccuracy == .tenMeters)
  }

  @Test(
    "two states: the filter grows by 10 m with each 5 m/s, rounded",
    arguments: [(0.0, 10.0), (2.4, 10), (4, 10), (7.4, 10), (7.6, 20), (14, 30), (33, 70)])
  func elastic(_ speed: Double, _ filter: Double) {
    var engine = EngineUnderTest(policy: .twoState)
    engine.satellites(1, north: 0, speed: speed)
    #expect(engine.request?.distanceFilter == filter && engine.request?.desiredAccuracy == .best)
    #expect(engine.request?.showsBackgroundIndicator == true)
  }

  @Test("two states: after five stationary minutes only a region of 200 m and significant changes remain on")
  func stops() {
    var engine = EngineUnderTest(policy: .twoState)
    engine.satellites(1, north: 0, speed: 1.4)
    engine.send(.motionChanged(.stationary, isSure: true), 100)
    #expect(engine.policyTimer == 400)
    engine.send(.motionChanged(.walking, isSure: true), 200)
    #expect(engine.policyTimer == nil)
    engine.send(.motionChanged(.stationary, isSure: true), 300)
    let stopped = engine.send(.timerFired(.policy), 600)
    #expect(engine.request?.mode == .significant)
    #expect(stopped.contains(.watchExit(fix(1).coordinate, radius: 200)))
    let left = engine.send(.leftRegion, 5000)
    #expect(left.contains(.stopWatchingExit) && engine.request?.mode == .standard)
  }

  @Test("two states: motion ends the rest while the program runs, and so does a fix more than 200 m away, including its accuracy")
  func wakes() {
    func stopped() -> EngineUnderTest {
      var engine = EngineUnderTest(policy: .twoState)
      engine.satellites(1, north: 0, speed: 0)
      engine.send(.timerFired(.policy), 301)
      return engine
    }
    var engine = stopped()
    #expect(engine.request?.mode == .significant)
    engine.send(.motionChanged(.walking, isSure: true), 400)
    #expect(engine.request?.mode == .standard)
    engine = stopped()
    engine.fixes(400, north: 290, accuracy: 100)
    #expect(engine.request?.mode == .significant)
    engine.fixes(700, north: 600, accuracy: 100)
    #expect(engine.request?.mode == .standard && !engine.watchesExit)
  }

  @Test("a trip uses its own settings, and the policy starts again after it")
  func trip() {
    var engine = EngineUnderTest(policy: .adaptive) { $0.trip.desiredAccuracy = .tenMeters }
    engine.send(.startTrip(.walk), 10)
    #expect(engine.request?.desiredAccuracy == .tenMeters && engine.policyTimer == nil)
    engine.fixes(11)
    engine.fixes(12, north: 2)
    #expect(engine.effects.fixes.count == 2)
    engine.send(.stopTrip, 60)
    #expect(engine.request?.desiredAccuracy == .best && engine.policyTimer != nil)
  }

  @Test(
    "with tracking mode off, any policy is off; another mode restarts the policy",
    arguments: [TrackingPolicy.twoState, .adaptive])
  func off(_ policy: TrackingPolicy) {
    var engine = EngineUnderTest(policy: policy)
    engine.send(.settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("off"))]), 10)
    #expect(engine.request?.mode == .off && engine.policyTimer == nil && !engine.watchesExit)
    engine.send(.settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("standard"))]), 20)
    #expect(engine.request?.mode.isContinuous == true)
    engine.send(.stop, 30)
    #expect(engine.effects.configurations.last == .some(nil) && engine.policyTimer == nil)
  }

  @Test("a policy that a server or the user selects applies at once, also a return to the fixed policy")
  func chosen() {
    var engine = EngineUnderTest(policy: .fixed)
    engine.send(.settingsOffered(home, [DesiredSetting(name: "main.policy", value: .text("two_state"))]), 10)
    #expect(engine.request?.distanceFilter == 10)
    engine.send(.settingsSet([DesiredSetting(name: "main.policy", value: .text("fixed"))]), 20)
    #expect(engine.request?.distanceFilter == nil)
  }

  @Test("policies are found by unique names, their settings can be encoded, and each preset equals its policy")
  func catalogue() throws {
    let names = Policy.all.map(\.name)
    #expect(
      names == [
        "always-best", "battery-saving", "high-resolution", "adaptive", "two-state", "article-a", "article-b", "article-c",
        "article-d",
      ])
    for policy in Policy.all {
      #expect(Policy.named(policy.name) == policy && policy.summary.hasSuffix("."))
      // The settings are sent in JSON.
      #expect(try JSONDecoder().decode(Settings.self, from: JSONEncoder().encode(policy.settings)) == policy.settings)
    }
    #expect(Policy.named("best") == nil)
    for preset in Preset.allCases {
      #expect(Policy.named(preset.rawValue.replacingOccurrences(of: "_", with: "-"))?.settings.preset == preset)
    }
  }
}
