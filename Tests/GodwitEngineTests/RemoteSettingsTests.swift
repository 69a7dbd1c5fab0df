import Foundation
import GodwitEngine
import GodwitModel
import Testing

private func desired(_ name: String, _ value: SettingValue) -> DesiredSetting { DesiredSetting(name: name, value: value) }
private func offered(_ desired: DesiredSetting..., by endpoint: EndpointID = home) -> Event {
  .settingsOffered(endpoint, desired)
}

extension EngineUnderTest {
  /// Simulates an accepted upload whose response contains these settings.
  @discardableResult
  mutating func desired(_ desired: DesiredSetting..., by endpoint: EndpointID = home, at seconds: Double) -> [Effect] {
    send(.fixes([fix(seconds)]), seconds)
    send(.sendNow, seconds)
    let effects = send(.settingsOffered(endpoint, desired), seconds)
    return effects + accept(endpoint, at: seconds)
  }
}

@Suite("Settings that a server changes")
struct RemoteSettingsTests {
  /// A setting, the limits of its valid values, and an invalid value.
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

  @Test("the cases are all settings that a server may change")
  func complete() {
    let (remote, cases) = (
      Settings.table.filter { $0.authority == .userAndServer }.map(\.name), Self.cases.map(\.testDescription)
    )
    #expect(
      cases == remote,
      """
      RemoteSettingsTests.cases lacks \(Set(remote).subtracting(cases).sorted()) and has \
      \(Set(cases).subtracting(remote).sorted()) too many; its order is that of Settings.table
      """)
  }

  @Test("an allowed change applies at once, is stored with its origin, and is a staged rollout", arguments: cases)
  func valid(_ example: Case) throws {
    let entry = try #require(Settings.entry(example.testDescription))
    for value in example.ends {
      var engine = EngineUnderTest()
      let before = engine.engine.settings
      let effects = engine.send(offered(desired(entry.name, value)), 10)
      var after = before
      try after.set(entry.name, to: value)
      #expect(engine.engine.settings == after)
      #expect(effects.settingChanges == before.difference(to: after))
      #expect(effects.settingSources == [.server(home)])
      #expect(engine.engine.rollout?.before == [entry.name: entry.standard])
      #expect(effects.contains(.storeRollout(engine.engine.rollout)))
      #expect(effects.timer(.rollout) == 10 + day)
      #expect(engine.engine.rejectedSettings.isEmpty)
    }
  }

  @Test("a forbidden change is named and rejected, and the rest of the response applies", arguments: cases)
  func invalid(_ example: Case) throws {
    var engine = EngineUnderTest()
    let good = example.testDescription == "main.min_distance" ? ("main.min_time", "5s") : ("main.min_distance", "10m")
    let effects = engine.send(
      offered(
        desired("main.colour", .text("red")), desired(example.testDescription, example.bad), desired(good.0, .text(good.1))), 0)
    #expect(effects.settingChanges.map(\.name) == [good.0])
    #expect(
      engine.engine.rejectedSettings == [
        "home: There is no setting \"main.colour\".",
        "home: \"\(example.testDescription)\" cannot be \(example.bad); expected "
          + "\(try #require(Settings.entry(example.testDescription)).allowed).",
      ])
  }

  @Test(
    "no server changes a setting that only the user may change, with any allow-list",
    arguments: Settings.table.filter { $0.authority == .user }.map(\.name))
  func userSettings(_ name: String) throws {
    let entry = try #require(Settings.entry(name))
    var engine = EngineUnderTest { $0.remoteSettings = Settings.table.map(\.name) }
    let before = engine.engine.settings
    let value: SettingValue =
      entry.standard == .flag(true) ? .flag(false) : entry.standard == .flag(false) ? .flag(true) : entry.standard
    #expect(engine.send(offered(desired(name, value)), 0).isEmpty)
    #expect(engine.engine.settings == before)
    #expect(engine.engine.rejectedSettings == ["home: \"\(name)\" can be changed by the user only."])
  }

  @Test("the allow-list decides which other settings are rejected")
  func allowList() {
    var engine = EngineUnderTest { $0.remoteSettings = ["main.min_distance"] }
    engine.send(
      offered(
        desired("main.min_distance", .text("10m")), desired("main.min_time", .text("5s")), desired("send_interval", .text("1s"))),
      0)
    #expect(engine.engine.settings.changes.map(\.name).filter { $0 != "remote_settings" } == ["main.min_distance"])
    #expect(engine.engine.rejectedSettings.count == 2)
  }

  @Test("an endpoint without the right to change settings gets a rejection, and an unknown endpoint is ignored")
  func deaf() {
    var engine = EngineUnderTest(plans: [EndpointPlan(home) { $0.changesSettings = false }])
    #expect(engine.send(offered(desired("trip_mode", .text("walk"))), 0).isEmpty)
    #expect(engine.engine.rejectedSettings == ["home: This endpoint may not change settings."])
    #expect(engine.send(offered(desired("trip_mode", .text("walk")), by: EndpointID("unknown")), 0).isEmpty)
    #expect(engine.engine.settings == Settings())
  }

  @Test("an equal value is no change: nothing is stored, and no staged rollout begins")
  func same() {
    var engine = EngineUnderTest()
    #expect(engine.send(offered(desired("trip_mode", .text("bicycle")), desired("main.batch_size", .text("200"))), 0).isEmpty)
    #expect(engine.engine.rollout == nil)
  }

  @Test("a repeated rejection is stored once, and at most twenty different rejections are stored")
  func rejections() {
    var engine = EngineUnderTest()
    for _ in 0..<5 { engine.send(offered(desired("a", .flag(true)), desired("b", .flag(true))), 0) }
    #expect(engine.engine.rejectedSettings.count == 2)
    for number in 0..<30 { engine.send(offered(desired("x\(number)", .flag(true))), 0) }
    #expect(engine.engine.rejectedSettings.count == 20)
    #expect(engine.engine.rejectedSettings.last == "home: There is no setting \"x29\".")
  }

  @Test("the user gets a notice of a change with old and new value, if notices are on")
  func reported() {
    var engine = EngineUnderTest { $0.notifies = true }
    let effects = engine.send(offered(desired("main.min_distance", .text("10m")), desired("trip_mode", .text("walk"))), 0)
    #expect(effects.notice(.settings)?.title == "Settings changed by home")
    #expect(effects.notice(.settings)?.body == "trip_mode: \"bicycle\" → \"walk\"\nmain.min_distance: \"off\" → \"10m\"")
    var offline = EngineUnderTest()
    #expect(offline.send(offered(desired("trip_mode", .text("walk"))), 0).notices.isEmpty)
  }

  @Test("a server never turns on tracking that the user turned off", arguments: ["standard", "significant", "both"])
  func offStaysOff(_ mode: String) {
    var engine = EngineUnderTest { $0.main.trackingMode = .off }
    engine.send(.stop, 1)
    let effects = engine.send(offered(desired("main.tracking_mode", .text(mode)), desired("main.visit_tracking", .flag(true))), 2)
    #expect(!engine.engine.isTracking)
    #expect(effects.configurations.isEmpty)
    #expect(!effects.contains(.rememberTracking(true)))
    #expect(engine.fixes(3).isEmpty)
  }

  @Test("settings of the location services apply at once")
  func reconfigures() throws {
    var engine = EngineUnderTest()
    let effects = engine.send(
      offered(
        desired("main.tracking_mode", .text("both")), desired("main.visit_tracking", .flag(true)),
        desired("main.desired_accuracy", .text("nav")), desired("main.activity_type", .text("car")),
        desired("main.background_indicator", .flag(true)), desired("main.pause_automatically", .flag(true))), 1)
    var expected = LocationSettings()
    (expected.trackingMode, expected.tracksVisits, expected.desiredAccuracy) = (.both, true, .navigation)
    (expected.activityType, expected.showsBackgroundIndicator, expected.pausesAutomatically) = (.automotive, true, true)
    #expect(effects.configurations == [LocationRequest(expected)])
    #expect(engine.send(offered(desired("main.min_time", .text("5s"))), 2).configurations.isEmpty)
  }

  @Test("a shorter interval and a smaller batch apply to waiting records")
  func sending() {
    var engine = EngineUnderTest { $0.sendInterval = 1800 }
    engine.send(.fixes((0..<60).map { fix(Double($0)) }), 0)
    #expect(engine.send(offered(desired("send_interval", .text("1m"))), 30).timer(.send(home)) == 60)
    #expect(engine.send(offered(desired("main.batch_size", .number(50))), 31).requests.map(\.limit) == [50])
    var late = EngineUnderTest { $0.sendInterval = nil }
    late.fixes(0)
    #expect(late.send(offered(desired("send_interval", .text("1m"))), 90).uploads == [home])
  }

  @Test("the settings of a trip apply during a trip, at once")
  func duringTrip() {
    var engine = EngineUnderTest()
    engine.send(.startTrip(nil), 1)
    let effects = engine.send(
      offered(desired("trip.desired_accuracy", .text("best")), desired("trip.prevent_screen_lock", .flag(true))), 2)
    #expect(effects.configurations.map { $0?.desiredAccuracy } == [.best])
    #expect(effects.contains(.keepScreenOn(true)))
    #expect(engine.send(offered(desired("trip.prevent_screen_lock", .flag(false))), 3).contains(.keepScreenOn(false)))
    #expect(engine.send(offered(desired("main.desired_accuracy", .text("3km"))), 4).configurations.isEmpty)
  }
}

@Suite("Staged rollouts of settings")
struct StagedRolloutTests {
  @Test("the upload whose response contains a change confirms nothing; the next accepted one does")
  func proof() {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    #expect(engine.engine.rollout != nil)
    engine.fixes(100)
    engine.send(.sendNow, 100)
    let effects = engine.accept(at: 101)
    #expect(engine.engine.rollout == nil)
    #expect(effects.contains(.storeRollout(nil)) && effects.contains(.cancelTimer(.rollout)))
    #expect(engine.send(.timerFired(.rollout), 10 + day).settingChanges.isEmpty)
    #expect(engine.engine.settings.main.minimumTime == 5)
  }

  @Test(
    "failures, rejections, an unknown token and idle times confirm nothing",
    arguments: [
      UploadResult.failed(reason: "no network", retryAfter: nil, jitter: 0), .rejected(reason: "no", count: 1),
      .quarantined(remaining: 0, jitter: 0), .unauthorized(reason: "who?", jitter: 0), .nothingToSend,
      .accepted(remaining: 3, bytes: 0), .notYet(until: at(500)),
    ])
  func noProof(_ result: UploadResult) {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    engine.fixes(100)
    engine.send(.sendNow, 100)
    engine.send(.uploadFinished(home, result), 101)
    #expect(engine.engine.rollout != nil)
  }

  @Test("a success at another server confirms nothing")
  func otherServer() {
    var engine = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    engine.accept(other, at: 11)
    engine.fixes(20)
    engine.send(.sendNow, 20)
    engine.accept(other, at: 21)
    #expect(engine.engine.rollout?.endpoint == home)
  }

  @Test("a change is rolled back to the last confirmed value when its server is not reached for a day")
  func rollback() {
    var engine = EngineUnderTest { $0.notifies = true }
    engine.desired(desired("send_interval", .text("1s")), desired("main.tracking_mode", .text("significant")), at: 10)
    let effects = engine.send(.timerFired(.rollout), 10 + day)
    #expect(effects.settingSources == [.rollback(home)])
    #expect(
      effects.settingChanges == [
        SettingChange(name: "send_interval", old: .text("1s"), new: .text("5m")),
        SettingChange(name: "main.tracking_mode", old: .text("significant"), new: .text("standard")),
      ])
    #expect(effects.configurations.map { $0?.mode } == [.standard])
    #expect(effects.notice(.settings)?.title == "Settings restored")
    #expect(engine.engine.rollout == nil && engine.engine.settings.sendInterval == 300)
    #expect(engine.engine.settings.changes.map(\.name) == ["notifications"])
  }

  @Test("the rollback also happens after a relaunch, in time or at once when the day is over", arguments: [hour, day, 3 * day])
  func relaunch(_ seconds: Double) {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    var second = engine.relaunched(seconds)
    #expect(second.engine.settings.main.minimumTime == 5)
    #expect(second.effects.timer(.rollout) == 10 + day)
    let effects = second.send(.timerFired(.rollout), max(seconds, 10 + day))
    #expect(effects.settingSources == [.rollback(home)])
    #expect(second.engine.settings.main.minimumTime == 1)
  }

  @Test("a relaunch does not roll back a confirmed change")
  func provedThenRelaunched() {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    engine.fixes(100)
    engine.send(.sendNow, 100)
    engine.accept(at: 101)
    let second = engine.relaunched(2 * day)
    #expect(second.engine.rollout == nil && second.effects.timer(.rollout) == nil)
    #expect(second.engine.settings.main.minimumTime == 5)
  }

  @Test("a change of the user on top is not rolled back, now or after a relaunch")
  func user() {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), desired("main.min_distance", .text("10m")), at: 10)
    let effects = engine.send(.settingsSet([desired("main.min_time", .text("30s"))]), 20)
    #expect(effects.settingSources == [.user])
    #expect(engine.engine.rollout?.before == ["main.min_distance": .text("off")])
    var second = engine.relaunched(30)
    second.send(.timerFired(.rollout), 10 + day)
    #expect(second.engine.settings.main.minimumTime == 30)
    #expect(second.engine.settings.main.minimumDistance == nil)
  }

  @Test("the rollout ends when the user has changed all of its settings")
  func wholeRollout() {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    let effects = engine.send(.settingsSet([desired("main.min_time", .text("30s"))]), 20)
    #expect(engine.engine.rollout == nil)
    #expect(effects.contains(.storeRollout(nil)) && effects.contains(.cancelTimer(.rollout)))
  }

  @Test("a second response with settings confirms the first change and begins a new rollout")
  func twoResponses() {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    engine.desired(desired("main.min_distance", .text("10m")), at: 400)
    #expect(engine.engine.rollout?.before == ["main.min_distance": .text("off")])
    engine.send(.timerFired(.rollout), 400 + day)
    #expect(engine.engine.settings.main.minimumTime == 5)
    #expect(engine.engine.settings.main.minimumDistance == nil)
  }

  @Test("two changes of one setting in one response roll back to the original value")
  func twiceInOneResponse() {
    var engine = EngineUnderTest()
    engine.fixes(1)
    engine.send(.sendNow, 1)
    engine.send(offered(desired("main.min_time", .text("5s"))), 2)
    engine.send(offered(desired("main.min_time", .text("10s"))), 2)
    engine.accept(at: 2)
    engine.send(.timerFired(.rollout), 2 + day)
    #expect(engine.engine.settings.main.minimumTime == 1)
  }

  @Test("during the rollout of one server's change, changes of other servers are rejected")
  func twoServers() {
    var engine = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    engine.desired(desired("main.min_time", .text("5s")), at: 10)
    #expect(engine.send(offered(desired("trip_mode", .text("walk")), by: other), 11).isEmpty)
    #expect(engine.engine.settings.tripMode == .bicycle)
    #expect(
      engine.engine.rejectedSettings == [
        "other: Not changed: the settings from home are not confirmed yet. Ignored: trip_mode."
      ])
  }

  @Test("a device with nothing to send contacts the server, so that a good change is confirmed")
  func asks() {
    var engine = EngineUnderTest()
    let effects = engine.desired(desired("main.tracking_mode", .text("significant")), at: 10)
    #expect(effects.timer(.checkIn) == 10 + 6 * hour)
    let asked = engine.send(.timerFired(.checkIn), 10 + 6 * hour)
    #expect(asked.requests.map(\.isAsking) == [true])
    #expect(asked.timer(.checkIn) == 10 + 12 * hour)
    let answered = engine.accept(at: 11 + 6 * hour)
    #expect(engine.engine.rollout == nil)
    #expect(answered.contains(.cancelTimer(.checkIn)))
  }

  @Test("a setting whose earlier value is no longer valid keeps the server's value after the rollback")
  func invalidBefore() {
    var earlier = EngineUnderTest()
    earlier.desired(desired("main.min_time", .text("5s")), at: 10)
    var launch = Launch(wasTracking: true, waiting: [:])
    launch.setByServer = ["main.min_time", "trip_mode"]
    launch.rollout = earlier.engine.rollout
    launch.rollout?.before = ["main.min_time": .text("soon"), "trip_mode": .text("tram")]
    var engine = EngineUnderTest(unlaunched: Settings())
    engine.send(.launched(launch), 0)
    let effects = engine.send(.timerFired(.rollout), 11 + day)
    #expect(effects.settingChanges.map(\.name) == ["trip_mode"] && engine.engine.setByServer == ["main.min_time"])
    #expect(engine.engine.rejectedSettings.count == 1 && engine.engine.rollout == nil)
  }

  @Test("a timer that fires early after a clock change is set again, for a day at most")
  func clock() {
    var engine = EngineUnderTest()
    engine.desired(desired("main.min_time", .text("5s")), at: 10 * day)
    #expect(engine.send(.timerFired(.rollout), 10.5 * day).timer(.rollout) == 11 * day)
    #expect(engine.send(.timerFired(.rollout), 0).timer(.rollout) == day)
    #expect(engine.engine.settings.main.minimumTime == 5)
  }

  @Test("at a launch with a clock that is months behind, the timer is set for a day at most")
  func launchedBehind() {
    var earlier = EngineUnderTest()
    earlier.desired(desired("main.min_time", .text("5s")), at: 60 * day)
    #expect(earlier.relaunched(100).effects.timer(.rollout) == 100 + day)
  }
}

@Suite("Silenced devices and their check-ins")
struct CheckInTests {
  static let offlineDevices: [DesiredSetting] = [
    desired("send_interval", .text("off")), desired("main.tracking_mode", .text("off")),
  ]

  /// Returns a device whose uploads or tracking a server turned off at 10 s.
  private static func silenced(_ setting: DesiredSetting, _ change: (inout Settings) -> Void = { _ in }) -> EngineUnderTest {
    var engine = EngineUnderTest(change, plans: [EndpointPlan(home), EndpointPlan(other) { $0.changesSettings = false }])
    engine.desired(setting, at: 10)
    engine.accept(other, at: 10)
    return engine
  }

  @Test(
    "a device that a server silenced contacts it every six hours, if the server may change settings", arguments: offlineDevices)
  func checkIn(_ setting: DesiredSetting) {
    var engine = Self.silenced(setting)
    #expect(engine.effects.timer(.checkIn) == 10 + 6 * hour)
    for round in 1...4 {
      let now = 10 + Double(round) * 6 * hour
      let effects = engine.send(.timerFired(.checkIn), now)
      #expect(effects.uploads == [home] && effects.requests.map(\.isAsking) == [true])
      #expect(effects.timer(.checkIn) == now + 6 * hour)
      #expect(engine.accept(at: now + 1).uploads.isEmpty)
    }
  }

  @Test("the response to the check-in ends the silence", arguments: offlineDevices)
  func ends(_ setting: DesiredSetting) {
    var engine = Self.silenced(setting)
    engine.send(.timerFired(.checkIn), 10 + 6 * hour)
    engine.accept(at: 11 + 6 * hour)
    engine.send(.timerFired(.checkIn), 10 + 12 * hour)
    let standard = setting.name == "send_interval" ? "1m" : "standard"
    engine.send(offered(desired(setting.name, .text(standard))), 11 + 12 * hour)
    engine.accept(at: 11 + 12 * hour)
    #expect(engine.engine.settings == Settings() || engine.engine.settings.sendInterval == 60)
    // The new value is a staged rollout with check-ins; after its confirmation there are no check-ins.
    engine.fixes(12 + 12 * hour)
    engine.send(.sendNow, 12 + 12 * hour)
    #expect(engine.accept(at: 13 + 12 * hour).contains(.cancelTimer(.checkIn)))
  }

  @Test("a rejected check-in quarantines no record", arguments: offlineDevices)
  func rejected(_ setting: DesiredSetting) {
    var engine = Self.silenced(setting)
    engine.send(.timerFired(.checkIn), 10 + 6 * hour)
    // A visit is recorded while the check-in is in flight.
    engine.send(.settingsSet([desired("main.visit_tracking", .flag(true))]), 10 + 6 * hour)
    engine.send(.visit(Visit(time: at(6 * hour), coordinate: fix(0).coordinate), cached: nil), 10 + 6 * hour)
    let effects = engine.send(.uploadFinished(home, .rejected(reason: "empty", count: 1)), 11 + 6 * hour)
    #expect(!effects.quarantines)
    #expect(engine.engine.status(of: home)?.waiting == 1)
  }

  @Test("a user can allow a permanent stop, which no rollback reverts", arguments: offlineDevices)
  func allowed(_ setting: DesiredSetting) {
    var engine = Self.silenced(setting) { $0.allowsRemoteShutdown = true }
    #expect(engine.effects.timer(.checkIn) == nil)
    let effects = engine.send(.timerFired(.rollout), 10 + day)
    #expect(effects.settingChanges.isEmpty && effects.contains(.storeRollout(nil)))
    #expect(engine.engine.settings.sendInterval == nil || engine.engine.settings.main.trackingMode == .off)
  }

  @Test("there are no check-ins after the user turned reporting off, or allowed the server to do so", arguments: offlineDevices)
  func user(_ setting: DesiredSetting) {
    var engine = EngineUnderTest()
    #expect(engine.send(.settingsSet([setting]), 10).timer(.checkIn) == nil)
    var servers = Self.silenced(setting)
    var settings = servers.engine.settings
    settings.allowsRemoteShutdown = true
    #expect(servers.send(.settingsChanged(settings), 20).contains(.cancelTimer(.checkIn)))
  }

  @Test("after the user turned tracking off there are no check-ins until tracking is on again", arguments: offlineDevices)
  func stop(_ setting: DesiredSetting) {
    var engine = Self.silenced(setting)
    #expect(engine.send(.stop, 20).contains(.cancelTimer(.checkIn)))
    #expect(engine.send(.timerFired(.checkIn), 21).isEmpty)
    #expect(engine.send(.start, 22).timer(.checkIn) == 22 + 6 * hour)
  }

  @Test("a relaunched device checks in at once, so that frequent launches do not prevent it", arguments: offlineDevices)
  func relaunch(_ setting: DesiredSetting) {
    var engine = Self.silenced(setting).relaunched(hour)
    #expect(engine.effects.timer(.checkIn) == hour)
    #expect(engine.send(.timerFired(.checkIn), hour).requests.map(\.isAsking) == [true])
  }

  @Test("a silence that a rollback restores still counts as a server's")
  func rollback() {
    var engine = Self.silenced(Self.offlineDevices[0])
    engine.send(.timerFired(.checkIn), 10 + 6 * hour)
    engine.accept(at: 11 + 6 * hour)
    // The server turns uploads on again, and cannot be reached afterwards.
    engine.send(.timerFired(.checkIn), 12 * hour)
    engine.send(offered(desired("send_interval", .text("5m"))), 12 * hour)
    engine.accept(at: 12 * hour)
    engine.send(.timerFired(.rollout), 36 * hour)
    #expect(engine.engine.settings.sendInterval == nil)
    #expect(engine.send(.timerFired(.checkIn), 37 * hour).requests.map(\.isAsking) == [true])
  }

  @Test("no check-in happens during a back-off or while an upload is not allowed")
  func held() {
    var engine = Self.silenced(Self.offlineDevices[0])
    engine.fixes(20)
    engine.send(.sendNow, 20)
    engine.send(.uploadFinished(home, .failed(reason: "busy", retryAfter: day, jitter: 0)), 21)
    #expect(engine.send(.timerFired(.checkIn), 10 + 6 * hour).uploads.isEmpty)
    var wifi = EngineUnderTest(plans: [EndpointPlan(home) { $0.onlyOnWifi = true }])
    wifi.send(offered(Self.offlineDevices[0]), 10)
    let effects = wifi.send(.timerFired(.checkIn), 10 + 6 * hour)
    #expect(effects.uploads.isEmpty && effects.timer(.checkIn) == 10 + 12 * hour)
  }
}
