import Foundation
import GodwitEngine
import GodwitModel
import Testing

private func offer(_ name: String, _ value: SettingValue) -> SettingOffer { SettingOffer(name: name, value: value) }
private func offered(_ offers: SettingOffer..., by endpoint: EndpointID = home) -> Event {
  .settingsOffered(endpoint, offers)
}

extension EngineUnderTest {
  /// An upload in whose answer these settings are.
  @discardableResult
  mutating func offer(_ offers: SettingOffer..., by endpoint: EndpointID = home, at seconds: Double) -> [Effect] {
    tell(.fixes([fix(seconds)]), seconds)
    tell(.sendNow, seconds)
    let effects = tell(.settingsOffered(endpoint, offers), seconds)
    return effects + accept(endpoint, at: seconds)
  }
}

@Suite("Settings that a server changes")
struct RemoteSettingsTests {
  /// A setting, the two ends of what it may be, and something that it may not be.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var ends: [SettingValue]
    var bad: SettingValue
    init(_ name: String, _ ends: [SettingValue], bad: SettingValue) {
      (testDescription, self.ends, self.bad) = (name, ends, bad)
    }
  }

  static let cases = [
    Case("send_interval", [.text("1s"), .text("off")], bad: .text("0s")),
    Case("trip_mode", [.text("walk"), .text("scooter")], bad: .text("bike")),
    Case("main.policy", [.text("filtered"), .text("adaptive")], bad: .text("clever")),
    Case("main.tracking_mode", [.text("off"), .text("both")], bad: .text("on")),
    Case("main.visit_tracking", [.flag(true)], bad: .text("true")),
    Case("main.desired_accuracy", [.text("nav"), .text("3km")], bad: .text("1m")),
    Case("main.activity_type", [.text("car"), .text("air")], bad: .text("boat")),
    Case("main.background_indicator", [.flag(true)], bad: .number(1)),
    Case("main.pause_automatically", [.flag(true)], bad: .other("null")),
    Case("main.logging_mode", [.text("latest"), .text("owntracks")], bad: .text("none")),
    Case("main.batch_size", [.number(50), .number(1000), .text("50"), .text("1000")], bad: .number(49)),
    Case("main.resume_with_geofence", [.text("100m"), .text("2km")], bad: .text("3km")),
    Case("main.min_distance", [.text("1m"), .text("500m")], bad: .text("0m")),
    Case("main.min_time", [.text("5s"), .text("5m")], bad: .text("6m")),
    Case("main.max_accuracy", [.text("10m"), .text("1000m")], bad: .text("1m")),
    Case("trip.desired_accuracy", [.text("nav"), .text("3km")], bad: .number(10)),
    Case("trip.activity_type", [.text("car"), .text("air")], bad: .flag(true)),
    Case("trip.background_indicator", [.flag(false)], bad: .text("no")),
    Case("trip.prevent_screen_lock", [.flag(true)], bad: .text("yes")),
    Case("trip.logging_mode", [.text("latest"), .text("owntracks")], bad: .list(["all"])),
    Case("trip.batch_size", [.number(50), .number(1000)], bad: .number(1001)),
    Case("trip.min_distance", [.text("1m"), .text("500m")], bad: .text("501m")),
    Case("trip.min_time", [.text("5s"), .text("5m")], bad: .other("an object")),
  ]

  @Test("the cases are all that a server may change")
  func complete() {
    #expect(Self.cases.map(\.testDescription) == Settings.table.filter { $0.authority == .ownerAndServer }.map(\.name))
  }

  @Test("what is allowed is taken at once, kept with who did it, and is on trial", arguments: cases)
  func valid(_ example: Case) throws {
    let entry = try #require(Settings.entry(example.testDescription))
    for value in example.ends {
      var bench = EngineUnderTest()
      let before = bench.engine.settings
      let effects = bench.tell(offered(offer(entry.name, value)), 10)
      var after = before
      try after.set(entry.name, to: value)
      #expect(bench.engine.settings == after)
      #expect(effects.settingChanges == before.difference(to: after))
      #expect(effects.settingSources == [.server(home)])
      #expect(bench.engine.trial?.before == [entry.name: entry.standard])
      #expect(effects.contains(.keepTrial(bench.engine.trial)))
      #expect(effects.timer(.trial) == 10 + day)
      #expect(bench.engine.refusedOffers.isEmpty)
    }
  }

  @Test("what is not is named and refused, and all else of the same answer is taken", arguments: cases)
  func invalid(_ example: Case) throws {
    var bench = EngineUnderTest()
    let good = example.testDescription == "main.min_distance" ? ("main.min_time", "5s") : ("main.min_distance", "10m")
    let effects = bench.tell(
      offered(
        offer("main.colour", .text("red")), offer(example.testDescription, example.bad), offer(good.0, .text(good.1))), 0)
    #expect(effects.settingChanges.map(\.name) == [good.0])
    #expect(
      bench.engine.refusedOffers == [
        "home: There is no setting \"main.colour\".",
        "home: \"\(example.testDescription)\" cannot be \(example.bad); expected "
          + "\(try #require(Settings.entry(example.testDescription)).allowed).",
      ])
  }

  @Test(
    "what is the owner's no server changes, with any allow-list",
    arguments: Settings.table.filter { $0.authority == .owner }.map(\.name))
  func owners(_ name: String) throws {
    let entry = try #require(Settings.entry(name))
    var bench = EngineUnderTest { $0.remoteSettings = Settings.table.map(\.name) }
    let before = bench.engine.settings
    let value: SettingValue =
      entry.standard == .flag(true) ? .flag(false) : entry.standard == .flag(false) ? .flag(true) : entry.standard
    #expect(bench.tell(offered(offer(name, value)), 0).isEmpty)
    #expect(bench.engine.settings == before)
    #expect(bench.engine.refusedOffers == ["home: \"\(name)\" can be changed by the owner only."])
  }

  @Test("the allow-list decides what else is refused")
  func allowList() {
    var bench = EngineUnderTest { $0.remoteSettings = ["main.min_distance"] }
    bench.tell(
      offered(offer("main.min_distance", .text("10m")), offer("main.min_time", .text("5s")), offer("send_interval", .text("1s"))),
      0)
    #expect(bench.engine.settings.changes.map(\.name).filter { $0 != "remote_settings" } == ["main.min_distance"])
    #expect(bench.engine.refusedOffers.count == 2)
  }

  @Test("an endpoint that may change nothing is told so, and one that there is not is not heard")
  func deaf() {
    var bench = EngineUnderTest(plans: [EndpointPlan(home) { $0.changesSettings = false }])
    #expect(bench.tell(offered(offer("trip_mode", .text("walk"))), 0).isEmpty)
    #expect(bench.engine.refusedOffers == ["home: This endpoint may not change settings."])
    #expect(bench.tell(offered(offer("trip_mode", .text("walk")), by: EndpointID("nobody")), 0).isEmpty)
    #expect(bench.engine.settings == Settings())
  }

  @Test("what is as it was is no change: nothing is kept, nothing is on trial")
  func same() {
    var bench = EngineUnderTest()
    #expect(bench.tell(offered(offer("trip_mode", .text("bicycle")), offer("main.batch_size", .text("200"))), 0).isEmpty)
    #expect(bench.engine.trial == nil)
  }

  @Test("a refusal that comes with every answer is remembered once, and twenty different ones at most")
  func refusals() {
    var bench = EngineUnderTest()
    for _ in 0..<5 { bench.tell(offered(offer("a", .flag(true)), offer("b", .flag(true))), 0) }
    #expect(bench.engine.refusedOffers.count == 2)
    for number in 0..<30 { bench.tell(offered(offer("x\(number)", .flag(true))), 0) }
    #expect(bench.engine.refusedOffers.count == 20)
    #expect(bench.engine.refusedOffers.last == "home: There is no setting \"x29\".")
  }

  @Test("the person is told what changed, from what to what, if they want to be told")
  func told() {
    var bench = EngineUnderTest { $0.notifies = true }
    let effects = bench.tell(offered(offer("main.min_distance", .text("10m")), offer("trip_mode", .text("walk"))), 0)
    #expect(effects.notice(.settings)?.title == "Settings changed by home")
    #expect(effects.notice(.settings)?.body == "trip_mode: \"bicycle\" → \"walk\"\nmain.min_distance: \"off\" → \"10m\"")
    var silent = EngineUnderTest()
    #expect(silent.tell(offered(offer("trip_mode", .text("walk"))), 0).notices.isEmpty)
  }

  @Test("a server never turns on tracking that the owner turned off", arguments: ["standard", "significant", "both"])
  func offStaysOff(_ mode: String) {
    var bench = EngineUnderTest { $0.main.trackingMode = .off }
    bench.tell(.stop, 1)
    let effects = bench.tell(offered(offer("main.tracking_mode", .text(mode)), offer("main.visit_tracking", .flag(true))), 2)
    #expect(!bench.engine.isTracking)
    #expect(effects.configurations.isEmpty)
    #expect(!effects.contains(.rememberTracking(true)))
    #expect(bench.fixes(3).isEmpty)
  }

  @Test("what concerns the location services reaches them at once")
  func reconfigures() throws {
    var bench = EngineUnderTest()
    let effects = bench.tell(
      offered(
        offer("main.tracking_mode", .text("both")), offer("main.visit_tracking", .flag(true)),
        offer("main.desired_accuracy", .text("nav")), offer("main.activity_type", .text("car")),
        offer("main.background_indicator", .flag(true)), offer("main.pause_automatically", .flag(true))), 1)
    var expected = LocationSettings()
    (expected.trackingMode, expected.tracksVisits, expected.desiredAccuracy) = (.both, true, .navigation)
    (expected.activityType, expected.showsBackgroundIndicator, expected.pausesAutomatically) = (.automotive, true, true)
    #expect(effects.configurations == [LocationRequest(expected)])
    #expect(bench.tell(offered(offer("main.min_time", .text("5s"))), 2).configurations.isEmpty)
  }

  @Test("a shorter interval and a smaller batch count for what waits already")
  func sending() {
    var bench = EngineUnderTest { $0.sendInterval = 1800 }
    bench.tell(.fixes((0..<60).map { fix(Double($0)) }), 0)
    #expect(bench.tell(offered(offer("send_interval", .text("1m"))), 30).timer(.send(home)) == 60)
    #expect(bench.tell(offered(offer("main.batch_size", .number(50))), 31).requests.map(\.limit) == [50])
    var late = EngineUnderTest { $0.sendInterval = nil }
    late.fixes(0)
    #expect(late.tell(offered(offer("send_interval", .text("1m"))), 90).uploads == [home])
  }

  @Test("the settings of a trip hold during a trip, at once")
  func duringTrip() {
    var bench = EngineUnderTest()
    bench.tell(.startTrip(nil), 1)
    let effects = bench.tell(
      offered(offer("trip.desired_accuracy", .text("best")), offer("trip.prevent_screen_lock", .flag(true))), 2)
    #expect(effects.configurations.map { $0?.desiredAccuracy } == [.best])
    #expect(effects.contains(.keepScreenOn(true)))
    #expect(bench.tell(offered(offer("trip.prevent_screen_lock", .flag(false))), 3).contains(.keepScreenOn(false)))
    #expect(bench.tell(offered(offer("main.desired_accuracy", .text("3km"))), 4).configurations.isEmpty)
  }
}

@Suite("Settings on trial")
struct StagedRolloutTests {
  @Test("the upload in whose answer a change came proves nothing; the next one that is taken does")
  func proof() {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    #expect(bench.engine.trial != nil)
    bench.fixes(100)
    bench.tell(.sendNow, 100)
    let effects = bench.accept(at: 101)
    #expect(bench.engine.trial == nil)
    #expect(effects.contains(.keepTrial(nil)) && effects.contains(.cancelTimer(.trial)))
    #expect(bench.tell(.timerFired(.trial), 10 + day).settingChanges.isEmpty)
    #expect(bench.engine.settings.main.minimumTime == 5)
  }

  @Test(
    "what is no proof: failures, refusals, an unknown token, nothing sent",
    arguments: [
      UploadResult.failed(reason: "no network", retryAfter: nil, jitter: 0), .refused(reason: "no", count: 1),
      .setAside(remaining: 0, jitter: 0), .unauthorized(reason: "who?", jitter: 0), .nothingToSend,
      .accepted(remaining: 3, bytes: 0), .notYet(until: at(500)),
    ])
  func noProof(_ result: UploadResult) {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    bench.fixes(100)
    bench.tell(.sendNow, 100)
    bench.tell(.uploadFinished(home, result), 101)
    #expect(bench.engine.trial != nil)
  }

  @Test("another server proves nothing")
  func otherServer() {
    var bench = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    bench.accept(other, at: 11)
    bench.fixes(20)
    bench.tell(.sendNow, 20)
    bench.accept(other, at: 21)
    #expect(bench.engine.trial?.endpoint == home)
  }

  @Test("a server that is not reached for a day gets its change taken back, to the last value that worked")
  func rollback() {
    var bench = EngineUnderTest { $0.notifies = true }
    bench.offer(offer("send_interval", .text("1s")), offer("main.tracking_mode", .text("significant")), at: 10)
    let effects = bench.tell(.timerFired(.trial), 10 + day)
    #expect(effects.settingSources == [.rollback(home)])
    #expect(
      effects.settingChanges == [
        SettingChange(name: "send_interval", old: .text("1s"), new: .text("5m")),
        SettingChange(name: "main.tracking_mode", old: .text("significant"), new: .text("standard")),
      ])
    #expect(effects.configurations.map { $0?.mode } == [.standard])
    #expect(effects.notice(.settings)?.title == "Settings restored")
    #expect(bench.engine.trial == nil && bench.engine.settings.sendInterval == 300)
    #expect(bench.engine.settings.changes.map(\.name) == ["notifications"])
  }

  @Test("over a relaunch too, in time or at once when the day is over", arguments: [hour, day, 3 * day])
  func relaunch(_ seconds: Double) {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    var second = bench.relaunched(seconds)
    #expect(second.engine.settings.main.minimumTime == 5)
    #expect(second.effects.timer(.trial) == 10 + day)
    let effects = second.tell(.timerFired(.trial), max(seconds, 10 + day))
    #expect(effects.settingSources == [.rollback(home)])
    #expect(second.engine.settings.main.minimumTime == 1)
  }

  @Test("a change that proved itself is not taken back by a relaunch")
  func provedThenRelaunched() {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    bench.fixes(100)
    bench.tell(.sendNow, 100)
    bench.accept(at: 101)
    let second = bench.relaunched(2 * day)
    #expect(second.engine.trial == nil && second.effects.timer(.trial) == nil)
    #expect(second.engine.settings.main.minimumTime == 5)
  }

  @Test("what the owner decides meanwhile is not taken back, now or after a relaunch")
  func owner() {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), offer("main.min_distance", .text("10m")), at: 10)
    let effects = bench.tell(.settingsSet([offer("main.min_time", .text("30s"))]), 20)
    #expect(effects.settingSources == [.owner])
    #expect(bench.engine.trial?.before == ["main.min_distance": .text("off")])
    var second = bench.relaunched(30)
    second.tell(.timerFired(.trial), 10 + day)
    #expect(second.engine.settings.main.minimumTime == 30)
    #expect(second.engine.settings.main.minimumDistance == nil)
  }

  @Test("the trial is over when the owner has decided all of it")
  func allOwners() {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    let effects = bench.tell(.settingsSet([offer("main.min_time", .text("30s"))]), 20)
    #expect(bench.engine.trial == nil)
    #expect(effects.contains(.keepTrial(nil)) && effects.contains(.cancelTimer(.trial)))
  }

  @Test("two answers, one trial: the second answer proves the first change, which then stays")
  func twoAnswers() {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    bench.offer(offer("main.min_distance", .text("10m")), at: 400)
    #expect(bench.engine.trial?.before == ["main.min_distance": .text("off")])
    bench.tell(.timerFired(.trial), 400 + day)
    #expect(bench.engine.settings.main.minimumTime == 5)
    #expect(bench.engine.settings.main.minimumDistance == nil)
  }

  @Test("two changes of one setting in one answer go back to what was before both")
  func twiceInOneAnswer() {
    var bench = EngineUnderTest()
    bench.fixes(1)
    bench.tell(.sendNow, 1)
    bench.tell(offered(offer("main.min_time", .text("5s"))), 2)
    bench.tell(offered(offer("main.min_time", .text("10s"))), 2)
    bench.accept(at: 2)
    bench.tell(.timerFired(.trial), 2 + day)
    #expect(bench.engine.settings.main.minimumTime == 1)
  }

  @Test("while a change of one server has to prove itself, another server has to wait")
  func twoServers() {
    var bench = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    bench.offer(offer("main.min_time", .text("5s")), at: 10)
    #expect(bench.tell(offered(offer("trip_mode", .text("walk")), by: other), 11).isEmpty)
    #expect(bench.engine.settings.tripMode == .bicycle)
    #expect(
      bench.engine.refusedOffers == [
        "other: Not changed: the settings from home are not confirmed yet. Ignored: trip_mode."
      ])
  }

  @Test("a device with nothing to send asks the server, so that a good change is not lost")
  func asks() {
    var bench = EngineUnderTest()
    let effects = bench.offer(offer("main.tracking_mode", .text("significant")), at: 10)
    #expect(effects.timer(.lifeline) == 10 + 6 * hour)
    let asked = bench.tell(.timerFired(.lifeline), 10 + 6 * hour)
    #expect(asked.requests.map(\.isAsking) == [true])
    #expect(asked.timer(.lifeline) == 10 + 12 * hour)
    let answered = bench.accept(at: 11 + 6 * hour)
    #expect(bench.engine.trial == nil)
    #expect(answered.contains(.cancelTimer(.lifeline)))
  }

  @Test("a timer that fires early, by a clock that was set back, is set again, and for a day at most")
  func clock() {
    var bench = EngineUnderTest()
    bench.offer(offer("main.min_time", .text("5s")), at: 10 * day)
    #expect(bench.tell(.timerFired(.trial), 10.5 * day).timer(.trial) == 11 * day)
    #expect(bench.tell(.timerFired(.trial), 0).timer(.trial) == day)
    #expect(bench.engine.settings.main.minimumTime == 5)
  }
}

@Suite("The dead end and the lifeline")
struct LifelineTests {
  static let silences: [SettingOffer] = [
    offer("send_interval", .text("off")), offer("main.tracking_mode", .text("off")),
  ]

  /// A device that a server has silenced at 10 s, and whose change has proved itself.
  private static func silenced(_ silence: SettingOffer, _ change: (inout Settings) -> Void = { _ in }) -> EngineUnderTest {
    var bench = EngineUnderTest(change, plans: [EndpointPlan(home), EndpointPlan(other) { $0.changesSettings = false }])
    bench.offer(silence, at: 10)
    bench.accept(other, at: 10)
    return bench
  }

  @Test("a server that silences the device is asked once in six hours, and only a server that may", arguments: silences)
  func lifeline(_ silence: SettingOffer) {
    var bench = Self.silenced(silence)
    #expect(bench.effects.timer(.lifeline) == 10 + 6 * hour)
    for round in 1...4 {
      let now = 10 + Double(round) * 6 * hour
      let effects = bench.tell(.timerFired(.lifeline), now)
      #expect(effects.uploads == [home] && effects.requests.map(\.isAsking) == [true])
      #expect(effects.timer(.lifeline) == now + 6 * hour)
      #expect(bench.accept(at: now + 1).uploads.isEmpty)
    }
  }

  @Test("what it answers ends the silence", arguments: silences)
  func ends(_ silence: SettingOffer) {
    var bench = Self.silenced(silence)
    bench.tell(.timerFired(.lifeline), 10 + 6 * hour)
    bench.accept(at: 11 + 6 * hour)
    bench.tell(.timerFired(.lifeline), 10 + 12 * hour)
    let standard = silence.name == "send_interval" ? "1m" : "standard"
    bench.tell(offered(offer(silence.name, .text(standard))), 11 + 12 * hour)
    bench.accept(at: 11 + 12 * hour)
    #expect(bench.engine.settings == Settings() || bench.engine.settings.sendInterval == 60)
    // The change back is on trial, for which the server is asked as well; when it has proved itself, nobody is.
    bench.fixes(12 + 12 * hour)
    bench.tell(.sendNow, 12 + 12 * hour)
    #expect(bench.accept(at: 13 + 12 * hour).contains(.cancelTimer(.lifeline)))
  }

  @Test("a refusal of the question blames no record: nothing is set aside", arguments: silences)
  func refused(_ silence: SettingOffer) {
    var bench = Self.silenced(silence)
    bench.tell(.timerFired(.lifeline), 10 + 6 * hour)
    // A visit, say, is recorded while the question is on its way.
    bench.tell(.settingsSet([offer("main.visit_tracking", .flag(true))]), 10 + 6 * hour)
    bench.tell(.visit(Visit(time: at(6 * hour), coordinate: fix(0).coordinate), cached: nil), 10 + 6 * hour)
    let effects = bench.tell(.uploadFinished(home, .refused(reason: "empty", count: 1)), 11 + 6 * hour)
    #expect(!effects.setsAside)
    #expect(bench.engine.status(of: home)?.waiting == 1)
  }

  @Test("an owner who allows it can be silenced for good, and no rollback undoes that", arguments: silences)
  func allowed(_ silence: SettingOffer) {
    var bench = Self.silenced(silence) { $0.allowsRemoteShutdown = true }
    #expect(bench.effects.timer(.lifeline) == nil)
    let effects = bench.tell(.timerFired(.trial), 10 + day)
    #expect(effects.settingChanges.isEmpty && effects.contains(.keepTrial(nil)))
    #expect(bench.engine.settings.sendInterval == nil || bench.engine.settings.main.trackingMode == .off)
  }

  @Test("what the owner turns off is nobody else's business", arguments: silences)
  func owner(_ silence: SettingOffer) {
    var bench = EngineUnderTest()
    #expect(bench.tell(.settingsSet([silence]), 10).timer(.lifeline) == nil)
    var servers = Self.silenced(silence)
    var settings = servers.engine.settings
    settings.allowsRemoteShutdown = true
    #expect(servers.tell(.settingsChanged(settings), 20).contains(.cancelTimer(.lifeline)))
  }

  @Test("an owner who turns tracking off is left in peace", arguments: silences)
  func stop(_ silence: SettingOffer) {
    var bench = Self.silenced(silence)
    #expect(bench.tell(.stop, 20).contains(.cancelTimer(.lifeline)))
    #expect(bench.tell(.timerFired(.lifeline), 21).isEmpty)
    #expect(bench.tell(.start, 22).timer(.lifeline) == 22 + 6 * hour)
  }

  @Test("a relaunched device asks at once, or one that is launched often would never ask", arguments: silences)
  func relaunch(_ silence: SettingOffer) {
    var bench = Self.silenced(silence).relaunched(hour)
    #expect(bench.effects.timer(.lifeline) == hour)
    #expect(bench.tell(.timerFired(.lifeline), hour).requests.map(\.isAsking) == [true])
  }

  @Test("a silence that comes back by a rollback is still a server's")
  func rollback() {
    var bench = Self.silenced(Self.silences[0])
    bench.tell(.timerFired(.lifeline), 10 + 6 * hour)
    bench.accept(at: 11 + 6 * hour)
    // It ends the silence, and is never reached again.
    bench.tell(.timerFired(.lifeline), 12 * hour)
    bench.tell(offered(offer("send_interval", .text("5m"))), 12 * hour)
    bench.accept(at: 12 * hour)
    bench.tell(.timerFired(.trial), 36 * hour)
    #expect(bench.engine.settings.sendInterval == nil)
    #expect(bench.tell(.timerFired(.lifeline), 37 * hour).requests.map(\.isAsking) == [true])
  }

  @Test("while an endpoint is backing off, or must not be sent to, it is not asked either")
  func held() {
    var bench = Self.silenced(Self.silences[0])
    bench.fixes(20)
    bench.tell(.sendNow, 20)
    bench.tell(.uploadFinished(home, .failed(reason: "busy", retryAfter: day, jitter: 0)), 21)
    #expect(bench.tell(.timerFired(.lifeline), 10 + 6 * hour).uploads.isEmpty)
    var wifi = EngineUnderTest(plans: [EndpointPlan(home) { $0.onlyOnWifi = true }])
    wifi.tell(offered(Self.silences[0]), 10)
    let effects = wifi.tell(.timerFired(.lifeline), 10 + 6 * hour)
    #expect(effects.uploads.isEmpty && effects.timer(.lifeline) == 10 + 12 * hour)
  }
}
