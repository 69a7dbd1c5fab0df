import GodwitModel
import GodwitSimulator
import Testing

@Suite("Scripts of hazards")
struct HazardTests {
  static let all: [Hazard] = [
    .open, .close, .forceQuit, .lock, .unlock, .reboot, .permission(.always), .permission(.denied), .precise(false),
    .services(true), .motionPermission(false), .backgroundRefresh(true), .lowPower(true), .aeroplane(true), .wifi(false),
    .cellular(false), .kill, .suspend, .upgrade, .updateApp, .reinstall, .pause, .loseEvent, .repeatEvent,
    .delayEvent(seconds: 90),
    .staleFix(seconds: 7_384.5), .burst(count: 100), .systemRegion, .captive(true), .movedRouter(true), .signal(cost: 1.5),
    .charger(true),
    .batteryLevel(0.05), .clock(shift: -3_600), .clock(shift: 86_400), .server(false), .slowServer(seconds: 20),
    .loseReplies(true), .serverStatus(503), .flicker([], seconds: 5), .flicker([.driving, .stationary], seconds: 90),
  ]

  @Test("every hazard round-trips", arguments: all)
  func roundTrip(hazard: Hazard) throws {
    let script = HazardScript([.init(after: 0.25, hazard), .init(after: 950_400, hazard)])
    #expect(try HazardScript(text: script.text) == script)
  }

  @Test("a script is lines of time and hazard, with comments, in order of time")
  func text() throws {
    let script = try HazardScript(
      text: """
        # A day that goes wrong
        +1d8h30m  permission denied   # at the second prompt

        +20s  kill
        +1d8h30m  aeroplane on
        +0s   battery 0.5
        """)
    #expect(
      script.lines == [
        .init(after: 0, .batteryLevel(0.5)), .init(after: 20, .kill), .init(after: 117_000, .permission(.denied)),
        .init(after: 117_000, .aeroplane(true)),
      ])
    #expect(script.text == "+0s battery 0.5\n+20s kill\n+1d8h30m permission denied\n+1d8h30m aeroplane on\n")
  }

  @Test(
    "an invalid line is reported with the valid forms",
    arguments: [
      ("+5s", "line 1: the name of a hazard is missing"), ("\n5s kill", "line 2: \"5s\" is not a time"),
      ("+5x kill", "is not a time"),
      ("+1m1h kill", "is not a time"), ("+ kill", "is not a time"), ("+1e9d kill", "is not a time"),
      ("+5s explode", "unknown hazard \"explode\""),
      ("+5s kill now", "kill takes no value"), ("+5s wifi maybe", "on or off"), ("+5s wifi", "on or off"),
      ("+5s permission sometimes", "authorized_always"), ("+5s battery 2", "0 to 1"), ("+5s battery nan", "0 to 1"),
      ("+5s clock 1h", "with a sign"), ("+5s burst 0", "1 to 10000"), ("+5s burst 1.5", "1 to 10000"),
      ("+5s server on twice", "unexpected word"),
      ("+5s server-status 700", "100 to 599"), ("+5s server-status 20", "100 to 599"), ("+5s stale-fix old", "takes a time"),
      ("+5s signal 0.5", "1 to 10"), ("+5s flicker flying 5s", "no motion \"flying\""), ("+5s flicker 5s", "a motion and a time"),
      ("+5s flicker walking+ 5s", "no motion \"\""),
    ])
  func wrong(text: String, words: String) {
    #expect { try HazardScript(text: text) } throws: { "\($0)".contains(words) }
  }
}

@Suite("The network over time")
struct NetworkScriptTests {
  @Test("a step applies until the next one; the last one of a time applies, and steps without a change are dropped")
  func steps() {
    let script = NetworkScript(
      .wifi,
      steps: [
        .init(from: at(20), .offline), .init(from: at(10), .lte), .init(from: at(15), .lte), .init(from: at(20), .umts),
      ])
    #expect(script.steps.map(\.start) == [at(10), at(20)])
    let seen = [-5, 0, 10, 19.9, 20, 1e6].map { script.condition(at: at($0)).kind }
    #expect(seen == [.wifi, .wifi, .lte, .lte, .umts, .umts])
    var captive = NetworkCondition.wifi
    captive.isCaptive = true
    #expect(!captive.isReachable && !NetworkCondition.offline.isReachable && NetworkCondition.nr.isReachable)
  }

  @Test("along a route: wifi indoors, the mobile network outdoors, none in the air and underground")
  func along() throws {
    var rules = TruthRules()
    rules.stretches = [.init(from: at(29_000), to: at(29_100), environment: .underground)]
    let day = [[sample(0)], straight(from: 28_800, seconds: 1_800, speed: 1.3)]
    let script = NetworkScript.along(try Truth(days: day, rules: rules))
    let seen = [-1e6, 100, 20_000, 28_900, 29_050, 29_200, 40_000].map { script.condition(at: at($0)).kind }
    #expect(seen == [.wifi, .wifi, .wifi, .lte, .none, .lte, .wifi])
  }
}
