import Foundation
import GodwitEngine
import GodwitModel
import Testing

extension EngineUnderTest {
  /// Ends the trip and sends the result of the pedometer.
  @discardableResult
  mutating func finishTrip(steps: Int? = nil, at seconds: Double) -> [Effect] {
    send(.stopTrip, seconds) + send(.stepsCounted(steps), seconds)
  }
}

@Suite("Trips")
struct TripTests {
  @Test("a trip has the mode of the settings, or the requested mode", arguments: [nil] + TripMode.allCases.map { $0 })
  func mode(_ mode: TripMode?) throws {
    var engine = EngineUnderTest { $0.tripMode = .tram }
    engine.send(.startTrip(mode), 10)
    #expect(engine.engine.trip?.mode == mode ?? .tram)
    let trip = try #require(engine.finishTrip(at: 70).trips.first)
    #expect(trip.mode == (mode ?? .tram).rawValue)
  }

  @Test("the distance of a trip continues after a fix with a time in the future, and does not include a late fix")
  func future() throws {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 10)
    engine.fixes(11)
    engine.send(.fixes([fix(12 + 2 * hour, north: 10)]), 12)
    for second in 1...10 { engine.fixes(12 + Double(second), north: 10 + 10 * Double(second)) }
    engine.send(.fixes([fix(15, north: 500)]), 23)
    let trip = try #require(engine.finishTrip(at: 30).trips.first)
    #expect(abs(trip.distance - 110) < 1 && trip.endFix?.time == at(22))
  }

  @Test("the end of a trip withdraws the notices whose buttons would end the next one", arguments: [true, false])
  func notices(_ isByPause: Bool) {
    var engine = EngineUnderTest { $0.notifies = true }
    engine.send(.startTrip(nil), 10)
    engine.send(.paused, 100)
    let ended = isByPause ? engine.send(.timerFired(.tripGrace), 700) : engine.send(.stopTrip, 120)
    #expect(!engine.engine.isOnTrip && ended.contains(.withdraw(.endTrip)))
  }

  @Test("a start sends the former records, stores the trip and applies its settings; the end reverts them and sends the trip")
  func startAndStop() throws {
    var engine = EngineUnderTest {
      $0.main.desiredAccuracy = .kilometer
      $0.main.trackingMode = .significant
      $0.trip.desiredAccuracy = .best
      $0.trip.preventsScreenLock = true
    }
    engine.fixes(0)
    let started = engine.send(.startTrip(.train), 10)
    #expect(started.uploads == [home] && started.requests.first?.trip == nil)
    #expect(started.keptTrip??.mode == .train)
    #expect(started.contains(.storeTripModes([.train: 1])))
    #expect(started.contains(.keepScreenOn(true)))
    #expect(started.configurations.map { $0?.desiredAccuracy } == [.best])
    #expect(started.configurations.map { $0?.mode } == [.both])
    engine.accept(at: 11)
    let ended = engine.send(.stopTrip, 70)
    #expect(ended.contains(.keepScreenOn(false)))
    #expect(ended.contains(.countSteps(from: at(10), to: at(70))))
    #expect(ended.timer(.steps) == 80)
    #expect(ended.configurations.map { $0?.desiredAccuracy } == [.kilometer])
    #expect(ended.configurations.map { $0?.mode } == [.significant])
    #expect(ended.trips.isEmpty && !engine.engine.isOnTrip)
    let finished = engine.send(.stepsCounted(120), 72)
    #expect(finished.trips.first?.steps == 120)
    #expect(finished.contains(.cancelTimer(.steps)))
    #expect(finished.keptTrip == .some(nil))
    #expect(finished.uploads == [home])
    #expect(engine.engine.trip == nil)
  }

  @Test("the location indicator is the trip's own during a trip, and the main one again after it", arguments: [true, false])
  func indicator(duringTrips: Bool) {
    var engine = EngineUnderTest {
      $0.main.showsBackgroundIndicator = !duringTrips
      $0.trip.showsBackgroundIndicator = duringTrips
    }
    let started = engine.send(.startTrip(nil), 10)
    #expect(started.configurations.last??.showsBackgroundIndicator == duringTrips)
    let ended = engine.send(.stopTrip, 70)
    #expect(ended.configurations.last??.showsBackgroundIndicator == !duringTrips)
  }

  @Test("the finished trip's record has all of its fields")
  func record() throws {
    var engine = EngineUnderTest()
    engine.send(.startTrip(.bicycle), 10.75)
    for second in 0...60 { engine.fixes(20 + Double(second), north: Double(second) * 5, accuracy: 10) }
    let trip = try #require(engine.finishTrip(steps: 9, at: 100).trips.first)
    // The start is also the id of the trip, and has whole seconds.
    #expect(trip.start == at(10) && trip.end == at(100) && trip.duration == 90)
    #expect(trip.startFix == fix(20, accuracy: 10))
    #expect(trip.endFix == fix(80, north: 300, accuracy: 10))
    #expect(abs(trip.distance - 300) < 0.01)
    #expect(trip.steps == 9 && !trip.stoppedAutomatically)
  }

  struct Leg: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Seconds, metres north, accuracy.
    var fixes: [(Double, Double, Double?)]
    var distance: Double
    var start: Double?
  }

  @Test(
    "distance is the sum of the steps between fixes that are good enough and belong to the trip",
    arguments: [
      Leg(testDescription: "no fix", fixes: [], distance: 0, start: nil),
      Leg(testDescription: "one fix", fixes: [(10, 0, 5)], distance: 0, start: 10),
      Leg(testDescription: "there and back", fixes: [(10, 0, 5), (20, 100, 5), (30, 0, 5)], distance: 200, start: 10),
      Leg(testDescription: "200 m of accuracy are good enough", fixes: [(10, 0, 200), (20, 100, 200)], distance: 100, start: 10),
      Leg(
        testDescription: "201 m are not", fixes: [(10, 0, 201), (20, 100, 5), (30, 5000, 201), (40, 200, 5)],
        distance: 100, start: 20),
      Leg(testDescription: "an unknown accuracy is no bad one", fixes: [(10, 0, nil), (20, 70, nil)], distance: 70, start: 10),
      Leg(
        testDescription: "a fix from before the start is not part of the trip",
        fixes: [(-20, -900, 5), (10, 0, 5), (20, 50, 5)],
        distance: 50, start: 10),
      Leg(
        testDescription: "a late fix adds no distance", fixes: [(10, 0, 5), (30, 100, 5), (20, 40, 5), (40, 150, 5)],
        distance: 150, start: 10),
    ])
  func distance(_ leg: Leg) throws {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 0)
    for (index, (seconds, meters, accuracy)) in leg.fixes.enumerated() {
      engine.send(.fixes([fix(seconds, north: meters, accuracy: accuracy)]), 50 + Double(index))
    }
    let trip = try #require(engine.finishTrip(at: 100).trips.first)
    #expect(abs(trip.distance - leg.distance) < 0.01)
    #expect(trip.startFix?.time == leg.start.map(at))
  }

  @Test("distances count after the clock was set back to a time before the start")
  func setBack() throws {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 0)
    for (seconds, meters) in [(10.0, 0.0), (20, 100), (20 - 20 * day, 150), (30 - 20 * day, 250)] {
      engine.fixes(seconds, north: meters)
    }
    let trip = try #require(engine.finishTrip(at: 40 - 20 * day).trips.first)
    #expect(abs(trip.distance - 250) < 0.01)
  }

  @Test("only the records during a trip have its id, and the record of the trip itself does not")
  func tripID() {
    var engine = EngineUnderTest()
    let before = engine.fixes(5)
    engine.send(.startTrip(nil), 10)
    let during = engine.fixes(20)
    let ended = engine.finishTrip(at: 30)
    let after = engine.fixes(40)
    #expect(before.records.map(\.context.tripID) == [nil])
    #expect(during.records.map(\.context.tripID) == ["2027-01-15T08:00:10Z"])
    #expect(ended.records.map(\.context.tripID) == [nil])
    #expect(after.records.map(\.context.tripID) == [nil])
  }

  @Test("filters and batches of the trip apply during it, and the former ones after it")
  func settings() {
    var engine = EngineUnderTest {
      $0.main.minimumDistance = 100
      $0.main.batchSize = 1000
      $0.main.loggingMode = .latest
      $0.trip.minimumTime = 5
      $0.trip.batchSize = 50
    }
    engine.fixes(0)
    #expect(engine.fixes(1, north: 10).fixes.isEmpty)
    engine.send(.startTrip(nil), 2)
    engine.accept(at: 2)
    #expect(engine.send(.fixes([fix(4), fix(6), fix(8), fix(11)]), 11).fixTimes == [6, 11])
    let request = engine.send(.sendNow, 12).requests.first
    #expect(request?.limit == 50 && request?.loggingMode == .all)
    engine.accept(at: 12)
    engine.finishTrip(at: 13)
    #expect(engine.fixes(20, north: 10).fixes.isEmpty)
    #expect(engine.engine.settingsInForce == engine.engine.settings.main)
  }

  @Test("an upload during a trip contains it: mode, start, distance so far, first and last position")
  func running() throws {
    var engine = EngineUnderTest()
    engine.send(.startTrip(.run), 0)
    engine.fixes(10, accuracy: 5)
    engine.fixes(20, north: 100, accuracy: 5)
    let trip = try #require(engine.send(.sendNow, 20).requests.first?.trip)
    #expect(trip.mode == .run && trip.start == start && trip.id == "2027-01-15T08:00:00Z")
    #expect(abs(trip.distance - 100) < 0.01)
    #expect(trip.startFix == fix(10, accuracy: 5) && trip.lastFix == fix(20, north: 100, accuracy: 5))
  }

  @Test("a running trip is stored and sent without fields that are not collected")
  func fields() throws {
    var engine = EngineUnderTest { $0.fields.subtract([.altitude, .timestamp]) }
    engine.send(.startTrip(nil), 0)
    var high = fix(10, accuracy: 5)
    high.altitude = 400
    let kept = try #require(engine.send(.fixes([high]), 10).keptTrip ?? nil)
    #expect(kept.startFix?.altitude == nil && kept.lastFix?.time == start)
    #expect(engine.send(.sendNow, 11).requests.first?.trip == kept)
    var hidden = EngineUnderTest { $0.fields.remove(.location) }
    hidden.send(.startTrip(nil), 0)
    let effects = hidden.send(.fixes([fix(10), fix(20, north: 100)]), 20)
    let keptHidden = try #require(effects.keptTrip ?? nil)
    #expect(keptHidden.startFix == nil && keptHidden.lastFix == nil)
    // The distance is computed nevertheless.
    #expect(abs(keptHidden.distance - 100) < 0.01)
  }

  @Test("the trip is stored directly after each record, so that a relaunch neither repeats nor drops a step of the distance")
  func transaction() throws {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 0)
    let effects = engine.fixes(10)
    let record = try #require(effects.place { if case .record = $0 { true } else { false } })
    let kept = try #require(effects.place { if case .storeTrip = $0 { true } else { false } })
    #expect(kept == record + 1)
    let end = engine.finishTrip(at: 20)
    let last = try #require(end.place { if case .record = $0 { true } else { false } })
    #expect(end[last + 1] == .storeTrip(nil))
  }

  @Test("without a pedometer, or with one that does not answer in ten seconds, the trip is finished without steps")
  func noSteps() {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 0)
    engine.send(.stopTrip, 60)
    let effects = engine.send(.timerFired(.steps), 70)
    #expect(effects.trips.map(\.steps) == [nil])
    #expect(engine.send(.stepsCounted(5), 71).isEmpty)
    engine.send(.startTrip(nil), 100)
    #expect(engine.finishTrip(steps: nil, at: 110).trips.map(\.steps) == [nil])
  }

  @Test("a trip within the ten seconds of the pedometer finishes the one before and begins")
  func again() {
    var engine = EngineUnderTest()
    engine.send(.startTrip(.walk), 0)
    engine.send(.stopTrip, 60)
    let effects = engine.send(.startTrip(.bus), 62)
    #expect(effects.trips.map(\.mode) == ["walk"])
    #expect(engine.engine.trip?.mode == .bus && engine.engine.isOnTrip)
    // The late step count of the first trip is ignored.
    #expect(engine.send(.stepsCounted(7), 63).trips.isEmpty)
    #expect(engine.finishTrip(at: 90).trips.map(\.mode) == ["bus"])
  }

  @Test("a second start, and an end without a trip, do nothing")
  func nothing() {
    var engine = EngineUnderTest()
    #expect(engine.send(.stopTrip, 1).isEmpty)
    #expect(engine.send(.stepsCounted(3), 2).isEmpty)
    engine.send(.startTrip(.car), 10)
    #expect(engine.send(.startTrip(.bus), 11).isEmpty)
    #expect(engine.engine.trip?.mode == .car)
  }

  @Test("modes are offered by frequency, then in the table's order")
  func modes() {
    var engine = EngineUnderTest()
    #expect(engine.engine.tripModesByUse == TripMode.allCases)
    for (index, mode) in [TripMode.train, .boat, .train, .walk, .boat, .train].enumerated() {
      engine.send(.startTrip(mode), Double(index) * 100)
      engine.finishTrip(at: Double(index) * 100 + 50)
    }
    #expect(Array(engine.engine.tripModesByUse.prefix(4)) == [.train, .boat, .walk, .run])
    #expect(engine.relaunched(1000).engine.tripModesByUse == engine.engine.tripModesByUse)
  }

  // MARK: Tracking

  @Test("a trip turns tracking on if it was off, and off again at its end")
  func tracking() {
    var engine = EngineUnderTest()
    engine.send(.stop, 1)
    let started = engine.send(.startTrip(nil), 10)
    #expect(engine.engine.isTracking && started.contains(.rememberTracking(true)))
    let ended = engine.finishTrip(at: 60)
    #expect(!engine.engine.isTracking && ended.contains(.rememberTracking(false)))
    #expect(ended.configurations == [nil])
    // The record of the trip is sent although tracking is off.
    #expect(ended.trips.count == 1 && ended.uploads == [home])
  }

  @Test("turning tracking on during such a trip keeps it on afterwards")
  func trackingOnMeanwhile() {
    var engine = EngineUnderTest()
    engine.send(.stop, 1)
    engine.send(.startTrip(nil), 10)
    #expect(engine.send(.start, 20).keptTrip??.startedTracking == false)
    engine.finishTrip(at: 60)
    #expect(engine.engine.isTracking)
  }

  @Test("turning tracking off ends the trip, which is finished and sent")
  func stop() {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 10)
    engine.fixes(20)
    let stopped = engine.send(.stop, 60)
    #expect(!engine.engine.isOnTrip && !engine.engine.isTracking)
    engine.accept(at: 61)
    let finished = engine.send(.stepsCounted(3), 62)
    #expect(finished.trips.map(\.end) == [at(60)])
    #expect(finished.uploads == [home])
    #expect(stopped.configurations == [nil])
  }

  // MARK: Pauses and arrivals

  @Test("a pause of ten minutes ends the trip at the start of the pause, as an automatic stop")
  func pause() throws {
    var engine = EngineUnderTest { $0.notifies = true }
    engine.send(.startTrip(nil), 0)
    engine.fixes(100)
    let paused = engine.send(.paused, 300)
    #expect(paused.timer(.tripGrace) == 900)
    #expect(paused.notice(.endTrip)?.responses == [.endTrip, .keepTrip])
    let over = engine.send(.timerFired(.tripGrace), 900)
    #expect(over.contains(.countSteps(from: start, to: at(300))))
    // The ten seconds of the pedometer begin now, not at the beginning of the pause.
    #expect(over.timer(.steps) == 910)
    let finished = engine.send(.stepsCounted(44), 901)
    let trip = try #require(finished.trips.first)
    #expect(trip.end == at(300) && trip.duration == 300 && trip.stoppedAutomatically && trip.steps == 44)
    #expect(finished.notices.contains(.trip))
    #expect(engine.engine.pausedSince == at(300))
  }

  @Test(
    "new motion or the user's answer keeps the trip",
    arguments: [Event.resumed, .answered(.keepTrip)])
  func store(_ event: Event) {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 0)
    engine.send(.paused, 300)
    #expect(engine.send(event, 400).contains(.cancelTimer(.tripGrace)))
    #expect(engine.engine.isOnTrip)
  }

  @Test("leaving the region of the pause keeps the trip too")
  func leave() {
    var engine = EngineUnderTest { $0.main.resumeRadius = 100 }
    engine.send(.startTrip(nil), 0)
    engine.fixes(10)
    engine.send(.paused, 300)
    let effects = engine.send(.leftRegion, 400)
    #expect(effects.contains(.cancelTimer(.tripGrace)) && effects.contains(.withdraw(.endTrip)))
    #expect(engine.send(.timerFired(.tripGrace), 900).trips.isEmpty && engine.engine.isOnTrip)
  }

  @Test("a trip that begins during a pause ends the pause")
  func startWhilePaused() {
    var engine = EngineUnderTest { $0.main.resumeRadius = 100 }
    engine.fixes(0)
    engine.send(.paused, 300)
    let effects = engine.send(.startTrip(nil), 400)
    #expect(engine.engine.pausedSince == nil)
    #expect(effects.contains(.stopWatchingExit) && effects.configurations.count == 1)
    engine.send(.timerFired(.tripGrace), 1000)
    #expect(engine.engine.isOnTrip)
  }

  @Test("an arrival during a trip asks whether to end it; a departure, or an arrival without a trip, does not")
  func visit() {
    let place = fix(0).coordinate
    var engine = EngineUnderTest {
      $0.main.tracksVisits = true
      $0.notifies = true
    }
    let arrival = Visit(time: at(100), coordinate: place, arrival: at(50))
    #expect(engine.send(.visit(arrival, cached: nil), 100).notice(.endTrip) == nil)
    engine.send(.startTrip(nil), 200)
    let departure = Visit(time: at(300), coordinate: place, arrival: at(50), departure: at(200))
    #expect(engine.send(.visit(departure, cached: nil), 300).notice(.endTrip) == nil)
    #expect(engine.send(.visit(arrival, cached: nil), 400).notice(.endTrip)?.title == "End the trip?")
    let answered = engine.send(.answered(.endTrip), 500)
    #expect(answered.contains(.withdraw(.endTrip)) && !engine.engine.isOnTrip)
    #expect(engine.send(.stepsCounted(nil), 501).trips.map(\.stoppedAutomatically) == [false])
  }

  // MARK: Relaunch

  @Test("a trip survives a relaunch with its id, mode, distance, settings and screen lock, and can be ended")
  func relaunch() throws {
    var engine = EngineUnderTest {
      $0.trip.preventsScreenLock = true
      $0.trip.desiredAccuracy = .best
    }
    engine.send(.startTrip(.boat), 0)
    engine.fixes(10, accuracy: 5)
    engine.fixes(20, north: 100, accuracy: 5)
    var second = engine.relaunched(hour)
    #expect(second.engine.trip == engine.engine.trip && second.engine.isOnTrip)
    #expect(second.effects.contains(.keepScreenOn(true)))
    #expect(second.effects.configurations.map { $0?.desiredAccuracy } == [.best])
    second.fixes(hour + 1, north: 300, accuracy: 5)
    let trip = try #require(second.finishTrip(steps: 1, at: hour + 60).trips.first)
    #expect(trip.mode == "boat" && trip.start == start && trip.startFix == fix(10, accuracy: 5))
    #expect(abs(trip.distance - 300) < 0.01)
  }

  @Test("a trip that was being finished is finished after the relaunch, once")
  func relaunchWhileEnding() {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 0)
    engine.send(.stopTrip, 60)
    var second = engine.relaunched(hour)
    #expect(second.effects.contains(.countSteps(from: start, to: at(60))))
    #expect(second.effects.timer(.steps) == hour + 10)
    #expect(!second.engine.isOnTrip)
    #expect(second.send(.stepsCounted(8), hour + 1).trips.map(\.end) == [at(60)])
    let third = second.relaunched(2 * hour)
    #expect(third.engine.trip == nil && third.effects.trips.isEmpty)
  }

  @Test("after a kill between the start of a trip and of its tracking, the relaunch starts tracking")
  func killedBetween() {
    var first = EngineUnderTest()
    first.send(.stop, 1)
    first.send(.startTrip(nil), 10)
    var launch = Launch(wasTracking: false, waiting: [:])
    launch.trip = first.engine.trip
    var engine = EngineUnderTest(unlaunched: Settings())
    engine.send(.launched(launch), 20)
    #expect(engine.engine.isTracking && engine.effects.contains(.rememberTracking(true)))
    #expect(engine.fixes(30).records.map(\.context.tripID) == ["2027-01-15T08:00:10Z"])
  }
}
