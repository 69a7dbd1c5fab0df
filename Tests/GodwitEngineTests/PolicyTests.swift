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
    let bench = EngineUnderTest(policy: .fixed) { $0.main.pausesAutomatically = true }
    #expect(bench.request?.desiredAccuracy == .best && bench.request?.pausesAutomatically == true)
    #expect(bench.request?.distanceFilter == nil && bench.policyTimer == nil && !bench.watchesExit)
  }

  @Test("filtered: the same with a filter of 10 m, and every position is recorded")
  func filtered() {
    var bench = EngineUnderTest(policy: .filtered)
    #expect(bench.request?.distanceFilter == 10 && bench.request?.desiredAccuracy == .best)
    for second in 1...5 { bench.fixes(Double(second), north: Double(second) * 12) }
    #expect(bench.effects.fixes.count == 5)
  }

  @Test("by motion: high accuracy while the chip reports motion, else 3 km and the largest filter; unknown changes nothing")
  func byMotion() {
    var bench = EngineUnderTest(policy: .byMotion)
    #expect(bench.request?.desiredAccuracy == .tenMeters && bench.request?.distanceFilter == 10)
    bench.send(.motionChanged(.stationary, isSure: true), 10)
    #expect(bench.request?.desiredAccuracy == .threeKilometers)
    #expect(bench.request?.distanceFilter == .greatestFiniteMagnitude)
    #expect(bench.send(.motionChanged([], isSure: false), 20).configurations.isEmpty)
    bench.send(.motionChanged([.driving, .stationary], isSure: true), 30)
    #expect(bench.request?.desiredAccuracy == .tenMeters)
  }

  @Test(
    "two states: the filter grows by 10 m with each 5 m/s, rounded",
    arguments: [(0.0, 10.0), (2.4, 10), (4, 10), (7.4, 10), (7.6, 20), (14, 30), (33, 70)])
  func elastic(_ speed: Double, _ filter: Double) {
    var bench = EngineUnderTest(policy: .twoState)
    bench.satellites(1, north: 0, speed: speed)
    #expect(bench.request?.distanceFilter == filter && bench.request?.desiredAccuracy == .best)
    #expect(bench.request?.showsBackgroundIndicator == true)
  }

  @Test("two states: after five stationary minutes only a region of 200 m and significant changes remain on")
  func stops() {
    var bench = EngineUnderTest(policy: .twoState)
    bench.satellites(1, north: 0, speed: 1.4)
    bench.send(.motionChanged(.stationary, isSure: true), 100)
    #expect(bench.policyTimer == 400)
    bench.send(.motionChanged(.walking, isSure: true), 200)
    #expect(bench.policyTimer == nil)
    bench.send(.motionChanged(.stationary, isSure: true), 300)
    let stopped = bench.send(.timerFired(.policy), 600)
    #expect(bench.request?.mode == .significant)
    #expect(stopped.contains(.watchExit(fix(1).coordinate, radius: 200)))
    let left = bench.send(.leftRegion, 5000)
    #expect(left.contains(.stopWatchingExit) && bench.request?.mode == .standard)
  }

  @Test("two states: motion ends the rest while the program runs, and so does a fix more than 200 m away, including its accuracy")
  func wakes() {
    func stopped() -> EngineUnderTest {
      var bench = EngineUnderTest(policy: .twoState)
      bench.satellites(1, north: 0, speed: 0)
      bench.send(.timerFired(.policy), 301)
      return bench
    }
    var bench = stopped()
    #expect(bench.request?.mode == .significant)
    bench.send(.motionChanged(.walking, isSure: true), 400)
    #expect(bench.request?.mode == .standard)
    bench = stopped()
    bench.fixes(400, north: 290, accuracy: 100)
    #expect(bench.request?.mode == .significant)
    bench.fixes(700, north: 600, accuracy: 100)
    #expect(bench.request?.mode == .standard && !bench.watchesExit)
  }

  @Test("a trip uses its own settings, and the policy starts again after it")
  func trip() {
    var bench = EngineUnderTest(policy: .adaptive) { $0.trip.desiredAccuracy = .tenMeters }
    bench.send(.startTrip(.walk), 10)
    #expect(bench.request?.desiredAccuracy == .tenMeters && bench.policyTimer == nil)
    bench.fixes(11)
    bench.fixes(12, north: 2)
    #expect(bench.effects.fixes.count == 2)
    bench.send(.stopTrip, 60)
    #expect(bench.request?.desiredAccuracy == .best && bench.policyTimer != nil)
  }

  @Test(
    "with tracking mode off, any policy is off; another mode restarts the policy",
    arguments: [TrackingPolicy.twoState, .adaptive])
  func off(_ policy: TrackingPolicy) {
    var bench = EngineUnderTest(policy: policy)
    bench.send(.settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("off"))]), 10)
    #expect(bench.request?.mode == .off && bench.policyTimer == nil && !bench.watchesExit)
    bench.send(.settingsSet([DesiredSetting(name: "main.tracking_mode", value: .text("standard"))]), 20)
    #expect(bench.request?.mode.isContinuous == true)
    bench.send(.stop, 30)
    #expect(bench.effects.configurations.last == .some(nil) && bench.policyTimer == nil)
  }

  @Test("a policy that a server or the user selects applies at once, also a return to the fixed policy")
  func chosen() {
    var bench = EngineUnderTest(policy: .fixed)
    bench.send(.settingsOffered(home, [DesiredSetting(name: "main.policy", value: .text("two_state"))]), 10)
    #expect(bench.request?.distanceFilter == 10)
    bench.send(.settingsSet([DesiredSetting(name: "main.policy", value: .text("fixed"))]), 20)
    #expect(bench.request?.distanceFilter == nil)
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
