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
    var bench = EngineUnderTest(policy: .adaptive, change)
    bench.satellites(2, north: 0, speed: 1.4)
    bench.walk(from: 3, until: 603)
    bench.rest(at: 610, north: 850)
    return bench
  }
}

@Suite("The adaptive policy")
struct AdaptiveTests {
  @Test("on foot the receiver runs briefly every half minute, and updates of 3 km accuracy keep the program awake between")
  func onFoot() {
    var bench = EngineUnderTest(policy: .adaptive)
    #expect(bench.request?.desiredAccuracy == .best && bench.request?.showsBackgroundIndicator == true)
    bench.satellites(2, north: 0, speed: 1.4)
    bench.walk(from: 3, until: 1803)
    #expect(bench.request?.desiredAccuracy == .threeKilometers && bench.request?.showsBackgroundIndicator == true)
    #expect(bench.request?.distanceFilter == nil)
    let steps = zip(bench.effects.fixTimes, bench.effects.fixTimes.dropFirst()).map { $1 - $0 }
    #expect((60...80).contains(steps.count), "\(steps)")
    #expect(steps.allSatisfy { $0 <= 28 })
  }

  @Test("after fast fixes in a row, a chip that still reports stationary is ignored until its next report")
  func stoppedChip() {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.satellites(2, north: 0, speed: 0)
    bench.send(.motionChanged(.stationary, isSure: true), 3)
    // The chip does not detect a ride at 12 m/s that begins now. The first fast fix is still taken as a stop because of the
    // chip's report; the second one is not.
    var now = 10.0
    var waits = 0
    while now < 600 {
      if let due = bench.policyTimer, due <= now { bench.send(.timerFired(.policy), now) }
      if bench.request?.desiredAccuracy == .threeKilometers {
        waits += 1
      } else {
        bench.satellites(now, north: (now - 10) * 12, speed: 12)
      }
      now += 2
    }
    #expect(waits > 5, "the receiver is off between two fixes of the ride")
    let last = bench.effects.fixTimes.suffix(10)
    #expect(zip(last, last.dropFirst()).allSatisfy { $1 - $0 < 40 }, "\(last)")
  }

  @Test("a chip that reports stationary during a ride ends neither the ride's fixes nor their interval")
  func standingDuringARide() {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.satellites(2, north: 0, speed: 12)
    bench.send(.motionChanged(.driving, isSure: true), 3)
    var holds = false
    for now in stride(from: 4.0, to: 600, by: 2) {
      if let due = bench.policyTimer, due <= now { bench.send(.timerFired(.policy), now) }
      // Each minute the chip reports stationary, and driving half a minute later, as a chip of 2014 does.
      if now.truncatingRemainder(dividingBy: 60) == 30 { bench.send(.motionChanged(.stationary, isSure: true), now) }
      if now.truncatingRemainder(dividingBy: 60) == 0 { bench.send(.motionChanged(.driving, isSure: true), now) }
      if bench.request?.desiredAccuracy == .best { bench.satellites(now, north: now * 12, speed: 12) }
      if bench.request?.desiredAccuracy == .hundredMeters { holds = true }
    }
    #expect(!holds, "no fix of the ride is slow, so no stationary report is a stop")
  }

  @Test("a stop that is reported by a chip that was wrong within the last hour is checked with fixes, which determine its end")
  func doubtedStop() throws {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.satellites(2, north: 0, speed: 12)
    bench.send(.motionChanged(.driving, isSure: true), 3)
    // One fix contradicts the stationary report at 30 s. The car stands from 100 to 220 s, and the chip does not detect its
    // departure.
    func north(_ now: Double) -> Double { min(now, 100) * 12 + max(0, now - 220) * 12 }
    for now in stride(from: 4.0, to: 400, by: 2) {
      if let due = bench.policyTimer, due <= now { bench.send(.timerFired(.policy), now) }
      if now == 30 || now == 104 { bench.send(.motionChanged(.stationary, isSure: true), now) }
      if now == 40 { bench.send(.motionChanged(.driving, isSure: true), now) }
      let speed = now > 100 && now < 220 ? 0.0 : 12
      if bench.request?.desiredAccuracy == .best { bench.satellites(now, north: north(now), speed: speed) }
    }
    let times = bench.effects.fixTimes
    let first = try #require(times.first { $0 > 222 }, "\(times)")
    #expect(first <= 270, "\(times)")
    #expect(times.contains { $0 >= 210 && $0 <= 226 }, "the end of the stop: \(times)")
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 90 }, "\(times)")
  }

  @Test("later fixes are recorded after a fix with a time in the future", arguments: [600.0, 2 * hour, 300 * day])
  func future(_ ahead: Double) {
    var bench = EngineUnderTest(policy: .adaptive)
    var wrong = fix(2 + ahead, accuracy: 8)
    wrong.speed = 1.4
    bench.send(.fixes([wrong]), 2)
    #expect(bench.effects.fixTimes == [2 + ahead])
    bench.walk(from: 3, until: 603)
    #expect(bench.effects.fixTimes.count { $0 < 600 } > 15, "\(bench.effects.fixTimes)")
  }

  @Test("a late fix does not replace a newer one, also while the clock is behind")
  func late() {
    var bench = EngineUnderTest(policy: .adaptive)
    for (seconds, now) in [(1000.0, 10.0), (1030, 40), (1020, 41)] {
      var late = fix(seconds, north: seconds, accuracy: 8)
      late.speed = 1.4
      if let due = bench.policyTimer, due <= now { bench.send(.timerFired(.policy), now) }
      bench.send(.fixes([late]), now)
    }
    #expect(bench.effects.fixTimes == [1000, 1030])
  }

  @Test("at rest, a departure is detected after a position with a time in the future")
  func futureAtRest() {
    var bench = EngineUnderTest.resting()
    bench.send(.fixes([fix(1500 + 5 * hour, north: 850, accuracy: 20)]), 1500)
    let effects = bench.send(.fixes([fix(1600, north: 2000, accuracy: 20)]), 1600)
    #expect(effects.contains { if case .askMotionHistory(from: let from, _) = $0 { from <= at(1600) } else { false } })
  }

  @Test("turns shorten the interval between fixes, compared with a straight course")
  func turning() {
    func count(turns: Bool) -> Int {
      var bench = EngineUnderTest(policy: .adaptive)
      bench.send(.motionChanged(.driving, isSure: true), 0)
      var (now, north) = (2.0, 0.0)
      var course = 0.0
      while now < 900 {
        var reported = fix(now, north: north, accuracy: 8)
        (reported.speed, reported.course) = (12, course)
        bench.send(.fixes([reported]), now)
        // A receiver that stays on reports the next fix when the distance filter is exceeded.
        let filter = bench.request?.distanceFilter
        let next = filter.map { now + $0 / 12 } ?? max(bench.policyTimer ?? now, now + 1) + 2
        if turns { course = course == 0 ? 180 : 0 }
        north += (course == 0 ? 12 : -12) * (next - now)
        if filter == nil { bench.send(.timerFired(.policy), next - 2) }
        now = next
      }
      return bench.effects.fixes.count
    }
    #expect(count(turns: true) > 2 * count(turns: false))
  }

  @Test("the poor first fixes of a search are skipped; the first good or no longer improving one is used")
  func converging() {
    var bench = EngineUnderTest(policy: .adaptive)
    for (second, accuracy) in [(2.0, 65.0), (3, 45), (4, 30)] {
      bench.satellites(second, north: second * 1.4, speed: 1.4, accuracy: accuracy)
      #expect(bench.effects.fixes.isEmpty)
    }
    bench.satellites(5, north: 7, speed: 1.4, accuracy: 18)
    #expect(bench.effects.fixTimes == [5])
    bench.advance(from: 5, until: 100) { bench, now in
      if bench.request?.desiredAccuracy == .best, bench.effects.fixes.count == 1 {
        bench.satellites(now + 2, north: 2 + now * 1.4, speed: 1.4, accuracy: 40)
        bench.satellites(now + 3, north: 3 + now * 1.4, speed: 1.4, accuracy: 38)
      }
    }
    #expect(bench.effects.fixes.count == 2 && bench.effects.fixes.last?.horizontalAccuracy == 38)
  }

  @Test("a network position is not recorded while satellite fixes arrive, and a position from before the search never is")
  func rough() {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.send(.fixes([fix(-3600, north: 90_000, accuracy: 5)]), 0.1)
    bench.fixes(1, north: 60, accuracy: 65)
    bench.satellites(3, north: 0, speed: 1.4)
    bench.fixes(10, north: 900, accuracy: 1000)
    bench.fixes(11, north: 60, accuracy: 65)
    #expect(bench.effects.fixTimes == [3])
  }

  @Test("an impossible jump is rejected once; a second fix at the same place is accepted")
  func jump() {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.satellites(2, north: 0, speed: 1.4)
    bench.walk(from: 3, until: 200)
    let count = bench.effects.fixes.count
    while bench.request?.desiredAccuracy != .best, let due = bench.policyTimer { bench.send(.timerFired(.policy), due) }
    let now = bench.policyTimer ?? 0
    bench.satellites(now - 5, north: 5000, speed: 1.4)
    #expect(bench.effects.fixes.count == count)
    bench.satellites(now - 4, north: 5001, speed: 1.4)
    #expect(bench.effects.fixes.count == count + 1)
  }

  @Test("without satellites the search ends soon, and is repeated at growing intervals while network positions arrive")
  func roof() {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.satellites(2, north: 0, speed: 1.4)
    bench.send(.motionChanged(.walking, isSure: true), 3)
    var (searching, now) = (0.0, 3.0)
    while now < 3600 || bench.request?.desiredAccuracy == .best, let due = bench.policyTimer {
      if bench.request?.desiredAccuracy == .best { searching += due - now }
      now = due
      bench.send(.timerFired(.policy), now)
    }
    #expect(searching < 150 && bench.request?.desiredAccuracy == .hundredMeters)
    // Network positions are recorded now, at a low rate.
    let before = bench.effects.fixes.count
    for second in 0..<30 { bench.fixes(now + Double(second) * 10, north: Double(second) * 10, accuracy: 50) }
    #expect((2...4).contains(bench.effects.fixes.count - before))
    // The first good fix ends the use of network positions.
    bench.satellites(now + 400, north: 300, speed: 1.4)
    #expect(bench.request?.desiredAccuracy == .threeKilometers)
  }

  @Test("during a short stop the program stays awake; after five minutes the stop is a rest, with a place, a region and a filter")
  func rests() throws {
    var bench = EngineUnderTest(policy: .adaptive)
    bench.satellites(2, north: 0, speed: 10)
    bench.walk(from: 3, until: 303, speed: 10, as: .driving)
    bench.send(.motionChanged([.driving, .stationary], isSure: true), 310)
    if bench.request?.desiredAccuracy == .best { bench.satellites(311, north: 3070, speed: 0) }
    #expect(bench.request?.desiredAccuracy == .hundredMeters && bench.request?.distanceFilter == nil)
    #expect(bench.request?.mode == .standard && !bench.watchesExit)
    let on = bench.send(.motionChanged(.driving, isSure: true), 370)
    #expect(on.configurations.last??.desiredAccuracy == .best)
    bench.satellites(372, north: 3080, speed: 5)
    bench.rest(at: 380, north: 3100)
    #expect(bench.request?.desiredAccuracy == .hundredMeters && bench.request?.distanceFilter == 75)
    #expect(bench.request?.showsBackgroundIndicator == false && bench.watchesExit && bench.policyTimer == nil)
    let place = try #require(bench.effects.fixes.last)
    #expect(place.speed == 0 && abs(GreatCircle.distance(place.coordinate, fix(0, north: 3100).coordinate)) < 30)
  }

  @Test("pending records are sent on wifi before a rest, and wait on a mobile network", arguments: [true, false])
  func sendsBeforeRest(_ isWifi: Bool) {
    var bench = EngineUnderTest(policy: .adaptive) { $0.sendInterval = 3 * hour }
    bench.send(.networkChanged(isReachable: true, isWifi: isWifi), 1)
    bench.satellites(2, north: 0, speed: 1.4)
    bench.walk(from: 3, until: 300)
    #expect(bench.effects.uploads.isEmpty)
    bench.rest(at: 310, north: 420)
    #expect(bench.effects.uploads.count == (isWifi ? 1 : 0))
    if !isWifi {
      bench.send(.networkChanged(isReachable: true, isWifi: true), 1000)
      #expect(bench.effects.uploads.count == 1)
    }
  }

  @Test(
    "an alarm at rest that the chip does not confirm is ignored once and accepted the second time, and the region is set again")
  func falseAlarm() {
    var bench = EngineUnderTest.resting()
    let count = bench.effects.fixes.count
    let alarm = bench.fixes(3000, north: 1100, accuracy: 65)
    #expect(alarm.contains { if case .askMotionHistory = $0 { true } else { false } })
    #expect(alarm.configurations.isEmpty)
    let response = bench.send(.motionHistory([MotionSpan(start: at(620), motion: .stationary)]), 3000.5)
    #expect(response.contains { if case .watchExit = $0 { true } else { false } } && response.configurations.isEmpty)
    #expect(bench.effects.fixes.count == count)
    // A second alarm without a return in between is accepted: the motion of a boat may be too smooth for the chip.
    bench.fixes(3200, north: 1500, accuracy: 65)
    bench.send(.motionHistory([]), 3200.5)
    #expect(bench.request?.desiredAccuracy == .best)
    bench.satellites(3203, north: 1600, speed: 4)
    #expect(bench.effects.fixes.last?.time == at(3203) && !bench.watchesExit)
  }

  @Test("a late departure is reported with the time at which the chip detected motion")
  func departure() throws {
    var bench = EngineUnderTest.resting()
    bench.fixes(5000, north: 1050, accuracy: 65)
    bench.send(
      .motionHistory([
        MotionSpan(start: at(620), motion: .stationary), MotionSpan(start: at(2000), motion: .walking),
        MotionSpan(start: at(2040), motion: .stationary), MotionSpan(start: at(4850), motion: .walking),
      ]), 5000.5)
    #expect(bench.request?.desiredAccuracy == .best)
    bench.satellites(5003, north: 1060, speed: 1.4)
    #expect(bench.effects.fixTimes.suffix(2) == [4850, 5003])
    let visit = try #require(bench.effects.visits.last)
    let left = try #require(visit.departure).timeIntervalSince(start)
    // At 1.4 m/s the device is 100 m away 70 s after the departure.
    #expect((4850...4960).contains(left), "\(left)")
    #expect(try #require(visit.arrival).timeIntervalSince(start) < 700)
  }

  @Test("without a motion chip, speed and distance determine the rest, its end and the estimated departure")
  func noChip() throws {
    var bench = EngineUnderTest(policy: .adaptive)
    func drive(_ from: Double, _ until: Double, _ north: (Double) -> Double, _ speed: Double) {
      var now = from
      while now < until {
        if bench.request?.desiredAccuracy == .best {
          now += 2
          bench.satellites(now, north: north(now), speed: speed)
        } else if bench.request?.distanceFilter == 75 {
          return
        } else {
          now = max(now + 0.1, bench.policyTimer ?? now + 60)
          bench.send(.timerFired(.policy), now)
        }
      }
    }
    drive(0, 600, { $0 * 10 }, 10)
    drive(600, 3000, { _ in 6000 }, 0.1)
    #expect(bench.request?.distanceFilter == 75 && bench.watchesExit)
    bench.fixes(10_000, north: 6300, accuracy: 65)
    bench.send(.motionHistory([]), 10_000.5)
    bench.satellites(10_003, north: 6320, speed: 10)
    let visit = try #require(bench.effects.visits.last { $0.departure != nil })
    let left = try #require(visit.departure).timeIntervalSince(start)
    #expect((9900...10_003).contains(left), "\(left)")
  }

  @Test("at rest, location updates are turned off if the system does not suspend the program despite the filter")
  func notSuspended() {
    var bench = EngineUnderTest.resting()
    for minute in 1...6 { bench.send(.tick, 1100 + Double(minute) * 60) }
    #expect(bench.request?.mode == .significant && bench.watchesExit)
    // Minutes that are not successive do not count.
    bench = .resting()
    for minute in 1...6 { bench.send(.tick, 1100 + Double(minute) * 600) }
    #expect(bench.request?.mode == .standard)
  }

  @Test("a relaunch at rest keeps the start of the rest, queries the motion chip, and reports one stay")
  func relaunch() throws {
    let before = EngineUnderTest.resting()
    let rest = try #require(before.effects.compactMap { if case .storeRest(let rest) = $0 { rest } else { nil } }.last)
    var launch = Launch(wasTracking: true, waiting: [:], lastKept: before.effects.fixes.last)
    // Encoded and decoded, as in the journal.
    launch.rest = try JSONDecoder().decode(Rest.self, from: JSONEncoder().encode(rest))
    var bench = EngineUnderTest(unlaunched: before.engine.settings)
    let launched = bench.send(.launched(launch), 9000)
    #expect(launched.contains { if case .askMotionHistory = $0 { true } else { false } })
    bench.send(.authorizationChanged(.always), 9000)
    bench.send(.leftRegion, 9000)
    bench.send(.motionHistory([MotionSpan(start: at(8800), motion: .walking)]), 9000.5)
    bench.satellites(9004, north: 1100, speed: 1.4)
    let visit = try #require(bench.effects.visits.last)
    #expect(visit.arrival == rest.arrival)
    #expect((8800...9004).contains(try #require(visit.departure).timeIntervalSince(start)))
  }

  @Test("an arrival is reported once the stop is a stay, and the end of each stay is reported once")
  func visits() {
    var bench = EngineUnderTest.resting()
    #expect(bench.effects.visits.filter { $0.departure == nil }.count == 1)
    bench.walk(from: 4000, until: 4600, north: 850)
    #expect(bench.effects.visits.filter { $0.departure != nil }.count == 1)
    // Without the setting no stay is reported.
    #expect(EngineUnderTest.resting { $0.main.tracksVisits = false }.effects.visits.isEmpty)
  }

  @Test("at rest the coverage log has the reason, and no reminder is scheduled")
  func coverage() {
    var bench = EngineUnderTest.resting { $0.notifies = true }
    bench.send(.tick, 1100)
    bench.send(.tick, 8000)
    #expect(bench.engine.coverageEntry?.reason == .atRest)
    #expect(bench.effects.scheduled(.noPositions) == nil)
  }
}
