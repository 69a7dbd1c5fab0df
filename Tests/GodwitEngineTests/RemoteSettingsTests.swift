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
      var bench = EngineUnderTest()
      let before = bench.engine.settings
      let effects = bench.send(offered(desired(entry.name, value)), 10)
      var after = before
      try after.set(entry.name, to: value)
      #expect(bench.engine.settings == after)
      #expect(effects.settingChanges == before.difference(to: after))
      #expect(effects.settingSources == [.server(home)])
      #expect(bench.engine.rollout?.before == [entry.name: entry.standard])
      #expect(effects.contains(.storeRollout(bench.engine.rollout)))
      #expect(effects.timer(.rollout) == 10 + day)
      #expect(bench.engine.rejectedSettings.isEmpty)
    }
  }

  @Test("a forbidden change is named and rejected, and the rest of the response applies", arguments: cases)
  func invalid(_ example: Case) throws {
    var bench = EngineUnderTest()
    let good = example.testDescription == "main.min_distance" ? ("main.min_time", "5s") : ("main.min_distance", "10m")
    let effects = bench.send(
      offered(
        desired("main.colour", .text("red")), desired(example.testDescription, example.bad), desired(good.0, .text(good.1))), 0)
    #expect(effects.settingChanges.map(\.name) == [good.0])
    #expect(
      bench.engine.rejectedSettings == [
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
    var bench = EngineUnderTest { $0.remoteSettings = Settings.table.map(\.name) }
    let before = bench.engine.settings
    let value: SettingValue =
      entry.standard == .flag(true) ? .flag(false) : entry.standard == .flag(false) ? .flag(true) : entry.standard
    #expect(bench.send(offered(desired(name, value)), 0).isEmpty)
    #expect(bench.engine.settings == before)
    #expect(bench.engine.rejectedSettings == ["home: \"\(name)\" can be changed by the user only."])
  }

  @Test("the allow-list decides which other settings are rejected")
  func allowList() {
    var bench = EngineUnderTest { $0.remoteSettings = ["main.min_distance"] }
    bench.send(
      offered(
        desired("main.min_distance", .text("10m")), desired("main.min_time", .text("5s")), desired("send_interval", .text("1s"))),
      0)
    #expect(bench.engine.settings.changes.map(\.name).filter { $0 != "remote_settings" } == ["main.min_distance"])
    #expect(bench.engine.rejectedSettings.count == 2)
  }

  @Test("an endpoint without the right to change settings gets a rejection, and an unknown endpoint is ignored")
  func deaf() {
    var bench = EngineUnderTest(plans: [EndpointPlan(home) { $0.changesSettings = false }])
    #expect(bench.send(offered(desired("trip_mode", .text("walk"))), 0).isEmpty)
    #expect(bench.engine.rejectedSettings == ["home: This endpoint may not change settings."])
    #expect(bench.send(offered(desired("trip_mode", .text("walk")), by: EndpointID("unknown")), 0).isEmpty)
    #expect(bench.engine.settings == Settings())
  }

  @Test("an equal value is no change: nothing is stored, and no staged rollout begins")
  func same() {
    var bench = EngineUnderTest()
    #expect(bench.send(offered(desired("trip_mode", .text("bicycle")), desired("main.batch_size", .text("200"))), 0).isEmpty)
    #expect(bench.engine.rollout == nil)
  }

  @Test("a repeated rejection is stored once, and at most twenty different rejections are stored")
  func rejections() {
    var bench = EngineUnderTest()
    for _ in 0..<5 { bench.send(offered(desired("a", .flag(true)), desired("b", .flag(true))), 0) }
    #expect(bench.engine.rejectedSettings.count == 2)
    for number in 0..<30 { bench.send(offered(desired("x\(number)", .flag(true))), 0) }
    #expect(bench.engine.rejectedSettings.count == 20)
    #expect(bench.engine.rejectedSettings.last == "home: There is no setting \"x29\".")
  }

  @Test("the user gets a notice of a change with old and new value, if notices are on")
  func reported() {
    var bench = EngineUnderTest { $0.notifies = true }
    let effects = bench.send(offered(desired("main.min_distance", .text("10m")), desired("trip_mode", .text("walk"))), 0)
    #expect(effects.notice(.settings)?.title == "Settings changed by home")
    #expect(effects.notice(.settings)?.body == "trip_mode: \"bicycle\" → \"walk\"\nmain.min_distance: \"off\" → \"10m\"")
    var offline = EngineUnderTest()
    #expect(offline.send(offered(desired("trip_mode", .text("walk"))), 0).notices.isEmpty)
  }

  @Test("a server never turns on tracking that the user turned off", arguments: ["standard", "significant", "both"])
  func offStaysOff(_ mode: String) {
    var bench = EngineUnderTest { $0.main.trackingMode = .off }
    bench.send(.stop, 1)
    let effects = bench.send(offered(desired("main.tracking_mode", .text(mode)), desired("main.visit_tracking", .flag(true))), 2)
    #expect(!bench.engine.isTracking)
    #expect(effects.configurations.isEmpty)
    #expect(!effects.contains(.rememberTracking(true)))
    #expect(bench.fixes(3).isEmpty)
  }

  @Test("settings of the location services apply at once")
  func reconfigures() throws {
    var bench = EngineUnderTest()
    let effects = bench.send(
      offered(
        desired("main.tracking_mode", .text("both")), desired("main.visit_tracking", .flag(true)),
        desired("main.desired_accuracy", .text("nav")), desired("main.activity_type", .text("car")),
        desired("main.background_indicator", .flag(true)), desired("main.pause_automatically", .flag(true))), 1)
    var expected = LocationSettings()
    (expected.trackingMode, expected.tracksVisits, expected.desiredAccuracy) = (.both, true, .navigation)
    (expected.activityType, expected.showsBackgroundIndicator, expected.pausesAutomatically) = (.automotive, true, true)
    #expect(effects.configurations == [LocationRequest(expected)])
    #expect(bench.send(offered(desired("main.min_time", .text("5s"))), 2).configurations.isEmpty)
  }

  @Test("a shorter interval and a smaller batch apply to waiting records")
  func sending() {
    var bench = EngineUnderTest { $0.sendInterval = 1800 }
    bench.send(.fixes((0..<60).map { fix(Double($0)) }), 0)
    #expect(bench.send(offered(desired("send_interval", .text("1m"))), 30).timer(.send(home)) == 60)
    #expect(bench.send(offered(desired("main.batch_size", .number(50))), 31).requests.map(\.limit) == [50])
    var late = EngineUnderTest { $0.sendInterval = nil }
    late.fixes(0)
    #expect(late.send(offered(desired("send_interval", .text("1m"))), 90).uploads == [home])
  }

  @Test("the settings of a trip apply during a trip, at once")
  func duringTrip() {
    var bench = EngineUnderTest()
    bench.send(.startTrip(nil), 1)
    let effects = bench.send(
      offered(desired("trip.desired_accuracy", .text("best")), desired("trip.prevent_screen_lock", .flag(true))), 2)
    #expect(effects.configurations.map { $0?.desiredAccuracy } == [.best])
    #expect(effects.contains(.keepScreenOn(true)))
    #expect(bench.send(offered(desired("trip.prevent_screen_lock", .flag(false))), 3).contains(.keepScreenOn(false)))
    #expect(bench.send(offered(desired("main.desired_accuracy", .text("3km"))), 4).configurations.isEmpty)
  }
}

@Suite("Staged rollouts of settings")
struct StagedRolloutTests {
  @Test("the upload whose response contains a change confirms nothing; the next accepted one does")
  func proof() {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    #expect(bench.engine.rollout != nil)
    bench.fixes(100)
    bench.send(.sendNow, 100)
    let effects = bench.accept(at: 101)
    #expect(bench.engine.rollout == nil)
    #expect(effects.contains(.storeRollout(nil)) && effects.contains(.cancelTimer(.rollout)))
    #expect(bench.send(.timerFired(.rollout), 10 + day).settingChanges.isEmpty)
    #expect(bench.engine.settings.main.minimumTime == 5)
  }

  @Test(
    "failures, rejections, an unknown token and idle times confirm nothing",
    arguments: [
      UploadResult.failed(reason: "no network", retryAfter: nil, jitter: 0), .rejected(reason: "no", count: 1),
      .quarantined(remaining: 0, jitter: 0), .unauthorized(reason: "who?", jitter: 0), .nothingToSend,
      .accepted(remaining: 3, bytes: 0), .notYet(until: at(500)),
    ])
  func noProof(_ result: UploadResult) {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    bench.fixes(100)
    bench.send(.sendNow, 100)
    bench.send(.uploadFinished(home, result), 101)
    #expect(bench.engine.rollout != nil)
  }

  @Test("a success at another server confirms nothing")
  func otherServer() {
    var bench = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    bench.accept(other, at: 11)
    bench.fixes(20)
    bench.send(.sendNow, 20)
    bench.accept(other, at: 21)
    #expect(bench.engine.rollout?.endpoint == home)
  }

  @Test("a change is rolled back to the last confirmed value when its server is not reached for a day")
  func rollback() {
    var bench = EngineUnderTest { $0.notifies = true }
    bench.desired(desired("send_interval", .text("1s")), desired("main.tracking_mode", .text("significant")), at: 10)
    let effects = bench.send(.timerFired(.rollout), 10 + day)
    #expect(effects.settingSources == [.rollback(home)])
    #expect(
      effects.settingChanges == [
        SettingChange(name: "send_interval", old: .text("1s"), new: .text("5m")),
        SettingChange(name: "main.tracking_mode", old: .text("significant"), new: .text("standard")),
      ])
    #expect(effects.configurations.map { $0?.mode } == [.standard])
    #expect(effects.notice(.settings)?.title == "Settings restored")
    #expect(bench.engine.rollout == nil && bench.engine.settings.sendInterval == 300)
    #expect(bench.engine.settings.changes.map(\.name) == ["notifications"])
  }

  @Test("the rollback also happens after a relaunch, in time or at once when the day is over", arguments: [hour, day, 3 * day])
  func relaunch(_ seconds: Double) {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    var second = bench.relaunched(seconds)
    #expect(second.engine.settings.main.minimumTime == 5)
    #expect(second.effects.timer(.rollout) == 10 + day)
    let effects = second.send(.timerFired(.rollout), max(seconds, 10 + day))
    #expect(effects.settingSources == [.rollback(home)])
    #expect(second.engine.settings.main.minimumTime == 1)
  }

  @Test("a relaunch does not roll back a confirmed change")
  func provedThenRelaunched() {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    bench.fixes(100)
    bench.send(.sendNow, 100)
    bench.accept(at: 101)
    let second = bench.relaunched(2 * day)
    #expect(second.engine.rollout == nil && second.effects.timer(.rollout) == nil)
    #expect(second.engine.settings.main.minimumTime == 5)
  }

  @Test("a change of the user on top is not rolled back, now or after a relaunch")
  func user() {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), desired("main.min_distance", .text("10m")), at: 10)
    let effects = bench.send(.settingsSet([desired("main.min_time", .text("30s"))]), 20)
    #expect(effects.settingSources == [.user])
    #expect(bench.engine.rollout?.before == ["main.min_distance": .text("off")])
    var second = bench.relaunched(30)
    second.send(.timerFired(.rollout), 10 + day)
    #expect(second.engine.settings.main.minimumTime == 30)
    #expect(second.engine.settings.main.minimumDistance == nil)
  }

  @Test("the rollout ends when the user has changed all of its settings")
  func wholeRollout() {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    let effects = bench.send(.settingsSet([desired("main.min_time", .text("30s"))]), 20)
    #expect(bench.engine.rollout == nil)
    #expect(effects.contains(.storeRollout(nil)) && effects.contains(.cancelTimer(.rollout)))
  }

  @Test("a second response with settings confirms the first change and begins a new rollout")
  func twoResponses() {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    bench.desired(desired("main.min_distance", .text("10m")), at: 400)
    #expect(bench.engine.rollout?.before == ["main.min_distance": .text("off")])
    bench.send(.timerFired(.rollout), 400 + day)
    #expect(bench.engine.settings.main.minimumTime == 5)
    #expect(bench.engine.settings.main.minimumDistance == nil)
  }

  @Test("two changes of one setting in one response roll back to the original value")
  func twiceInOneResponse() {
    var bench = EngineUnderTest()
    bench.fixes(1)
    bench.send(.sendNow, 1)
    bench.send(offered(desired("main.min_time", .text("5s"))), 2)
    bench.send(offered(desired("main.min_time", .text("10s"))), 2)
    bench.accept(at: 2)
    bench.send(.timerFired(.rollout), 2 + day)
    #expect(bench.engine.settings.main.minimumTime == 1)
  }

  @Test("during the rollout of one server's change, changes of other servers are rejected")
  func twoServers() {
    var bench = EngineUnderTest(plans: [EndpointPlan(home), EndpointPlan(other)])
    bench.desired(desired("main.min_time", .text("5s")), at: 10)
    #expect(bench.send(offered(desired("trip_mode", .text("walk")), by: other), 11).isEmpty)
    #expect(bench.engine.settings.tripMode == .bicycle)
    #expect(
      bench.engine.rejectedSettings == [
        "other: Not changed: the settings from home are not confirmed yet. Ignored: trip_mode."
      ])
  }

  @Test("a device with nothing to send contacts the server, so that a good change is confirmed")
  func asks() {
    var bench = EngineUnderTest()
    let effects = bench.desired(desired("main.tracking_mode", .text("significant")), at: 10)
    #expect(effects.timer(.checkIn) == 10 + 6 * hour)
    let asked = bench.send(.timerFired(.checkIn), 10 + 6 * hour)
    #expect(asked.requests.map(\.isAsking) == [true])
    #expect(asked.timer(.checkIn) == 10 + 12 * hour)
    let answered = bench.accept(at: 11 + 6 * hour)
    #expect(bench.engine.rollout == nil)
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
    var bench = EngineUnderTest(unlaunched: Settings())
    bench.send(.launched(launch), 0)
    let effects = bench.send(.timerFired(.rollout), 11 + day)
    #expect(effects.settingChanges.map(\.name) == ["trip_mode"] && bench.engine.setByServer == ["main.min_time"])
    #expect(bench.engine.rejectedSettings.count == 1 && bench.engine.rollout == nil)
  }

  @Test("a timer that fires early after a clock change is set again, for a day at most")
  func clock() {
    var bench = EngineUnderTest()
    bench.desired(desired("main.min_time", .text("5s")), at: 10 * day)
    #expect(bench.send(.timerFired(.rollout), 10.5 * day).timer(.rollout) == 11 * day)
    #expect(bench.send(.timerFired(.rollout), 0).timer(.rollout) == day)
    #expect(bench.engine.settings.main.minimumTime == 5)
  }
}

@Suite("Silenced devices and their check-ins")
struct CheckInTests {
  static let offlineDevices: [DesiredSetting] = [
    desired("send_interval", .text("off")), desired("main.tracking_mode", .text("off")),
  ]

  /// Returns a device whose uploads or tracking a server turned off at 10 s.
  private static func silenced(_ setting: DesiredSetting, _ change: (inout Settings) -> Void = { _ in }) -> EngineUnderTest {
    var bench = EngineUnderTest(change, plans: [EndpointPlan(home), EndpointPlan(other) { $0.changesSettings = false }])
    bench.desired(setting, at: 10)
    bench.accept(other, at: 10)
    return bench
  }

  @Test(
    "a device that a server silenced contacts it every six hours, if the server may change settings", arguments: offlineDevices)
  func checkIn(_ setting: DesiredSetting) {
    var bench = Self.silenced(setting)
    #expect(bench.effects.timer(.checkIn) == 10 + 6 * hour)
    for round in 1...4 {
      let now = 10 + Double(round) * 6 * hour
      let effects = bench.send(.timerFired(.checkIn), now)
      #expect(effects.uploads == [home] && effects.requests.map(\.isAsking) == [true])
      #expect(effects.timer(.checkIn) == now + 6 * hour)
      #expect(bench.accept(at: now + 1).uploads.isEmpty)
    }
  }

  @Test("the response to the check-in ends the silence", arguments: offlineDevices)
  func ends(_ setting: DesiredSetting) {
    var bench = Self.silenced(setting)
    bench.send(.timerFired(.checkIn), 10 + 6 * hour)
    bench.accept(at: 11 + 6 * hour)
    bench.send(.timerFired(.checkIn), 10 + 12 * hour)
    let standard = setting.name == "send_interval" ? "1m" : "standard"
    bench.send(offered(desired(setting.name, .text(standard))), 11 + 12 * hour)
    bench.accept(at: 11 + 12 * hour)
    #expect(bench.engine.settings == Settings() || bench.engine.settings.sendInterval == 60)
    // The new value is a staged rollout with check-ins; after its confirmation there are no check-ins.
    bench.fixes(12 + 12 * hour)
    bench.send(.sendNow, 12 + 12 * hour)
    #expect(bench.accept(at: 13 + 12 * hour).contains(.cancelTimer(.checkIn)))
  }

  @Test("a rejected check-in quarantines no record", arguments: offlineDevices)
  func rejected(_ setting: DesiredSetting) {
    var bench = Self.silenced(setting)
    bench.send(.timerFired(.checkIn), 10 + 6 * hour)
    // A visit is recorded while the check-in is in flight.
    bench.send(.settingsSet([desired("main.visit_tracking", .flag(true))]), 10 + 6 * hour)
    bench.send(.visit(Visit(time: at(6 * hour), coordinate: fix(0).coordinate), cached: nil), 10 + 6 * hour)
    let effects = bench.send(.uploadFinished(home, .rejected(reason: "empty", count: 1)), 11 + 6 * hour)
    #expect(!effects.quarantines)
    #expect(bench.engine.status(of: home)?.waiting == 1)
  }

  @Test("a user can allow a permanent stop, which no rollback reverts", arguments: offlineDevices)
  func allowed(_ setting: DesiredSetting) {
    var bench = Self.silenced(setting) { $0.allowsRemoteShutdown = true }
    #expect(bench.effects.timer(.checkIn) == nil)
    let effects = bench.send(.timerFired(.rollout), 10 + day)
    #expect(effects.settingChanges.isEmpty && effects.contains(.storeRollout(nil)))
    #expect(bench.engine.settings.sendInterval == nil || bench.engine.settings.main.trackingMode == .off)
  }

  @Test("there are no check-ins after the user turned reporting off, or allowed the server to do so", arguments: offlineDevices)
  func user(_ setting: DesiredSetting) {
    var bench = EngineUnderTest()
    #expect(bench.send(.settingsSet([setting]), 10).timer(.checkIn) == nil)
    var servers = Self.silenced(setting)
    var settings = servers.engine.settings
    settings.allowsRemoteShutdown = true
    #expect(servers.send(.settingsChanged(settings), 20).contains(.cancelTimer(.checkIn)))
  }

  @Test("after the user turned tracking off there are no check-ins until tracking is on again", arguments: offlineDevices)
  func stop(_ setting: DesiredSetting) {
    var bench = Self.silenced(setting)
    #expect(bench.send(.stop, 20).contains(.cancelTimer(.checkIn)))
    #expect(bench.send(.timerFired(.checkIn), 21).isEmpty)
    #expect(bench.send(.start, 22).timer(.checkIn) == 22 + 6 * hour)
  }

  @Test("a relaunched device checks in at once, so that frequent launches do not prevent it", arguments: offlineDevices)
  func relaunch(_ setting: DesiredSetting) {
    var bench = Self.silenced(setting).relaunched(hour)
    #expect(bench.effects.timer(.checkIn) == hour)
    #expect(bench.send(.timerFired(.checkIn), hour).requests.map(\.isAsking) == [true])
  }

  @Test("a silence that a rollback restores still counts as a server's")
  func rollback() {
    var bench = Self.silenced(Self.offlineDevices[0])
    bench.send(.timerFired(.checkIn), 10 + 6 * hour)
    bench.accept(at: 11 + 6 * hour)
    // The server turns uploads on again, and cannot be reached afterwards.
    bench.send(.timerFired(.checkIn), 12 * hour)
    bench.send(offered(desired("send_interval", .text("5m"))), 12 * hour)
    bench.accept(at: 12 * hour)
    bench.send(.timerFired(.rollout), 36 * hour)
    #expect(bench.engine.settings.sendInterval == nil)
    #expect(bench.send(.timerFired(.checkIn), 37 * hour).requests.map(\.isAsking) == [true])
  }

  @Test("no check-in happens during a back-off or while an upload is not allowed")
  func held() {
    var bench = Self.silenced(Self.offlineDevices[0])
    bench.fixes(20)
    bench.send(.sendNow, 20)
    bench.send(.uploadFinished(home, .failed(reason: "busy", retryAfter: day, jitter: 0)), 21)
    #expect(bench.send(.timerFired(.checkIn), 10 + 6 * hour).uploads.isEmpty)
    var wifi = EngineUnderTest(plans: [EndpointPlan(home) { $0.onlyOnWifi = true }])
    wifi.send(offered(Self.offlineDevices[0]), 10)
    let effects = wifi.send(.timerFired(.checkIn), 10 + 6 * hour)
    #expect(effects.uploads.isEmpty && effects.timer(.checkIn) == 10 + 12 * hour)
  }
}
