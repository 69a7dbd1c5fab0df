import Foundation
import GodwitEngine
import GodwitModel
import Testing

private func engine(_ change: (inout Settings) -> Void = { _ in }, endpoints: [EndpointID] = [home]) -> Engine {
  var settings = Settings()
  change(&settings)
  var engine = Engine(settings: settings, endpoints: endpoints)
  _ = engine.handle(.launched(Launch(wasTracking: false, waiting: [:])), at: start)
  _ = engine.handle(.authorizationChanged(.always), at: start)
  _ = engine.handle(.start, at: start)
  return engine
}

extension [Effect] {
  fileprivate var recorded: [Double] { records.map { $0.time.timeIntervalSince(start) } }
  fileprivate var limits: [Int] { requests.map(\.limit) }
  fileprivate var timer: Double? {
    compactMap { if case .setTimer(_, let time) = $0 { time.timeIntervalSince(start) } else { nil } }.last
  }
}

@Suite("The engine: life cycle")
struct LifeCycleTests {
  @Test("starting requests permission once, stores the tracking state, and turns the location services on")
  func starts() {
    var engine = Engine(settings: Settings(), endpoints: [home])
    let effects = engine.handle(.start, at: start)
    #expect(
      effects == [
        .rememberTracking(true), .requestAuthorization(.always), .configureLocation(LocationRequest(LocationSettings())),
      ])
    #expect(engine.handle(.start, at: start).isEmpty)
  }

  @Test("stopping turns the location services off and sends the remaining records")
  func stops() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    #expect(
      engine.handle(.stop, at: at(1))
        == [
          .rememberTracking(false), .configureLocation(nil), .cancelTimer(.send(home)),
          .upload(home, UploadRequest(limit: 200)),
        ])
    #expect(engine.handle(.fixes([fix(2)]), at: at(2)).isEmpty)
  }

  @Test("a relaunch continues tracking and sends pending records")
  func relaunch() {
    var engine = Engine(settings: Settings(), endpoints: [home])
    let launch = Launch(wasTracking: true, waiting: [home: 450], lastKept: fix(-10))
    let effects = engine.handle(.launched(launch), at: start)
    #expect(engine.isTracking)
    #expect(effects.contains(.configureLocation(LocationRequest(LocationSettings()))))
    #expect(effects.limits == [200])
  }

  @Test("undecided permission is requested again when the program is opened, denied permission is not")
  func askedAgain() {
    var engine = engine()
    _ = engine.handle(.authorizationChanged(.notDetermined), at: at(100))
    #expect(engine.handle(.becameActive(cached: nil), at: at(200)).contains(.requestAuthorization(.always)))
    _ = engine.handle(.authorizationChanged(.denied), at: at(300))
    #expect(!engine.handle(.becameActive(cached: nil), at: at(400)).contains(.requestAuthorization(.always)))
  }

  @Test("revoked permission is reported as a message")
  func denied() {
    var engine = engine()
    _ = engine.handle(.authorizationChanged(.denied), at: at(1))
    #expect(engine.locationProblem?.contains("does not allow") == true)
  }

  @Test("records carry the device's context and the identifiers that the settings include")
  func context() throws {
    var settings = Settings()
    settings.deviceID = "van"
    settings.includesUniqueID = true
    settings.fields.insert(.network)
    var engine = Engine(settings: settings, endpoints: [home], uniqueID: "U-1")
    _ = engine.handle(.start, at: start)
    _ = engine.handle(.contextChanged(DeviceContext(batteryLevel: 0.5, wifi: "Home")), at: start)
    guard case .record(let records) = try #require(engine.handle(.fixes([fix(0)]), at: start).first) else {
      Issue.record("nothing was recorded")
      return
    }
    var expected = DeviceContext(batteryLevel: 0.5, wifi: "Home", deviceID: "van", uniqueID: "U-1")
    expected.permission = .notDetermined
    expected.trigger = .regular
    #expect(records[0].context == expected)
  }
}

@Suite("The engine: filters of fixes")
struct ThinningTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var distance: Double?
    var time: Double = 1
    /// Seconds and metres of each fix.
    var fixes: [(Double, Double)]
    /// Seconds of the fixes that are recorded.
    var kept: [Double]
  }

  static let cases = [
    Case(testDescription: "without filters all are kept", fixes: [(0, 0), (0.25, 0), (1, 0)], kept: [0, 0.25, 1]),
    Case(
      testDescription: "the first is always kept, even with filters", distance: 100, time: 60, fixes: [(0, 0)],
      kept: [0]),
    Case(
      testDescription: "distance counts from the last kept fix, not the last one", distance: 10,
      fixes: [(0, 0), (1, 6), (2, 12), (3, 18), (4, 23)], kept: [0, 2, 4]),
    Case(
      testDescription: "exactly the distance is far enough", distance: 10, fixes: [(0, 0), (1, 10.01)], kept: [0, 1]),
    Case(
      testDescription: "time counts from the last kept fix", time: 5, fixes: [(0, 0), (3, 0), (5, 0), (9, 0), (10, 0)],
      kept: [0, 5, 10]),
    Case(
      testDescription: "both filters must pass", distance: 10, time: 5, fixes: [(0, 0), (6, 1), (7, 20), (8, 40)],
      kept: [0, 7]),
    Case(
      testDescription: "a fix older than the last kept one is late and kept", distance: 100, time: 60,
      fixes: [(100, 0), (40, 0), (101, 0)], kept: [100, 40]),
    Case(
      testDescription: "a minimum time of one second keeps all fixes of the same second",
      fixes: [(0, 0), (0.25, 0), (0.75, 1)], kept: [0, 0.25, 0.75]),
    Case(
      testDescription: "a repeated fix is recorded once; a different fix of the same time is recorded too",
      fixes: [(0, 0), (1, 5), (1, 5), (1, 6), (2, 5)], kept: [0, 1, 1, 2]),
  ]

  @Test("in one event", arguments: cases)
  func together(_ example: Case) {
    var engine = engine(example)
    #expect(engine.handle(.fixes(example.fixes.map { fix($0.0, north: $0.1) }), at: start).recorded == example.kept)
  }

  @Test("in one event for each fix", arguments: cases)
  func singly(_ example: Case) {
    var engine = engine(example)
    let kept = example.fixes.flatMap { engine.handle(.fixes([fix($0.0, north: $0.1)]), at: start).recorded }
    #expect(kept == example.kept)
  }

  private func engine(_ example: Case) -> Engine {
    GodwitEngineTests.engine {
      $0.main.minimumDistance = example.distance
      $0.main.minimumTime = example.time
    }
  }

  @Test(
    "a fix with a time in the future is not a reference of the filters, and later fixes replace it as the last position",
    arguments: [2.0, 30])
  func future(_ days: Double) {
    var engine = engine(Case(testDescription: "", distance: 100, time: 60, fixes: [], kept: []))
    #expect(engine.handle(.fixes([fix(days * day)]), at: at(0)).recorded == [days * day])
    let kept = (1...5).flatMap { engine.handle(.fixes([fix(Double($0))]), at: at(Double($0))).recorded }
    #expect(kept == [1] && engine.lastFix?.time == at(5))
  }

  @Test("after the clock was set back by hours, the filters compare with the first fix since")
  func setBack() {
    var engine = engine(Case(testDescription: "", distance: 100, time: 60, fixes: [], kept: []))
    _ = engine.handle(.fixes([fix(3 * hour)]), at: at(3 * hour))
    let kept = (0...5).flatMap { engine.handle(.fixes([fix(Double($0))]), at: at(Double($0))).recorded }
    #expect(kept == [0] && engine.lastFix?.time == at(5))
  }

  @Test("with a clock that is far behind, the filters apply as usual")
  func clockBehind() {
    var engine = engine(Case(testDescription: "", distance: 100, time: 60, fixes: [], kept: []))
    let kept = (0...5).flatMap { engine.handle(.fixes([fix(Double($0))]), at: at(-400 * day + Double($0))).recorded }
    #expect(kept == [0] && engine.lastFix?.time == at(5))
  }

  @Test("0,0 is not a valid position and is counted")
  func nullIsland() throws {
    var engine = GodwitEngineTests.engine()
    let zero = Fix(time: start, coordinate: try #require(Coordinate(latitude: 0, longitude: 0)))
    #expect(engine.handle(.fixes([zero]), at: start).isEmpty)
    #expect(engine.dropped.invalid == 1)
  }
}

@Suite("The engine: times of uploads")
struct SendingTests {
  @Test("the first upload is due an interval after the first record, without jitter")
  func firstSend() {
    var engine = engine { $0.sendInterval = 60 }
    #expect(engine.handle(.fixes([fix(10)]), at: at(10)).timer == 70)
    #expect(engine.handle(.timerFired(.send(home)), at: at(70)).limits == [200])
  }

  @Test("a full batch is sent at once, whatever the interval")
  func fullBatch() {
    var engine = engine {
      $0.sendInterval = 1800
      $0.main.batchSize = 50
    }
    #expect(engine.handle(.fixes((0..<49).map { fix(Double($0)) }), at: at(49)).limits.isEmpty)
    #expect(engine.handle(.fixes([fix(50)]), at: at(50)).limits == [50])
  }

  @Test("while more than a batch is pending, batches follow one another; the remaining records wait for the interval")
  func backlog() {
    var engine = engine {
      $0.main.batchSize = 50
      $0.sendInterval = 60
    }
    #expect(engine.handle(.fixes((0..<120).map { fix(Double($0)) }), at: at(120)).limits == [50])
    #expect(engine.handle(.uploadFinished(home, .accepted(remaining: 70)), at: at(121)).limits == [50])
    let rest = engine.handle(.uploadFinished(home, .accepted(remaining: 20)), at: at(122))
    #expect(rest.limits.isEmpty)
    #expect(rest.timer == 182)
  }

  @Test("at most one upload per endpoint is in flight")
  func single() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    #expect(engine.handle(.sendNow, at: at(1)).limits == [200])
    #expect(engine.handle(.sendNow, at: at(2)).isEmpty)
    #expect(engine.handle(.fixes((3..<400).map { fix(Double($0)) }), at: at(3)).limits.isEmpty)
  }

  @Test("a manual upload continues until no record is pending")
  func drain() {
    var engine = engine { $0.main.batchSize = 50 }
    _ = engine.handle(.fixes((0..<60).map { fix(Double($0)) }), at: at(0))
    _ = engine.handle(.sendNow, at: at(1))
    #expect(engine.handle(.uploadFinished(home, .accepted(remaining: 10)), at: at(2)).limits == [50])
    #expect(engine.handle(.uploadFinished(home, .accepted(remaining: 0)), at: at(3)).isEmpty)
  }

  @Test("with the interval off only manual uploads happen")
  func off() {
    var engine = engine {
      $0.sendInterval = nil
      $0.main.batchSize = 50
    }
    let effects = engine.handle(.fixes((0..<200).map { fix(Double($0)) }), at: at(0))
    #expect(effects.limits.isEmpty && effects.timer == nil)
    #expect(engine.handle(.sendNow, at: at(1)).limits == [50])
  }

  @Test("the back-off doubles after each failure, half of it random, up to ten minutes")
  func backOff() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    _ = engine.handle(.sendNow, at: at(0))
    var waits: [Double] = []
    var now = 0.0
    for _ in 0..<12 {
      let failed = UploadResult.failed(reason: "no network", retryAfter: nil, jitter: 1)
      let due = engine.handle(.uploadFinished(home, failed), at: at(now)).timer ?? 0
      waits.append(due - now)
      now = due
      #expect(engine.handle(.timerFired(.send(home)), at: at(now)).limits == [200])
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600])
    #expect(engine.status(of: home)?.problem == "no network")
  }

  @Test("a server's Retry-After is respected, and new records do not shorten it")
  func retryAfter() {
    var engine = engine { $0.main.batchSize = 50 }
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    _ = engine.handle(.sendNow, at: at(0))
    let failed = UploadResult.failed(reason: "busy", retryAfter: 90, jitter: 0)
    #expect(engine.handle(.uploadFinished(home, failed), at: at(1)).timer == 91)
    #expect(engine.handle(.fixes((1..<100).map { fix(Double($0)) }), at: at(50)).limits.isEmpty)
    #expect(engine.handle(.timerFired(.send(home)), at: at(91)).limits == [50])
  }

  @Test("the network coming back ends a back-off")
  func network() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    _ = engine.handle(.sendNow, at: at(0))
    _ = engine.handle(.uploadFinished(home, .failed(reason: "x", retryAfter: nil, jitter: 0.5)), at: at(1))
    #expect(engine.handle(.networkChanged(isReachable: true), at: at(1.1)).limits == [200])
  }

  @Test("a permanently rejected batch is halved until the faulty record is alone and quarantined")
  func bisection() {
    var engine = engine { $0.main.batchSize = 50 }
    _ = engine.handle(.fixes((0..<50).map { fix(Double($0)) }), at: at(0))
    // The fourth record is the faulty one. The cursor of the journal moves as batches are accepted.
    var acknowledged = 0
    var quarantined: [Int] = []
    var pending = 50
    for _ in 0..<40 where acknowledged + quarantined.count < 50 {
      let batch = (acknowledged + quarantined.count)..<min(50, acknowledged + quarantined.count + pending)
      let isBad = batch.contains(3)
      let result: UploadResult =
        isBad ? .rejected(reason: "bad", count: batch.count) : .accepted(remaining: 50 - batch.upperBound)
      if !isBad { acknowledged += batch.count }
      let effects = engine.handle(.uploadFinished(home, result), at: at(1))
      var next = effects.limits.last
      if effects.contains(.quarantine(home, reason: "bad")) {
        quarantined.append(3)
        // Nothing is sent before the quarantine of the record is confirmed.
        #expect(effects.limits.isEmpty)
        let left = 50 - acknowledged - quarantined.count
        next = engine.handle(.uploadFinished(home, .quarantined(remaining: left, jitter: 0)), at: at(1)).limits.last
      }
      guard let next = next ?? engine.handle(.sendNow, at: at(2)).limits.last else { break }
      pending = next
    }
    #expect(quarantined == [3])
    #expect(acknowledged == 49)
  }

  @Test("after three rejected batches, each further attempt waits")
  func refusesEverything() {
    var engine = engine { $0.main.batchSize = 50 }
    var waiting = 1000
    var effects = engine.handle(.fixes((0..<1000).map { fix(Double($0)) }), at: at(0))
    var quarantined = 0
    while let effect = effects.first {
      effects.removeFirst()
      if case .upload(_, let request) = effect {
        effects += engine.handle(.uploadFinished(home, .rejected(reason: "no", count: min(request.limit, waiting))), at: at(1))
      } else if case .quarantine = effect {
        quarantined += 1
        waiting -= 1
        effects += engine.handle(.uploadFinished(home, .quarantined(remaining: waiting, jitter: 1)), at: at(1))
      }
    }
    #expect(quarantined == 3)
    #expect(engine.status(of: home)?.retryAt == at(2))
    #expect(engine.status(of: home)?.problem?.contains("3 records in a row") == true)
  }

  @Test("a timer that fires early is set again, and setting the clock back delays nothing")
  func earlyTimer() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    _ = engine.handle(.sendNow, at: at(0))
    _ = engine.handle(.uploadFinished(home, .failed(reason: "x", retryAfter: nil, jitter: 1)), at: at(0))
    #expect(engine.handle(.timerFired(.send(home)), at: at(0.999)).timer == 1)
    #expect(engine.handle(.timerFired(.send(home)), at: at(-3600)).timer == -3599)
    #expect(engine.handle(.timerFired(.send(home)), at: at(-3599)).limits == [200])
  }

  @Test("the return of the network does not shorten a server's Retry-After")
  func networkAndRetryAfter() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    _ = engine.handle(.sendNow, at: at(0))
    _ = engine.handle(.uploadFinished(home, .failed(reason: "x", retryAfter: 60, jitter: 0)), at: at(0))
    #expect(engine.handle(.networkChanged(isReachable: true), at: at(1)).isEmpty)
  }

  @Test("an unknown token quarantines nothing")
  func unauthorized() {
    var engine = engine()
    _ = engine.handle(.fixes([fix(0)]), at: at(0))
    _ = engine.handle(.sendNow, at: at(0))
    let effects = engine.handle(.uploadFinished(home, .unauthorized(reason: "unknown token", jitter: 0)), at: at(1))
    #expect(effects.timer == 1.5)
    #expect(!effects.contains { if case .quarantine = $0 { true } else { false } })
    #expect(engine.status(of: home)?.waiting == 1)
  }

  @Test("endpoints do not block one another")
  func independent() {
    var engine = GodwitEngineTests.engine({ $0.main.batchSize = 50 }, endpoints: [home, other])
    _ = engine.handle(.fixes((0..<50).map { fix(Double($0)) }), at: at(0))
    _ = engine.handle(.uploadFinished(home, .failed(reason: "x", retryAfter: 3600, jitter: 0)), at: at(1))
    #expect(engine.handle(.uploadFinished(other, .accepted(remaining: 0)), at: at(2)).isEmpty)
    #expect(engine.status(of: other)?.problem == nil)
    let effects = engine.handle(.fixes((50..<100).map { fix(Double($0)) }), at: at(60))
    #expect(effects.contains(.upload(other, UploadRequest(limit: 50))))
    #expect(!effects.contains(.upload(home, UploadRequest(limit: 50))))
  }

  @Test("the same events give the same effects")
  func deterministic() {
    let events: [Event] = [
      .start, .fixes((0..<130).map { fix(Double($0), north: Double($0)) }), .sendNow,
      .uploadFinished(home, .failed(reason: "x", retryAfter: nil, jitter: 0.3)), .timerFired(.send(home)), .stop,
    ]
    func run() -> [[Effect]] {
      var engine = Engine(settings: Settings(), endpoints: [home])
      return events.enumerated().map { engine.handle($0.element, at: at(Double($0.offset))) }
    }
    #expect(run() == run())
  }
}
