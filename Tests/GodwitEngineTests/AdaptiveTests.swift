import Foundation
import GodwitEngine
import GodwitModel
import Testing

extension EngineUnderTest {
  /// Simulates a walk to the north at `speed`, with a motion chip that detects the walk and a receiver that reports a fix two
  /// seconds after it is turned on.
  mutating func walk(from begin: Double, until end: Double, north: Double = 0, speed: Double = 1.4, as motion: Motion = .walking)
  {
    send(.motionChanged(motion, isSure: true), begin)
    var now = begin
    while now < end || request?.desiredAccuracy == .best {
      if request?.desiredAccuracy == .best {
        now += 2
      } else if let due = policyTimer {
        now = max(now, due)
        send(.timerFired(.policy), now)
        continue
      } else {
        return
      }
      satellites(now, north: north + (now - begin) * speed, speed: speed)
    }
  }

  /// Simulates a stop that the motion chip detects, and advances the time until the program may be suspended.
  mutating func rest(at now: Double, north: Double) {
    send(.motionChanged(.stationary, isSure: true), now)
    if request?.desiredAccuracy == .best { satellites(now + 1, north: north, speed: 0) }
    advance(from: now, until: now + 400)
  }

  /// Returns an engine that is at rest 840 m north of the start, after a walk that ended before 1000 s.
  static func resting(_ change: (inout Settings) -> Void = { _ in }) -> EngineUnderTest {
    var engine = EngineUnderTest(policy: .adaptive, change)
    engine.satellites(2, north: 0, speed: 1.4)
    engine.walk(from: 3, until: 603)
    engine.rest(at: 610, north: 850)
    return engine
  }
}

@Suite("The adaptive policy")
struct AdaptiveTests {
  @Test("on foot the receiver runs briefly every half minute, and updates of 3 km accuracy keep the program awake between")
  func onFoot() {
    var engine = EngineUnderTest(policy: .adaptive)
    #expect(engine.request?.desiredAccuracy == .best && engine.request?.showsBackgroundIndicator == true)
    engine.satellites(2, north: 0, speed: 1.4)
    engine.walk(from: 3, until: 1803)
    #expect(engine.request?.desiredAccuracy == .threeKilometers && engine.request?.showsBackgroundIndicator == true)
    #expect(engine.request?.distanceFilter == nil)
    let steps = zip(engine.effects.fixTimes, engine.effects.fixTimes.dropFirst()).map { $1 - $0 }
    #expect((60...80).contains(steps.count), "\(steps)")
    #expect(steps.allSatisfy { $0 <= 28 })
  }

  @Test("after fast fixes in a row, a chip that still reports stationary is ignored until its next report")
  func stoppedChip() {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.satellites(2, north: 0, speed: 0)
    engine.send(.motionChanged(.stationary, isSure: true), 3)
    // The chip does not detect a ride at 12 m/s that begins now. The first fast fix is still taken as a stop because of the
    // chip's report; the second one is not.
    var now = 10.0
    var waits = 0
    while now < 600 {
      if let due = engine.policyTimer, due <= now { engine.send(.timerFired(.policy), now) }
      if engine.request?.desiredAccuracy == .threeKilometers {
        waits += 1
      } else {
        engine.satellites(now, north: (now - 10) * 12, speed: 12)
      }
      now += 2
    }
    #expect(waits > 5, "the receiver is off between two fixes of the ride")
    let last = engine.effects.fixTimes.suffix(10)
    #expect(zip(last, last.dropFirst()).allSatisfy { $1 - $0 < 40 }, "\(last)")
  }

  @Test("a chip that reports stationary during a ride ends neither the ride's fixes nor their interval")
  func standingDuringARide() {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.satellites(2, north: 0, speed: 12)
    engine.send(.motionChanged(.driving, isSure: true), 3)
    var holds = false
    for now in stride(from: 4.0, to: 600, by: 2) {
      if let due = engine.policyTimer, due <= now { engine.send(.timerFired(.policy), now) }
      // Each minute the chip reports stationary, and driving half a minute later, as a chip of 2014 does.
      if now.truncatingRemainder(dividingBy: 60) == 30 { engine.send(.motionChanged(.stationary, isSure: true), now) }
      if now.truncatingRemainder(dividingBy: 60) == 0 { engine.send(.motionChanged(.driving, isSure: true), now) }
      if engine.request?.desiredAccuracy == .best { engine.satellites(now, north: now * 12, speed: 12) }
      if engine.request?.desiredAccuracy == .hundredMeters { holds = true }
    }
    #expect(!holds, "no fix of the ride is slow, so no stationary report is a stop")
  }

  @Test("a stop that is reported by a chip that was wrong within the last hour is checked with fixes, which determine its end")
  func doubtedStop() throws {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.satellites(2, north: 0, speed: 12)
    engine.send(.motionChanged(.driving, isSure: true), 3)
    // One fix contradicts the stationary report at 30 s. The car stands from 100 to 220 s, and the chip does not detect its
    // departure.
    func north(_ now: Double) -> Double { min(now, 100) * 12 + max(0, now - 220) * 12 }
    for now in stride(from: 4.0, to: 400, by: 2) {
      if let due = engine.policyTimer, due <= now { engine.send(.timerFired(.policy), now) }
      if now == 30 || now == 104 { engine.send(.motionChanged(.stationary, isSure: true), now) }
      if now == 40 { engine.send(.motionChanged(.driving, isSure: true), now) }
      let speed = now > 100 && now < 220 ? 0.0 : 12
      if engine.request?.desiredAccuracy == .best { engine.satellites(now, north: north(now), speed: speed) }
    }
    let times = engine.effects.fixTimes
    let first = try #require(times.first { $0 > 222 }, "\(times)")
    #expect(first <= 270, "\(times)")
    #expect(times.contains { $0 >= 210 && $0 <= 226 }, "the end of the stop: \(times)")
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 90 }, "\(times)")
  }

  @Test("later fixes are recorded after a fix with a time in the future", arguments: [600.0, 2 * hour, 300 * day])
  func future(_ ahead: Double) {
    var engine = EngineUnderTest(policy: .adaptive)
    var wrong = fix(2 + ahead, accuracy: 8)
    wrong.speed = 1.4
    engine.send(.fixes([wrong]), 2)
    #expect(engine.effects.fixTimes == [2 + ahead])
    engine.walk(from: 3, until: 603)
    #expect(engine.effects.fixTimes.count { $0 < 600 } > 15, "\(engine.effects.fixTimes)")
  }

  @Test("a late fix does not replace a newer one, also while the clock is behind")
  func late() {
    var engine = EngineUnderTest(policy: .adaptive)
    for (seconds, now) in [(1000.0, 10.0), (1030, 40), (1020, 41)] {
      var late = fix(seconds, north: seconds, accuracy: 8)
      late.speed = 1.4
      if let due = engine.policyTimer, due <= now { engine.send(.timerFired(.policy), now) }
      engine.send(.fixes([late]), now)
    }
    #expect(engine.effects.fixTimes == [1000, 1030])
  }

  @Test("at rest, a departure is detected after a position with a time in the future")
  func futureAtRest() {
    var engine = EngineUnderTest.resting()
    engine.send(.fixes([fix(1500 + 5 * hour, north: 850, accuracy: 20)]), 1500)
    let effects = engine.send(.fixes([fix(1600, north: 2000, accuracy: 20)]), 1600)
    #expect(effects.contains { if case .askMotionHistory(from: let from, _) = $0 { from <= at(1600) } else { false } })
  }

  @Test("turns shorten the interval between fixes, compared with a straight course")
  func turning() {
    func count(turns: Bool) -> Int {
      var engine = EngineUnderTest(policy: .adaptive)
      engine.send(.motionChanged(.driving, isSure: true), 0)
      var (now, north) = (2.0, 0.0)
      var course = 0.0
      while now < 900 {
        var reported = fix(now, north: north, accuracy: 8)
        (reported.speed, reported.course) = (12, course)
        engine.send(.fixes([reported]), now)
        // A receiver that stays on reports the next fix when the distance filter is exceeded.
        let filter = engine.request?.distanceFilter
        let next = filter.map { now + $0 / 12 } ?? max(engine.policyTimer ?? now, now + 1) + 2
        if turns { course = course == 0 ? 180 : 0 }
        north += (course == 0 ? 12 : -12) * (next - now)
        if filter == nil { engine.send(.timerFired(.policy), next - 2) }
        now = next
      }
      return engine.effects.fixes.count
    }
    #expect(count(turns: true) > 2 * count(turns: false))
  }

  @Test("the poor first fixes of a search are skipped; the first good or no longer improving one is used")
  func converging() {
    var engine = EngineUnderTest(policy: .adaptive)
    for (second, accuracy) in [(2.0, 65.0), (3, 45), (4, 30)] {
      engine.satellites(second, north: second * 1.4, speed: 1.4, accuracy: accuracy)
      #expect(engine.effects.fixes.isEmpty)
    }
    engine.satellites(5, north: 7, speed: 1.4, accuracy: 18)
    #expect(engine.effects.fixTimes == [5])
    engine.advance(from: 5, until: 100) { engine, now in
      if engine.request?.desiredAccuracy == .best, engine.effects.fixes.count == 1 {
        engine.satellites(now + 2, north: 2 + now * 1.4, speed: 1.4, accuracy: 40)
        engine.satellites(now + 3, north: 3 + now * 1.4, speed: 1.4, accuracy: 38)
      }
    }
    #expect(engine.effects.fixes.count == 2 && engine.effects.fixes.last?.horizontalAccuracy == 38)
  }

  @Test("a network position is not recorded while satellite fixes arrive, and a position from before the search never is")
  func rough() {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.send(.fixes([fix(-3600, north: 90_000, accuracy: 5)]), 0.1)
    engine.fixes(1, north: 60, accuracy: 65)
    engine.satellites(3, north: 0, speed: 1.4)
    engine.fixes(10, north: 900, accuracy: 1000)
    engine.fixes(11, north: 60, accuracy: 65)
    #expect(engine.effects.fixTimes == [3])
  }

  @Test("an impossible jump is rejected once; a second fix at the same place is accepted")
  func jump() {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.satellites(2, north: 0, speed: 1.4)
    engine.walk(from: 3, until: 200)
    let count = engine.effects.fixes.count
    while engine.request?.desiredAccuracy != .best, let due = engine.policyTimer { engine.send(.timerFired(.policy), due) }
    let now = engine.policyTimer ?? 0
    engine.satellites(now - 5, north: 5000, speed: 1.4)
    #expect(engine.effects.fixes.count == count)
    engine.satellites(now - 4, north: 5001, speed: 1.4)
    #expect(engine.effects.fixes.count == count + 1)
  }

  @Test("without satellites the search ends soon, and is repeated at growing intervals while network positions arrive")
  func roof() {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.satellites(2, north: 0, speed: 1.4)
    engine.send(.motionChanged(.walking, isSure: true), 3)
    var (searching, now) = (0.0, 3.0)
    while now < 3600 || engine.request?.desiredAccuracy == .best, let due = engine.policyTimer {
      if engine.request?.desiredAccuracy == .best { searching += due - now }
      now = due
      engine.send(.timerFired(.policy), now)
    }
    #expect(searching < 150 && engine.request?.desiredAccuracy == .hundredMeters)
    // Network positions are recorded now, at a low rate.
    let before = engine.effects.fixes.count
    for second in 0..<30 { engine.fixes(now + Double(second) * 10, north: Double(second) * 10, accuracy: 50) }
    #expect((2...4).contains(engine.effects.fixes.count - before))
    // The first good fix ends the use of network positions.
    engine.satellites(now + 400, north: 300, speed: 1.4)
    #expect(engine.request?.desiredAccuracy == .threeKilometers)
  }

  @Test("during a short stop the program stays awake; after five minutes the stop is a rest, with a place, a region and a filter")
  func rests() throws {
    var engine = EngineUnderTest(policy: .adaptive)
    engine.satellites(2, north: 0, speed: 10)
    engine.walk(from: 3, until: 303, speed: 10, as: .driving)
    engine.send(.motionChanged([.driving, .stationary], isSure: true), 310)
    if engine.request?.desiredAccuracy == .best { engine.satellites(311, north: 3070, speed: 0) }
    #expect(engine.request?.desiredAccuracy == .hundredMeters && engine.request?.distanceFilter == nil)
    #expect(engine.request?.mode == .standard && !engine.watchesExit)
    let on = engine.send(.motionChanged(.driving, isSure: true), 370)
    #expect(on.configurations.last??.desiredAccuracy == .best)
    engine.satellites(372, north: 3080, speed: 5)
    engine.rest(at: 380, north: 3100)
    #expect(engine.request?.desiredAccuracy == .hundredMeters && engine.request?.distanceFilter == 75)
    #expect(engine.request?.showsBackgroundIndicator == false && engine.watchesExit && engine.policyTimer == nil)
    let place = try #require(engine.effects.fixes.last)
    #expect(place.speed == 0 && abs(GreatCircle.distance(place.coordinate, fix(0, north: 3100).coordinate)) < 30)
  }

  @Test("pending records are sent on wifi before a rest, and wait on a mobile network", arguments: [true, false])
  func sendsBeforeRest(_ isWifi: Bool) {
    var engine = EngineUnderTest(policy: .adaptive) { $0.sendInterval = 3 * hour }
    engine.send(.networkChanged(isReachable: true, isWifi: isWifi), 1)
    engine.satellites(2, north: 0, speed: 1.4)
    engine.walk(from: 3, until: 300)
    #expect(engine.effects.uploads.isEmpty)
    engine.rest(at: 310, north: 420)
    #expect(engine.effects.uploads.count == (isWifi ? 1 : 0))
    if !isWifi {
      engine.send(.networkChanged(isReachable: true, isWifi: true), 1000)
      #expect(engine.effects.uploads.count == 1)
    }
  }

  @Test(
    "an alarm at rest that the chip does not confirm is ignored once and accepted the second time, and the region is set again")
  func falseAlarm() {
    var engine = EngineUnderTest.resting()
    let count = engine.effects.fixes.count
    let alarm = engine.fixes(3000, north: 1100, accuracy: 65)
    #expect(alarm.contains { if case .askMotionHistory = $0 { true } else { false } })
    #expect(alarm.configurations.isEmpty)
    let response = engine.send(.motionHistory([MotionSpan(start: at(620), motion: .stationary)]), 3000.5)
    #expect(response.contains { if case .watchExit = $0 { true } else { false } } && response.configurations.isEmpty)
    #expect(engine.effects.fixes.count == count)
    // A second alarm without a return in between is accepted: the motion of a boat may be too smooth for the chip.
    engine.fixes(3200, north: 1500, accuracy: 65)
    engine.send(.motionHistory([]), 3200.5)
    #expect(engine.request?.desiredAccuracy == .best)
    engine.satellites(3203, north: 1600, speed: 4)
    #expect(engine.effects.fixes.last?.time == at(3203) && !engine.watchesExit)
  }

  @Test("a late departure is reported with the time at which the chip detected motion")
  func departure() throws {
    var engine = EngineUnderTest.resting()
    engine.fixes(5000, north: 1050, accuracy: 65)
    engine.send(
      .motionHistory([
        MotionSpan(start: at(620), motion: .stationary), MotionSpan(start: at(2000), motion: .walking),
        MotionSpan(start: at(2040), motion: .stationary), MotionSpan(start: at(4850), motion: .walking),
      ]), 5000.5)
    #expect(engine.request?.desiredAccuracy == .best)
    engine.satellites(5003, north: 1060, speed: 1.4)
    #expect(engine.effects.fixTimes.suffix(2) == [4850, 5003])
    let visit = try #require(engine.effects.visits.last)
    let left = try #require(visit.departure).timeIntervalSince(start)
    // At 1.4 m/s the device is 100 m away 70 s after the departure.
    #expect((4850...4960).contains(left), "\(left)")
    #expect(try #require(visit.arrival).timeIntervalSince(start) < 700)
  }

  @Test("without a motion chip, speed and distance determine the rest, its end and the estimated departure")
  func noChip() throws {
    var engine = EngineUnderTest(policy: .adaptive)
    func drive(_ from: Double, _ until: Double, _ north: (Double) -> Double, _ speed: Double) {
      var now = from
      while now < until {
        if engine.request?.desiredAccuracy == .best {
          now += 2
          engine.satellites(now, north: north(now), speed: speed)
        } else if engine.request?.distanceFilter == 75 {
          return
        } else {
          now = max(now + 0.1, engine.policyTimer ?? now + 60)
          engine.send(.timerFired(.policy), now)
        }
      }
    }
    drive(0, 600, { $0 * 10 }, 10)
    drive(600, 3000, { _ in 6000 }, 0.1)
    #expect(engine.request?.distanceFilter == 75 && engine.watchesExit)
    engine.fixes(10_000, north: 6300, accuracy: 65)
    engine.send(.motionHistory([]), 10_000.5)
    engine.satellites(10_003, north: 6320, speed: 10)
    let visit = try #require(engine.effects.visits.last { $0.departure != nil })
    let left = try #require(visit.departure).timeIntervalSince(start)
    #expect((9900...10_003).contains(left), "\(left)")
  }

  @Test("at rest, location updates are turned off if the system does not suspend the program despite the filter")
  func notSuspended() {
    var engine = EngineUnderTest.resting()
    for minute in 1...6 { engine.send(.tick, 1100 + Double(minute) * 60) }
    #expect(engine.request?.mode == .significant && engine.watchesExit)
    // Minutes that are not successive do not count.
    engine = .resting()
    for minute in 1...6 { engine.send(.tick, 1100 + Double(minute) * 600) }
    #expect(engine.request?.mode == .standard)
  }

  @Test("a relaunch at rest keeps the start of the rest, queries the motion chip, and reports one stay")
  func relaunch() throws {
    let before = EngineUnderTest.resting()
    let rest = try #require(before.effects.compactMap { if case .storeRest(let rest) = $0 { rest } else { nil } }.last)
    var launch = Launch(wasTracking: true, waiting: [:], lastKept: before.effects.fixes.last)
    // Encoded and decoded, as in the journal.
    launch.rest = try JSONDecoder().decode(Rest.self, from: JSONEncoder().encode(rest))
    var engine = EngineUnderTest(unlaunched: before.engine.settings)
    let launched = engine.send(.launched(launch), 9000)
    #expect(launched.contains { if case .askMotionHistory = $0 { true } else { false } })
    engine.send(.authorizationChanged(.always), 9000)
    engine.send(.leftRegion, 9000)
    engine.send(.motionHistory([MotionSpan(start: at(8800), motion: .walking)]), 9000.5)
    engine.satellites(9004, north: 1100, speed: 1.4)
    let visit = try #require(engine.effects.visits.last)
    #expect(visit.arrival == rest.arrival)
    #expect((8800...9004).contains(try #require(visit.departure).timeIntervalSince(start)))
  }

  @Test("an arrival is reported once the stop is a stay, and the end of each stay is reported once")
  func visits() {
    var engine = EngineUnderTest.resting()
    #expect(engine.effects.visits.filter { $0.departure == nil }.count == 1)
    engine.walk(from: 4000, until: 4600, north: 850)
    #expect(engine.effects.visits.filter { $0.departure != nil }.count == 1)
    // Without the setting no stay is reported.
    #expect(EngineUnderTest.resting { $0.main.tracksVisits = false }.effects.visits.isEmpty)
  }

  @Test("at rest the coverage log has the reason, and no reminder is scheduled")
  func coverage() {
    var engine = EngineUnderTest.resting { $0.notifies = true }
    engine.send(.tick, 1100)
    engine.send(.tick, 8000)
    #expect(engine.engine.coverageEntry?.reason == .atRest)
    #expect(engine.effects.scheduled(.noPositions) == nil)
  }
}
