import Foundation
import GodwitEngine
import GodwitModel
import Testing

/// The wifi zone of these tests, a kilometre north of the fixes.
private let zone = WifiZone(ssid: "Home", coordinate: fix(0, north: 1000).coordinate)

private func connected(_ ssid: String?) -> Event { .contextChanged(DeviceContext(wifi: ssid)) }

@Suite("Wifi zones")
struct WifiZoneTests {
  private func engine(_ change: (inout Settings) -> Void = { _ in }) -> EngineUnderTest {
    EngineUnderTest {
      $0.wifiZones = [WifiZone(ssid: "Work", coordinate: fix(0, north: 9000).coordinate), zone]
      change(&$0)
    }
  }

  @Test("on a zone's network, the receiver's fix is replaced by the zone's position: accuracy 1 m, speed 0, current time")
  func replaced() {
    var engine = engine()
    engine.send(connected("Home"), 1)
    let effects = engine.send(.fixes([fix(2), fix(3, north: 40), fix(4, north: 80)]), 5)
    #expect(effects.fixes == [Fix(time: at(5), coordinate: zone.coordinate, horizontalAccuracy: 1, speed: 0)])
    #expect(engine.engine.lastFix?.coordinate == zone.coordinate)
  }

  @Test("the zone's position has the time of the receiver while the clock is behind")
  func clockBehind() {
    var engine = engine()
    engine.send(connected("Home"), 1)
    #expect(engine.send(.fixes([fix(60 * day)]), 5).fixTimes == [60 * day])
    #expect(engine.send(.fixes([fix(60 * day + 5)]), 60 * day + 6).fixTimes == [60 * day + 6])
  }

  @Test("the network's name is compared exactly", arguments: [nil, "", "home", "Home ", "Elsewhere"])
  func name(_ ssid: String?) {
    var engine = engine()
    engine.send(connected(ssid), 1)
    #expect(engine.fixes(2).fixes == [fix(2)])
  }

  @Test("the zone is applied before the filters, which limit its records")
  func filters() {
    var engine = engine {
      $0.main.minimumDistance = 10
      $0.main.maximumAccuracy = 10
    }
    engine.fixes(0, accuracy: 5)
    engine.send(connected("Home"), 1)
    // The receiver's accuracy would not pass the filter.
    #expect(engine.fixes(2, accuracy: 3000).fixes.count == 1)
    #expect(engine.fixes(3, accuracy: 3000).fixes.isEmpty)
    engine.send(connected(nil), 4)
    #expect(engine.fixes(5, accuracy: 5).fixes.count == 1)
  }

  @Test("inside a zone the receiver is not kept on; outside, it is requested as before")
  func energy() {
    var engine = engine { $0.main.desiredAccuracy = .best }
    #expect(engine.send(connected("Home"), 1).configurations.map { $0?.desiredAccuracy } == [.threeKilometers])
    #expect(engine.send(connected("Work"), 2).configurations.isEmpty)
    #expect(engine.send(connected(nil), 3).configurations.map { $0?.desiredAccuracy } == [.best])
  }

  @Test("a position request inside a zone gets the zone's position")
  func asked() {
    var engine = engine()
    engine.send(connected("Home"), 1)
    engine.send(.locationWanted(1), 2)
    guard case .record(let record)? = engine.fixes(3).responses.first, case .fix(let fix) = record.kind else {
      Issue.record("no answer")
      return
    }
    #expect(fix.coordinate == zone.coordinate)
  }
}

@Suite("Fixes: filters and contents of records")
struct FixTests {
  @Test(
    "a fix exactly at the minimum distance, minimum time or maximum radius is recorded",
    arguments: [
      ("main.min_distance", "10m", [(0.0, 0.0, 1.0), (10, 9.9, 1), (20, 10.1, 1)], [0.0, 20]),
      ("main.min_distance", "500m", [(0, 0, 1), (10, 499, 1), (20, 500.1, 1)], [0, 20]),
      ("main.min_time", "5s", [(0, 0, 1), (4.9, 90, 1), (5, 90, 1)], [0, 5]),
      ("main.min_time", "5m", [(0, 0, 1), (299, 90, 1), (300, 90, 1)], [0, 300]),
      ("main.min_time", "1s", [(0, 0, 1), (0.25, 0, 1), (0.5, 0, 1)], [0, 0.25, 0.5]),
      ("main.max_accuracy", "10m", [(0, 0, 10.1), (10, 0, 10), (20, 0, 9)], [10, 20]),
      ("main.max_accuracy", "1000m", [(0, 0, 1000), (10, 0, 1001)], [0]),
      ("main.max_accuracy", "off", [(0, 0, 99_999)], [0]),
    ] as [(String, String, [(Double, Double, Double)], [Double])])
  func filters(_ name: String, _ value: String, _ fixes: [(Double, Double, Double)], _ kept: [Double]) {
    var engine = EngineUnderTest()
    engine.send(.settingsSet([DesiredSetting(name: name, value: .text(value))]), 0)
    let times = fixes.flatMap { engine.fixes($0.0, north: $0.1, accuracy: $0.2).fixTimes }
    #expect(times == kept)
    #expect(engine.engine.dropped.thinned == fixes.count - kept.count)
  }

  @Test("a fix of unknown accuracy passes the accuracy filter")
  func unknownAccuracy() {
    var engine = EngineUnderTest { $0.main.maximumAccuracy = 10 }
    #expect(engine.fixes(1).fixes.count == 1)
  }

  @Test("an invalid position is counted and not recorded, whatever the filters", arguments: [true, false])
  func invalid(_ isNullIsland: Bool) throws {
    var engine = EngineUnderTest()
    var bad = fix(1, accuracy: -1)
    if isNullIsland { bad = Fix(time: at(1), coordinate: try #require(Coordinate(latitude: 0, longitude: 0))) }
    engine.send(.locationWanted(7), 0)
    #expect(engine.send(.fixes([bad]), 1).isEmpty)
    #expect(engine.engine.dropped.invalid == 1)
    // The position request is still pending.
    #expect(engine.fixes(2).responses.count == 1)
  }

  @Test(
    "the location request has the tracking mode and visits of the settings",
    arguments: zip(TrackingMode.allCases, [false, true, true, true]))
  func modes(_ mode: TrackingMode, _ isKept: Bool) {
    var engine = EngineUnderTest {
      $0.main.trackingMode = mode
      $0.main.tracksVisits = true
    }
    #expect(engine.effects.configurations.last??.mode == mode)
    #expect(engine.effects.configurations.last??.tracksVisits == true)
    #expect(!engine.fixes(1).fixes.isEmpty == isKept)
  }

  @Test("a record keeps every field of the receiver and the device")
  func whole() {
    var full = fix(1, accuracy: 4.5)
    (full.altitude, full.verticalAccuracy, full.speed) = (312.5, 3, 4.25)
    (full.speedAccuracy, full.course, full.courseAccuracy) = (0.5, 271.5, 2)
    var context = DeviceContext(batteryLevel: 0, batteryState: .unplugged, motion: [.driving, .stationary], wifi: "Cafe")
    context.deviceModel = "Raspberry Pi 4"
    var engine = EngineUnderTest {
      $0.fields = .all
      $0.deviceID = "van"
      $0.includesUniqueID = true
    }
    engine.send(.contextChanged(context), 0)
    let record = engine.send(.fixes([full]), 1).records.first
    (context.deviceID, context.uniqueID, context.permission, context.trigger) = ("van", "U-1", .always, .regular)
    #expect(record == Record(kind: .fix(full), context: context))
    #expect(engine.engine.motion == [.driving, .stationary])
  }

  @Test("identifiers are in no record unless the settings include them")
  func identifiers() {
    var engine = EngineUnderTest()
    let context = engine.fixes(1).records.first?.context
    #expect(context?.deviceID == nil && context?.uniqueID == nil)
  }

  @Test("fields that are not collected are not in the record", arguments: CollectingFields.names.map(\.name))
  func fields(_ name: String) throws {
    var full = fix(1, accuracy: 4.5)
    (full.altitude, full.verticalAccuracy, full.speed, full.course) = (312.5, 3, 4.25, 271.5)
    var context = DeviceContext(batteryLevel: 0.5, batteryState: .unplugged, motion: .walking, wifi: "Cafe")
    (context.deviceModel, context.systemVersion) = ("Pi", "Debian")
    context.advertising = AdvertisingID(id: "x", isOptedOut: false)
    var all = EngineUnderTest { $0.fields = .all }
    var without = all
    without.send(.settingsSet([DesiredSetting(name: "fields." + name, value: .flag(false))]), 0)
    all.send(.contextChanged(context), 0)
    without.send(.contextChanged(context), 0)
    let record = try #require(all.send(.fixes([full]), 5).records.first)
    let expected = without.engine.settings.fields.filtering(record, received: at(5))
    #expect(expected != record)
    #expect(without.send(.fixes([full]), 5).records == [expected])
  }

  @Test("without tracking permission the advertising identifier is in no record, with any settings")
  func optedOut() {
    var engine = EngineUnderTest { $0.fields = .all }
    var context = DeviceContext()
    context.advertising = AdvertisingID(id: "12a451dd", isOptedOut: true)
    engine.send(.contextChanged(context), 0)
    #expect(engine.fixes(1).records.first?.context.advertising == AdvertisingID(id: "", isOptedOut: true))
  }

  @Test(
    "with tracking stats records contain the tracker's settings, with Overland's names",
    arguments: zip(
      TrackingMode.allCases.filter { $0 != .off },
      [
        #""significant_change":"disabled","tracking_mode":1"#, #""significant_change":"exclusive","tracking_mode":2"#,
        #""significant_change":"enabled","tracking_mode":3"#,
      ]))
  func stats(_ mode: TrackingMode, _ words: String) throws {
    var engine = EngineUnderTest {
      $0.includesTrackingStats = true
      $0.main.trackingMode = mode
      $0.main.pausesAutomatically = true
      $0.main.activityType = .automotive
      $0.main.desiredAccuracy = .navigation
    }
    let extras = try #require(engine.send(.fixes([fix(1), fix(2)]), 2).records.first?.extras)
    #expect(
      extras
        == #"{"pauses":true,"activity":"automotive_navigation","desired_accuracy":-2,"deferred":0,"# + words
        + #","locations_in_payload":2}"#)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(extras.utf8)) }
  }

  @Test("without tracking stats neither fixes nor life cycle records contain them")
  func noStats() {
    var engine = EngineUnderTest()
    #expect(engine.fixes(1).records.first?.extras == nil)
    #expect(engine.send(.paused, 2).records.isEmpty && engine.send(.willTerminate, 3).records.isEmpty)
    #expect(engine.relaunched(10).effects.records.isEmpty)
  }

  @Test("with stats on, a launch and a termination are recorded, and the record of the launch is sent like any other")
  func life() {
    var engine = EngineUnderTest { $0.includesTrackingStats = true }
    #expect(engine.send(.willTerminate, 3).actions == ["will_terminate"])
    var second = engine.relaunched(10)
    #expect(second.effects.actions == ["application_launched_with_location"])
    #expect(second.engine.status(of: home)?.waiting == 1)
    #expect(second.send(.timerFired(.send(home)), 310).uploads == [home])
  }
}

@Suite("Visits")
struct VisitTests {
  private let place = fix(0, north: 500).coordinate

  @Test("arrivals and departures are records with their times and their kind", arguments: [true, false])
  func records(_ isArrival: Bool) {
    let visit = Visit(
      time: at(300), coordinate: place, horizontalAccuracy: 30, arrival: at(100), departure: isArrival ? nil : at(290))
    var engine = EngineUnderTest { $0.main.tracksVisits = true }
    let records = engine.send(.visit(visit, cached: nil), 300).records
    #expect(records.map(\.kind) == [.visit(visit)])
    #expect(records.map(\.context.trigger) == [isArrival ? .visitEntry : .visitExit])
  }

  @Test("the system's position at a visit is a separate record, unless it is recorded already")
  func cached() {
    let visit = Visit(time: at(300), coordinate: place, arrival: at(100))
    var engine = EngineUnderTest { $0.main.tracksVisits = true }
    engine.fixes(200)
    let effects = engine.send(.visit(visit, cached: fix(250, north: 20)), 300)
    #expect(effects.fixTimes == [250])
    #expect(effects.records.map(\.context.trigger) == [.visitEntry, .passive])
    #expect(engine.send(.visit(visit, cached: fix(250, north: 20)), 310).fixTimes.isEmpty)
    #expect(engine.send(.visit(visit, cached: fix(100)), 320).fixTimes.isEmpty)
  }

  @Test("visits are recorded with the setting and with tracking on, also with mode off")
  func wanted() {
    let visit = Visit(time: at(300), coordinate: place, arrival: at(100))
    var without = EngineUnderTest()
    #expect(without.send(.visit(visit, cached: nil), 300).visits.isEmpty)
    var off = EngineUnderTest {
      $0.main.tracksVisits = true
      $0.main.trackingMode = .off
    }
    #expect(off.send(.visit(visit, cached: nil), 300).visits == [visit])
    off.send(.stop, 301)
    #expect(off.send(.visit(visit, cached: nil), 302).visits.isEmpty)
  }
}
