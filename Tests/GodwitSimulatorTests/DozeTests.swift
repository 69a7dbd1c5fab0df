import GodwitModel
import GodwitSimulator
import Testing

@Suite("Android's rules at rest")
struct DozeTests {
  /// Returns the phases without outside events, each with its start in minutes since midnight.
  private func phases(_ schedule: DozeSchedule, until end: SimulatedTime) -> [String] {
    var schedule = schedule
    var phases: [String] = []
    while schedule.phaseEnd <= end {
      let time = schedule.phaseEnd
      schedule.advance(to: time)
      phases.append("\(Int((time - midnight) / 60)) \(schedule.phase)")
    }
    return phases
  }

  @Test("an unused phone is idle after 62 minutes, then for 60, 120, 240, 360, 360 minutes, with windows of 5 and 10 minutes")
  func table() {
    let schedule = DozeSchedule(from: midnight)
    #expect(schedule.phase == .inactive)
    #expect(
      phases(schedule, until: at(86_400)) == [
        "30 pending", "60 sensing", "62 idle", "122 maintenance", "127 idle", "247 maintenance", "257 idle", "497 maintenance",
        "507 idle", "867 maintenance", "877 idle", "1237 maintenance", "1247 idle",
      ])
  }

  @Test("randomness shortens idle times, by up to 15 minutes of 60 and up to 30 of longer ones", arguments: seeds)
  func early(seed: UInt64) {
    var schedule = DozeSchedule(from: midnight, seed: seed)
    var idleTimes: [Double] = []
    while idleTimes.count < 6 {
      let (phase, start) = (schedule.phase, schedule.phaseEnd)
      schedule.advance(to: start)
      if schedule.phase == .idle, phase != .idle { idleTimes.append((schedule.phaseEnd - start) / 60) }
    }
    for (seconds, range) in zip(
      idleTimes, [45...60, 90...120, 210...240, 330...360, 330...360, 330...360] as [ClosedRange<Double>])
    {
      #expect(range.contains(seconds), "seed \(seed)")
    }
    #expect(Set(idleTimes).count == 6)
  }

  @Test(
    "motion ends each phase with motion detection, and the phone is inactive for ten minutes",
    arguments: [(40.0, "pending"), (61, "sensing"), (100, "idle"), (124, "maintenance"), (300, "idle")])
  func motion(minutes: Double, phase: String) {
    var schedule = DozeSchedule(from: midnight)
    while schedule.phaseEnd <= at(minutes * 60) { schedule.advance(to: schedule.phaseEnd) }
    #expect(schedule.phase.rawValue == phase)
    schedule.setMoving(true, at: at(minutes * 60))
    #expect(schedule.phase == .inactive && schedule.phaseEnd == at(minutes * 60 + 600))
    // The phone still moves, which the next check detects.
    schedule.advance(to: schedule.phaseEnd)
    #expect(schedule.phase == .inactive && schedule.phaseEnd == at(minutes * 60 + 1_200))
    schedule.setMoving(false, at: at(minutes * 60 + 700))
    let start = Int(minutes) + 20
    #expect(
      phases(schedule, until: at(minutes * 60 + 8_000)) == [
        "\(start) pending", "\(start + 30) sensing", "\(start + 32) idle", "\(start + 92) maintenance", "\(start + 97) idle",
      ])
  }

  @Test("motion in the first half hour has no effect")
  func earlyMotion() {
    var schedule = DozeSchedule(from: midnight)
    schedule.setMoving(true, at: at(600))
    schedule.setMoving(false, at: at(700))
    #expect(schedule.phase == .inactive && schedule.phaseEnd == at(1_800))
  }

  @Test("a charger and the screen end and prevent idleness, which starts again without them", arguments: [true, false])
  func use(isCharger: Bool) {
    var schedule = DozeSchedule(from: midnight)
    func change(_ isOn: Bool, _ minutes: Double) {
      if isCharger {
        schedule.setCharging(isOn, at: at(minutes * 60))
      } else {
        schedule.setScreen(isOn: isOn, at: at(minutes * 60))
      }
    }
    while schedule.phase != .idle { schedule.advance(to: schedule.phaseEnd) }
    change(true, 80)
    #expect(schedule.phase == .active && schedule.phaseEnd == .never)
    schedule.advance(to: at(80_000))
    #expect(schedule.phase == .active)
    change(false, 500)
    #expect(phases(schedule, until: at(600 * 60)) == ["530 pending", "560 sensing", "562 idle"])
  }

  // MARK: The world

  private func world(_ hazards: String = "", rules: RestRules = .doze) throws -> World {
    let truth = try Truth(days: [[sample(0)] + straight(from: 36_000, seconds: 600, speed: 1.3) + [sample(86_400, north: 780)]])
    return World(
      truth: truth, phone: PhoneProfile.usual.with(rules), seed: 3, hazards: try HazardScript(text: hazards))
  }

  @Test("an idle phone has no positions and no network, and motion restores both")
  func idle() throws {
    var world = try world()
    world.setRunning(true)
    world.startUpdating(.hundredMeters)
    var times: [Double] = []
    var changes: [String] = []
    while let event = world.next(until: at(36_100)) {
      if event.position != nil {
        #expect(!world.isIdle)
        times.append((world.now - midnight) / 60)
      }
      if case .idle(let isIdle) = event {
        #expect(world.isIdle == isIdle && world.network.isReachable != isIdle)
        #expect((world.account.power(of: .processor) == .zero) == isIdle)
        let transfer = world.send(up: 100, down: 100)
        #expect((transfer == nil) == isIdle)
        changes.append("\(isIdle ? "idle" : "awake") \(Int((world.now - midnight) / 60))")
      }
    }
    #expect(changes == ["idle 62", "awake 112", "idle 117", "awake 226", "idle 236", "awake 469", "idle 479", "awake 600"])
    #expect(times.count > 40 && world.accuracy == .hundredMeters)
    #expect(try #require(times.last) > 600)
  }

  @Test("Apple's rules and a charger keep everything on", arguments: [RestRules.apple, .doze])
  func awake(rules: RestRules) throws {
    var world = try world(rules == .doze ? "+1s charger on" : "", rules: rules)
    world.startUpdating(.hundredMeters)
    let events = world.events(until: at(36_000))
    #expect(!events.contains { if case .idle = $0 { true } else { false } })
    #expect(events.count { $0.position != nil } >= 300)
  }

  @Test(
    "a phone that restarts or has an empty battery starts again",
    arguments: ["+2h30m reboot", "+2h30m battery 0\n+2h40m charger on"])
  func restart(script: String) throws {
    var world = try world(script)
    world.advance(until: at(8_000))
    #expect(world.isIdle)
    world.advance(until: at(9_300))
    #expect(!world.isIdle)
    if !world.isAlive {
      world.advance(until: at(9_700))
      let isOn = world.powerOn()
      #expect(isOn)
      #expect(world.network.isReachable && !world.isIdle)
    } else {
      world.advance(until: at(9_000 + 3_710))
      #expect(!world.isIdle)
      world.advance(until: at(9_000 + 3_725))
      #expect(world.isIdle)
    }
  }

  @Test("only the Nexus 6 has Android's rules")
  func phones() {
    for phone in PhoneProfile.all { #expect((phone.restRules == .doze) == (phone.name == "nexus-6")) }
  }
}
