import Foundation
import GodwitEngine
import GodwitModel
import Testing

/// A quarter of an hour before midnight UTC, in seconds after the start.
private let evening = 86400.0 - start.timeIntervalSince1970.truncatingRemainder(dividingBy: 86400) - 900
private let midnight = evening + 900

private func failed(_ retryAfter: Double? = nil, jitter: Double = 0) -> UploadResult {
  .failed(reason: "no answer", retryAfter: retryAfter, jitter: jitter)
}

@Suite("Conditions of each endpoint")
struct SendingParametersTests {
  private func engine(_ change: (inout EndpointPlan) -> Void, _ settings: (inout Settings) -> Void = { _ in }) -> EngineUnderTest
  {
    EngineUnderTest(settings, plans: [EndpointPlan(home, change), EndpointPlan(other)])
  }

  // MARK: Interval, batch, mode

  @Test(
    "the interval is the endpoint's, that of the settings, or manual only",
    arguments: [
      (EndpointPlan.Interval.settings, 300.0), (.every(1), 1), (.every(6 * hour), 6 * hour), (.never, nil),
    ] as [(EndpointPlan.Interval, Double?)])
  func interval(_ interval: EndpointPlan.Interval, _ due: Double?) {
    var engine = engine { $0.interval = interval }
    let effects = engine.fixes(10)
    #expect(effects.timer(.send(home)) == due.map { 10 + $0 })
    #expect(effects.timer(.send(other)) == 310)
    #expect(engine.send(.sendNow, 10.5).uploads == [home, other])
  }

  @Test("an endpoint with its own interval continues to upload when the interval of the settings is off")
  func off() {
    var engine = engine({ $0.interval = .every(60) }, { $0.sendInterval = nil })
    let effects = engine.fixes(10)
    #expect(effects.timer(.send(home)) == 70 && effects.timer(.send(other)) == nil)
  }

  @Test(
    "the batch size is that of the endpoint or of the settings, and at most that of the format",
    arguments: [(nil, Int.max, 100), (7, Int.max, 7), (7, 3, 3), (nil, 1, 1), (0, Int.max, 1), (5000, 1000, 1000)]
      as [(Int?, Int, Int)])
  func batch(_ size: Int?, _ maximum: Int, _ expected: Int) {
    var engine = engine(
      {
        $0.batchSize = size
        $0.maximumPerRequest = maximum
      }, { $0.main.batchSize = 100 })
    // A batch of one is full with the first record.
    let effects = engine.fixes(0) + engine.send(.sendNow, 1)
    #expect(effects.contains(.upload(home, UploadRequest(limit: expected))))
    #expect(effects.contains(.upload(other, UploadRequest(limit: 100))))
  }

  @Test("the logging mode is that of the endpoint or of the settings", arguments: [nil] + LoggingMode.allCases.map { $0 })
  func mode(_ mode: LoggingMode?) {
    var engine = engine({ $0.loggingMode = mode }, { $0.main.loggingMode = .latest })
    engine.fixes(0)
    #expect(engine.send(.sendNow, 1).requests.map(\.loggingMode) == [mode ?? .latest, .latest])
  }

  @Test("a stream of fixes does not set the same timer repeatedly")
  func oneTimer() {
    var engine = engine { _ in }
    for second in 0..<200 { engine.fixes(Double(second)) }
    #expect(engine.effects.filter { if case .setTimer(.send, _) = $0 { true } else { false } }.count == 2)
  }

  @Test("setting the clock back does not make an upload wait longer than the interval")
  func clock() {
    var engine = engine { _ in }
    engine.fixes(10 * hour)
    #expect(engine.send(.fixes([fix(0)]), 0).timer(.send(home)) == 300)
  }

  @Test(
    "after a relaunch the interval starts at the oldest record, so that frequent launches do not prevent uploads",
    arguments: [(0.0, 1300.0), (299, 1001), (300, nil), (5 * hour, nil), (-hour, 1300)] as [(Double, Double?)])
  func relaunch(_ age: Double, _ due: Double?) {
    var launch = Launch(wasTracking: true, waiting: [home: 3])
    launch.waitingSince = [home: at(1000 - age)]
    var engine = EngineUnderTest(unlaunched: Settings())
    let effects = engine.send(.launched(launch), 1000)
    #expect(effects.timer(.send(home)) == due)
    #expect(effects.uploads == (due == nil ? [home] : []))
  }

  // MARK: Held uploads

  struct Hold: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var onlyOnWifi = false
    var onlyWhileCharging = false
    var held: [Event]
    var free: Event
  }

  private static func context(_ wifi: String? = nil, _ battery: BatteryState? = nil) -> Event {
    .contextChanged(DeviceContext(batteryState: battery, wifi: wifi))
  }

  static let holds = [
    Hold(
      testDescription: "wifi, by the kind of network", onlyOnWifi: true,
      held: [.networkChanged(isReachable: true, isWifi: false), .networkChanged(isReachable: false, isWifi: true)],
      free: .networkChanged(isReachable: true, isWifi: true)),
    Hold(
      testDescription: "wifi, by the name of the network", onlyOnWifi: true, held: [context(nil)], free: context("Cafe")),
    Hold(
      testDescription: "charging", onlyWhileCharging: true,
      held: [context(nil, .unplugged), context(nil, nil)], free: context(nil, .charging)),
    Hold(
      testDescription: "a machine without a battery", onlyWhileCharging: true, held: [context(nil, nil)],
      free: context(nil, .unknown)),
    Hold(testDescription: "full", onlyWhileCharging: true, held: [context(nil, .unplugged)], free: context(nil, .full)),
    Hold(
      testDescription: "both", onlyOnWifi: true, onlyWhileCharging: true,
      held: [context("Cafe", .unplugged), context(nil, .charging)], free: context("Cafe", .charging)),
  ]

  @Test("nothing is sent, not even manually, until the conditions are met; then due records are sent at once", arguments: holds)
  func held(_ hold: Hold) {
    for event in hold.held {
      // An unreachable network does not hold uploads: reachability does not predict the result of an upload.
      if case .networkChanged(false, _) = event { continue }
      var engine = EngineUnderTest(
        plans: [
          EndpointPlan(home) {
            $0.onlyOnWifi = hold.onlyOnWifi
            $0.onlyWhileCharging = hold.onlyWhileCharging
          }, EndpointPlan(other),
        ])
      engine.send(event, 0)
      engine.fixes(1)
      #expect(engine.send(.sendNow, 2).uploads == [other])
      #expect(engine.send(.timerFired(.send(home)), 301).uploads.isEmpty)
      #expect(engine.engine.status(of: home)?.heldBecause != nil && engine.engine.status(of: other)?.heldBecause == nil)
      #expect(engine.send(hold.free, 400).uploads == [home])
      #expect(engine.engine.status(of: home)?.heldBecause == nil)
    }
  }

  @Test("a back-off that ends while uploads are held waits until they are released")
  func heldInBackOff() {
    var engine = EngineUnderTest(plans: [EndpointPlan(home) { $0.onlyWhileCharging = true }])
    engine.send(Self.context(nil, .charging), 0)
    engine.fixes(1)
    engine.send(.sendNow, 2)
    engine.send(.uploadFinished(home, failed(90)), 3)
    engine.send(Self.context(nil, .unplugged), 4)
    #expect(engine.send(.timerFired(.send(home)), 93).uploads.isEmpty)
    #expect(engine.send(Self.context(nil, .charging), 1000).uploads == [home])
  }

  // MARK: Bytes a day

  @Test("when the daily bytes are used up the rest waits for midnight UTC, also for manual uploads")
  func bytes() {
    var engine = engine { $0.maximumBytesPerDay = 1000 }
    engine.fixes(evening)
    engine.send(.sendNow, evening + 1)
    engine.accept(bytes: 999, at: evening + 2)
    engine.fixes(evening + 3)
    #expect(engine.send(.sendNow, evening + 4).uploads == [home])
    // One byte remained of the limit: a request is not split.
    engine.accept(bytes: 500, at: evening + 5)
    let effects = engine.fixes(evening + 6)
    #expect(effects.timer(.send(home)) == midnight)
    #expect(engine.send(.sendNow, evening + 7).uploads.isEmpty)
    engine.accept(other, at: evening + 8)
    #expect(engine.send(.timerFired(.send(home)), midnight - 1).timer(.send(home)) == midnight)
    #expect(engine.send(.timerFired(.send(home)), midnight).uploads == [home])
    engine.accept(bytes: 10, at: midnight + 1)
    engine.fixes(midnight + 2)
    #expect(engine.send(.sendNow, midnight + 3).uploads.contains(home))
  }

  @Test("bytes of today survive a relaunch; those of yesterday do not", arguments: [true, false])
  func bytesRemembered(_ isToday: Bool) {
    var launch = Launch(wasTracking: true, waiting: [home: 3])
    launch.sentToday = [home: 1000]
    var engine = EngineUnderTest(unlaunched: Settings(), plans: [EndpointPlan(home) { $0.maximumBytesPerDay = 1000 }])
    engine.send(.launched(launch), evening)
    let now = isToday ? evening + 1 : midnight + 1
    #expect(engine.send(.sendNow, now).uploads == (isToday ? [] : [home]))
  }

  @Test(
    "retries respect the daily bytes: after a failure, during a search for a bad record, and after the network returned",
    arguments: [failed(1), .rejected(reason: "bad", count: 3), .quarantined(remaining: 2, jitter: 0)])
  func bytesAndRetries(_ result: UploadResult) {
    var launch = Launch(wasTracking: true, waiting: [home: 3])
    launch.sentToday = [home: 999]
    var engine = EngineUnderTest(unlaunched: Settings(), plans: [EndpointPlan(home) { $0.maximumBytesPerDay = 1000 }])
    engine.send(.launched(launch), evening)
    engine.send(.sendNow, evening + 1)
    engine.accept(remaining: 3, bytes: 0, at: evening + 1.5)
    engine.send(.uploadFinished(home, .accepted(remaining: 3, bytes: 1)), evening + 2)
    var uploads = engine.send(.uploadFinished(home, result), evening + 3).uploads
    for timer in 0..<3 { uploads += engine.send(.timerFired(.send(home)), evening + 10 + Double(timer)).uploads }
    uploads += engine.send(.networkChanged(isReachable: true), evening + 20).uploads
    #expect(uploads.isEmpty)
    #expect(engine.send(.timerFired(.send(home)), midnight).uploads == [home])
  }

  @Test("daily bytes of a clock that was ahead hold records until the next midnight, and not until that of the later day")
  func bytesOfLaterDay() {
    var engine = engine { $0.maximumBytesPerDay = 1000 }
    engine.fixes(evening + 20 * day)
    engine.send(.sendNow, evening + 20 * day + 1)
    engine.accept(bytes: 1000, at: evening + 20 * day + 2)
    #expect(engine.fixes(evening + 3).timer(.send(home)) == midnight)
    #expect(engine.send(.sendNow, evening + 4).uploads.isEmpty)
    #expect(engine.send(.timerFired(.send(home)), midnight).uploads == [home])
  }

  // MARK: Delay

  @Test("setting the clock back extends the wait of records that are too young by an interval")
  func delayAndClock() {
    var engine = engine { _ in }
    engine.fixes(0)
    engine.send(.timerFired(.send(home)), 300)
    engine.send(.uploadFinished(home, .notYet(until: at(hour))), 301)
    let now = hour - 20 * day
    #expect(engine.send(.timerFired(.send(home)), now).timer(.send(home)) == now + 300)
    #expect(engine.send(.timerFired(.send(home)), now + 300).uploads == [home])
  }

  @Test("records that are too young for an endpoint are sent when old enough, and block no other endpoint")
  func delay() {
    var engine = engine { _ in }
    engine.fixes(0)
    engine.send(.timerFired(.send(home)), 300)
    engine.send(.timerFired(.send(other)), 300)
    #expect(engine.send(.uploadFinished(home, .notYet(until: at(hour))), 301).timer(.send(home)) == hour)
    #expect(engine.accept(other, at: 301).isEmpty)
    #expect(engine.send(.fixes((302..<600).map { fix(Double($0)) }), 600).uploads == [other])
    #expect(engine.engine.status(of: home)?.problem == nil)
    #expect(engine.send(.timerFired(.send(home)), hour).uploads == [home])
  }

  @Test("a manual upload of records that are too young happens once, without a loop")
  func manualDelay() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    #expect(engine.send(.sendNow, 1).uploads == [home])
    let effects = engine.send(.uploadFinished(home, .notYet(until: at(hour))), 2)
    #expect(effects.uploads.isEmpty && effects.timer(.send(home)) == hour)
  }

  // MARK: Failures

  @Test("the jitter varies a back-off between half of the delay and the full delay", arguments: [0, 0.25, 0.5, 0.999])
  func jitter(_ jitter: Double) {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    for round in 0..<15 {
      let full = min(600, Double(1 << min(round, 12)))
      let effects = engine.send(.uploadFinished(home, failed(jitter: jitter)), 0)
      let due = engine.engine.status(of: home)?.retryAt?.timeIntervalSince(start) ?? 0
      #expect(abs(due - full * (0.5 + 0.5 * jitter)) < 0.001)
      #expect(effects.timer(.send(home)) == due)
      engine.send(.timerFired(.send(home)), due)
      engine.send(.timerFired(.send(home)), due + 1)
    }
  }

  @Test("a success ends the doubling")
  func success() {
    var engine = EngineUnderTest()
    engine.send(.fixes((0..<10).map { fix(Double($0)) }), 0)
    engine.send(.sendNow, 0)
    for _ in 0..<8 {
      engine.send(.uploadFinished(home, failed(jitter: 1)), 0)
      engine.send(.sendNow, 0)
    }
    engine.accept(remaining: 5, at: 1)
    #expect(engine.engine.status(of: home)?.problem == nil && engine.engine.status(of: home)?.lastSuccess == at(1))
    engine.send(.sendNow, 2)
    #expect(engine.send(.uploadFinished(home, failed(jitter: 1)), 10).timer(.send(home)) == 11)
  }

  @Test(
    "the longer one of Retry-After and the back-off applies, to the second",
    arguments: [(0.0, 1.0), (1, 1), (2, 2), (90, 90), (86400, 86400)])
  func retryAfter(_ seconds: Double, _ due: Double) {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    #expect(engine.send(.uploadFinished(home, failed(seconds, jitter: 1)), 0).timer(.send(home)) == due)
    for event in [
      Event.fixes([fix(1)]), .networkChanged(isReachable: true), .paused, .resumed, .startTrip(nil), .stopTrip, .tick,
    ] {
      #expect(engine.send(event, 0.5).uploads.isEmpty)
    }
    #expect(engine.send(.timerFired(.send(home)), due).uploads == [home])
  }

  @Test("a manual upload ignores the back-off")
  func user() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    engine.send(.uploadFinished(home, failed(3600)), 1)
    #expect(engine.send(.sendNow, 2).uploads == [home])
  }

  @Test("an invalid response with 200 keeps the batch: nothing is quarantined, it is retried and reported")
  func rubbish() {
    var engine = EngineUnderTest { $0.main.batchSize = 50 }
    engine.send(.fixes((0..<50).map { fix(Double($0)) }), 50)
    let reason = "The server answered with status 200, but not with {\"result\":\"ok\"}."
    let effects = engine.send(.uploadFinished(home, .failed(reason: reason, retryAfter: nil, jitter: 1)), 51)
    #expect(!effects.quarantines && effects.timer(.send(home)) == 52)
    #expect(engine.engine.status(of: home)?.waiting == 50 && engine.engine.status(of: home)?.problem == reason)
    #expect(engine.send(.timerFired(.send(home)), 52).requests.map(\.limit) == [50])
  }

  @Test("a failed quarantine of a record is tried again")
  func quarantineFails() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    #expect(engine.send(.uploadFinished(home, .rejected(reason: "no", count: 1)), 1).quarantines)
    #expect(engine.send(.sendNow, 1).uploads.isEmpty)
    #expect(engine.send(.uploadFinished(home, failed(jitter: 1)), 2).timer(.send(home)) == 3)
    #expect(engine.send(.timerFired(.send(home)), 3).uploads == [home])
  }

  // MARK: Purges

  @Test("a purge deletes waiting records for every endpoint, and later ones are sent as usual")
  func purge() {
    var engine = engine { _ in }
    engine.send(.fixes((0..<20).map { fix(Double($0)) }), 20)
    let effects = engine.send(.purge, 30)
    #expect(effects == [.purge, .cancelTimer(.send(home)), .cancelTimer(.send(other))])
    #expect(engine.engine.status(of: home)?.waiting == 0)
    #expect(engine.send(.sendNow, 31).uploads.isEmpty)
    #expect(engine.fixes(40).timer(.send(home)) == 340)
  }

  @Test("a purge during a back-off does not stop the endpoint permanently")
  func purgeInBackOff() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    engine.send(.uploadFinished(home, failed(90)), 0)
    #expect(!engine.send(.purge, 1).contains(.cancelTimer(.send(home))))
    engine.fixes(50)
    #expect(engine.send(.timerFired(.send(home)), 90).uploads == [home])
  }

  @Test("a rejection of purged records quarantines no later record")
  func purgeWhileUploading() {
    var engine = EngineUnderTest()
    engine.fixes(0)
    engine.send(.sendNow, 0)
    engine.send(.purge, 1)
    engine.fixes(2)
    #expect(!engine.send(.uploadFinished(home, .rejected(reason: "no", count: 1)), 3).quarantines)
    #expect(engine.engine.status(of: home)?.waiting == 1)
  }
}
