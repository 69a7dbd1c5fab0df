import Foundation
import GodwitEngine
import GodwitModel
import Testing

@Suite("Requests for one position")
struct OneShotTests {
  // MARK: Opening the program

  @Test(
    "a known position younger than 15 minutes is recorded; otherwise a new one is requested",
    arguments: [
      (0.0, true), (899, true), (900, false), (901, false), (hour, false), (nil, false), (-20 * day, false),
    ] as [(Double?, Bool)])
  func quarterOfAnHour(_ age: Double?, _ isRecorded: Bool) {
    var engine = EngineUnderTest { $0.main.trackingMode = .significant }
    let effects = engine.send(.becameActive(cached: age.map { fix(5000 - $0) }), 5000)
    #expect(effects.fixTimes == (isRecorded ? [5000 - (age ?? 0)] : []))
    #expect(effects.records.map(\.context.trigger) == (isRecorded ? [.passive] : []))
    #expect(effects.contains(.requestLocation) == !isRecorded)
    #expect(effects.timer(.oneShot) == (isRecorded ? nil : 5020))
    if isRecorded { #expect(engine.engine.lastFix != nil) }
  }

  @Test("the new position is recorded, in every tracking mode", arguments: TrackingMode.allCases)
  func fresh(_ mode: TrackingMode) {
    var engine = EngineUnderTest { $0.main.trackingMode = mode }
    engine.send(.becameActive(cached: nil), 100)
    let effects = engine.fixes(102)
    #expect(effects.fixTimes == [102] && effects.contains(.cancelTimer(.oneShot)))
  }

  @Test("a known position that is already a record is not recorded again")
  func again() {
    var engine = EngineUnderTest()
    engine.fixes(100)
    let effects = engine.send(.becameActive(cached: fix(100)), 200)
    #expect(effects.records.isEmpty && !effects.contains(.requestLocation))
    engine.send(.becameActive(cached: fix(150)), 200)
    #expect(engine.send(.becameActive(cached: fix(150)), 210).isEmpty)
  }

  @Test("later known positions are recorded after a fix with a time in the future")
  func future() {
    var engine = EngineUnderTest()
    engine.send(.fixes([fix(3650 * day)]), 100)
    #expect(engine.send(.becameActive(cached: fix(150)), 200).fixTimes == [150])
    #expect(engine.send(.becameActive(cached: fix(150)), 210).isEmpty)
  }

  @Test("with tracking off nothing happens")
  func off() {
    var engine = EngineUnderTest()
    engine.send(.stop, 1)
    #expect(engine.send(.becameActive(cached: fix(2)), 3).isEmpty)
  }

  // MARK: Background fetches

  @Test("a background fetch that only queries the motion chip reports no new data")
  func onlyMotion() {
    var engine = EngineUnderTest.resting()
    engine.send(.backgroundFetch(1, cached: nil), 2000)
    let effects = engine.send(.fixes([fix(2001, north: 2000, accuracy: 20)]), 2001)
    #expect(effects.contains { if case .askMotionHistory = $0 { true } else { false } })
    #expect(effects.records.isEmpty && effects.fetches == [.noData])
  }

  @Test("the position is recorded before the system gets the result: new data")
  func newData() throws {
    var engine = EngineUnderTest { $0.main.trackingMode = .significant }
    let asked = engine.send(.backgroundFetch(7, cached: nil), 100)
    #expect(asked.contains(.requestLocation) && asked.timer(.oneShot) == 120)
    let effects = engine.fixes(105)
    #expect(effects.records.map(\.context.trigger) == [.backgroundFetch])
    let record = try #require(effects.place { if case .record = $0 { true } else { false } })
    let finished = try #require(effects.firstIndex(of: .fetchFinished(7, .newData)))
    #expect(record < finished)
  }

  @Test("no data: tracking is off, or the position is filtered out")
  func noData() {
    var off = EngineUnderTest()
    off.send(.stop, 1)
    #expect(off.send(.backgroundFetch(1, cached: fix(2)), 3) == [.fetchFinished(1, .noData)])
    var near = EngineUnderTest { $0.main.minimumDistance = 500 }
    near.fixes(0)
    near.send(.backgroundFetch(2, cached: nil), 10)
    #expect(near.fixes(11).fetches == [.noData])
    var stopped = EngineUnderTest()
    stopped.send(.backgroundFetch(3, cached: nil), 10)
    stopped.send(.stop, 11)
    let effects = stopped.fixes(12)
    #expect(effects.fetches == [.noData] && effects.records.isEmpty)
  }

  @Test(
    "a background fetch fails after twenty seconds, after an error of the location services, and without permission",
    arguments: [Event.timerFired(.oneShot), .locationFailed("no satellites"), .authorizationChanged(.denied)])
  func failed(_ event: Event) {
    var engine = EngineUnderTest()
    engine.send(.backgroundFetch(1, cached: nil), 10)
    #expect(engine.send(event, 30).fetches == [.failed])
    #expect(engine.send(event, 31).fetches.isEmpty)
    #expect(engine.engine.locationProblem != nil)
  }

  @Test("the system's last known position is recorded too")
  func cached() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    let effects = engine.send(.backgroundFetch(1, cached: fix(50)), 60)
    #expect(effects.fixTimes == [50] && effects.records.map(\.context.trigger) == [.passive])
    #expect(effects.contains(.requestLocation))
  }

  @Test("two requests share one position and are completed once each")
  func two() {
    var engine = EngineUnderTest()
    engine.send(.backgroundFetch(1, cached: nil), 10)
    #expect(!engine.send(.backgroundFetch(2, cached: nil), 12).contains(.requestLocation))
    let effects = engine.fixes(15)
    #expect(effects.contains(.fetchFinished(1, .newData)) && effects.contains(.fetchFinished(2, .newData)))
    #expect(engine.fixes(16).fetches.isEmpty)
  }

  // MARK: Requests for the current position

  @Test("a request gets the next position, with the collected fields, and nothing is recorded for it")
  func current() throws {
    var engine = EngineUnderTest {
      $0.main.trackingMode = .off
      $0.fields.remove(.altitude)
      $0.fields.insert(.network)
    }
    engine.send(.contextChanged(DeviceContext(wifi: "Cafe")), 0)
    let asked = engine.send(.locationWanted(3), 10)
    #expect(asked == [.requestLocation, .setTimer(.oneShot, at(30))])
    var high = fix(12, accuracy: 5)
    high.altitude = 100
    let effects = engine.send(.fixes([fix(11), high]), 12)
    #expect(effects.records.isEmpty)
    guard case .record(let record)? = effects.responses.first, case .fix(let reported) = record.kind else {
      Issue.record("no answer")
      return
    }
    #expect(reported == fix(12, accuracy: 5) && record.context.wifi == "Cafe")
    #expect(engine.fixes(13).responses.isEmpty)
  }

  @Test("a position request works with tracking off, and does not turn tracking on")
  func trackingOff() {
    var engine = EngineUnderTest()
    engine.send(.stop, 1)
    #expect(engine.send(.locationWanted(1), 2).contains(.requestLocation))
    let effects = engine.fixes(3)
    #expect(effects.responses.count == 1 && effects.records.isEmpty && !engine.engine.isTracking)
  }

  @Test("a fix of regular tracking completes the request too, and is recorded as usual")
  func whileTracking() {
    var engine = EngineUnderTest()
    engine.send(.locationWanted(1), 2)
    let effects = engine.fixes(3)
    #expect(effects.fixTimes == [3] && effects.responses.count == 1)
    #expect(effects.records.map(\.context.trigger) == [.regular])
  }

  @Test("after twenty seconds the request ends with a message")
  func timeOut() {
    var engine = EngineUnderTest()
    engine.send(.locationWanted(1), 10)
    #expect(engine.send(.timerFired(.oneShot), 30).responses == [.problem("There was no position within 20 seconds.")])
    #expect(engine.send(.timerFired(.oneShot), 31).isEmpty)
  }

  @Test("a timer after the response has no effect")
  func overtaken() {
    var engine = EngineUnderTest()
    engine.send(.locationWanted(1), 10)
    engine.fixes(11)
    #expect(engine.send(.timerFired(.oneShot), 30).isEmpty)
    #expect(engine.engine.locationProblem == nil)
  }

  @Test("without permission the message is returned at once; undecided permission is requested")
  func permission() {
    var denied = EngineUnderTest()
    denied.send(.authorizationChanged(.denied), 1)
    #expect(
      denied.send(.locationWanted(1), 2).responses == [.problem("The system does not allow this program to access the location.")]
    )
    var undecided = EngineUnderTest(unlaunched: Settings())
    let effects = undecided.send(.locationWanted(1), 2)
    #expect(effects.contains(.requestAuthorization(.always)) && effects.contains(.requestLocation))
    #expect(undecided.send(.authorizationChanged(.restricted), 3).responses.count == 1)
  }
}

@Suite("Permission")
struct PermissionTests {
  @Test("starting requests the permission that is missing", arguments: WantedAuthorization.allCases)
  func asks(_ wanted: WantedAuthorization) {
    for authorization in [Authorization.notDetermined, .denied, .restricted, .whenInUse, .always] {
      var settings = Settings()
      settings.authorization = wanted
      var engine = EngineUnderTest(unlaunched: settings)
      engine.send(.authorizationChanged(authorization), 0)
      let isAsked = authorization == .notDetermined || (authorization == .whenInUse && wanted == .always)
      #expect(engine.send(.start, 1).contains(.requestAuthorization(wanted)) == isAsked)
    }
  }

  @Test("more permission is requested when the settings need it while tracking")
  func more() {
    var engine = EngineUnderTest { $0.authorization = .whenInUse }
    engine.send(.authorizationChanged(.whenInUse), 1)
    let change = Event.settingsSet([DesiredSetting(name: "authorization", value: .text("always"))])
    #expect(engine.send(change, 2).contains(.requestAuthorization(.always)))
  }

  @Test(
    "records contain the permission at their time",
    arguments: [
      (Authorization.notDetermined, LocationPermission.notDetermined), (.denied, .denied), (.restricted, .restricted),
      (.whenInUse, .whenInUse), (.always, .always),
    ])
  func records(_ authorization: Authorization, _ permission: LocationPermission) {
    var engine = EngineUnderTest(unlaunched: Settings())
    engine.send(.authorizationChanged(authorization), 0)
    engine.send(.start, 0)
    #expect(engine.fixes(1).records.first?.context.permission == permission)
  }
}
