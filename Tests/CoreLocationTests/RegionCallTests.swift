import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation

private func circle(_ identifier: String = "home", radius: Double = 200) -> CLCircularRegion {
  CLCircularRegion(center: Script.origin, radius: radius, identifier: identifier)
}

@Suite("Regions belong to the app and are reported to every delegate")
struct RegionCallTests {
  @Test("a crossing is reported to every manager, with the monitored circle")
  func allManagers() throws {
    let host = ManualHost()
    let (first, second) = (Calls(), Calls())
    let managers = [host.manager(first), host.manager(second)]
    managers[0].startMonitoring(for: circle())
    host.at(10, 0)
    for time in [20.0, 40] { host.at(time, 1000) }
    #expect(first.log == ["watching home", "out home", "outside home"])
    #expect(second.log == ["out home", "outside home"])
    let reported = try #require(second.regions.first as? CLCircularRegion)
    #expect(reported.radius == 200 && abs(reported.center.latitude - 45) < 1e-9 && reported.notifyOnEntry)
    #expect(managers.allSatisfy { $0.monitoredRegions == [circle()] })
    managers[1].stopMonitoring(for: circle())
    #expect(managers[0].monitoredRegions.isEmpty)
  }

  @Test("monitoring of an ended app continues at its next launch, which reports the event that caused it")
  func relaunch() throws {
    let host = ManualHost()
    var manager: CLLocationManager? = host.manager(Calls())
    let region = circle()
    region.notifyOnEntry = false
    manager?.startMonitoring(for: region)
    host.at(10, 0)
    host.kill()
    host.whileTerminated { manager = nil }
    for time in [20.0, 40] { host.at(time, 1000) }
    #expect(host.launches == [.region])
    let calls = Calls()
    let next = host.manager(calls)
    #expect(calls.log == ["out home", "outside home"])
    let reported = try #require(next.monitoredRegions.first as? CLCircularRegion)
    #expect(reported.radius == 200 && !reported.notifyOnEntry && reported.notifyOnExit)
    withExtendedLifetime(manager) {}
  }

  @Test("the limit of twenty regions applies to all managers together, and a radius has a limit")
  func limit() {
    let host = ManualHost()
    let (first, second) = (Calls(), Calls())
    let (one, other) = (host.manager(first), host.manager(second))
    for number in 1...20 { one.startMonitoring(for: circle("\(number)")) }
    other.startMonitoring(for: circle("21"))
    other.startMonitoring(for: circle("1", radius: 300))
    one.startMonitoring(for: circle("2", radius: one.maximumRegionMonitoringDistance + 1))
    host.settle()
    #expect(second.log == ["failed 5 21", "watching 1"])
    #expect(first.log.last == "failed 5 2")
    #expect(one.monitoredRegions.count == 20)
  }

  @Test("a state request treats a small circle like the smallest circle that can be monitored")
  func state() {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    manager.requestState(for: circle(radius: 10))
    host.at(10, 90)
    manager.requestState(for: circle(radius: 10))
    manager.requestState(for: CLBeaconRegion(uuid: UUID(), identifier: "shop"))
    manager.requestState(for: CLCircularRegion(center: kCLLocationCoordinate2DInvalid, radius: 1, identifier: "nowhere"))
    host.at(20, 500)
    manager.requestState(for: circle(radius: 10))
    host.settle()
    #expect(calls.log == ["unknown home", "inside home", "unknown shop", "unknown nowhere", "outside home"])
  }

  @Test("a region of another subclass is reported to the delegate, and cannot be monitored")
  func system() throws {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    host.send(.systemRegion)
    #expect(calls.log == ["out provisional authorization inducer"])
    let region = try #require(calls.regions.first)
    #expect(!(region is CLCircularRegion) && !(region is CLBeaconRegion))
    manager.startMonitoring(for: region)
    host.settle()
    #expect(calls.log.last == "failed 5 provisional authorization inducer" && manager.monitoredRegions.isEmpty)
  }

  @Test("revoked permission ends every region, each reported once")
  func denied() {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    manager.startMonitoring(for: circle())
    host.send(.authorizationDecided(.denied))
    #expect(calls.log == ["watching home", "failed 4 home"] && manager.monitoredRegions.isEmpty)
  }
}

@Suite("Beacons are reported to the delegate")
struct BeaconCallTests {
  private static let uuid = UUID()

  private static func sighting(_ minor: UInt16, rssi: Int) -> Beacons.Sighting {
    Beacons.Sighting(uuid: uuid, major: 7, minor: minor, rssi: rssi, powerAtOneMeter: -59)
  }

  @Test("entry and exit of a beacon are reported with its region")
  func region() throws {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    manager.startMonitoring(for: CLBeaconRegion(uuid: Self.uuid, major: 7, identifier: "bike"))
    host.send(.sightings([Self.sighting(1, rssi: -60)]))
    host.wait(until: 100)
    #expect(calls.log == ["watching bike", "in bike", "inside bike", "out bike", "outside bike"])
    let reported = try #require(calls.regions.last as? CLBeaconRegion)
    #expect(reported.uuid == Self.uuid && reported.major == 7 && reported.minor == nil)
    #expect(manager.monitoredRegions.first is CLBeaconRegion)
  }

  @Test("a region with notifyEntryStateOnDisplay is reported again when the display turns on", arguments: [true, false])
  func display(isWanted: Bool) throws {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    let region = CLBeaconRegion(uuid: Self.uuid, identifier: "bike")
    region.notifyEntryStateOnDisplay = isWanted
    manager.startMonitoring(for: region)
    host.send(.app(.background))
    host.send(.sightings([Self.sighting(1, rssi: -60)]))
    calls.discard()
    host.send(.app(.foreground))
    #expect(calls.log == (isWanted ? ["inside bike"] : []))
    #expect((manager.monitoredRegions.first as? CLBeaconRegion)?.notifyEntryStateOnDisplay == isWanted)
  }

  @Test("ranging reports once a second, in both APIs, until both are stopped")
  func ranging() {
    let host = ManualHost()
    let calls = Calls()
    let manager = host.manager(calls)
    let constraint = CLBeaconIdentityConstraint(uuid: Self.uuid)
    let region = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "shop")
    manager.startRangingBeacons(satisfying: constraint)
    manager.startRangingBeacons(in: region)
    host.wait(until: 0.5)
    host.send(.sightings([Self.sighting(1, rssi: -85), Self.sighting(2, rssi: -45)]))
    host.wait(until: 1)
    #expect(calls.log == ["range 2 immediate, 1 far", "range in shop 2, 1"])
    #expect(manager.rangedBeaconConstraints == [constraint] && manager.rangedRegions == [region])
    manager.stopRangingBeacons(satisfying: constraint)
    calls.discard()
    host.wait(until: 2)
    #expect(calls.log == ["range in shop 1, 2"])
    manager.stopRangingBeacons(in: region)
    calls.discard()
    host.wait(until: 10)
    #expect(calls.log.isEmpty && manager.rangedBeaconConstraints.isEmpty && manager.rangedRegions.isEmpty)
    #expect(!host.daemon.demand.rangesBeacons)
  }

  @Test("without full accuracy ranging fails and reports nothing")
  func rejected() {
    let host = ManualHost()
    host.send(.precise(false))
    let calls = Calls()
    let manager = host.manager(calls)
    let constraint = CLBeaconIdentityConstraint(uuid: Self.uuid)
    manager.startRangingBeacons(satisfying: constraint)
    manager.startRangingBeacons(in: CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "shop"))
    host.settle()
    #expect(calls.log == ["no range 16", "no range in shop"])
    #expect(manager.rangedBeaconConstraints.isEmpty && manager.rangedRegions.isEmpty)
  }

  @Test("a machine with a radio scans for beacons as long as a client needs them")
  func radio() async {
    let (changes, reported) = AsyncStream<Bool>.makeStream()
    let withoutRadio = LocationDaemon(source: Script(north: []), beacons: nil, authorization: .authorizedAlways)
    await withoutRadio.serve {
      #expect(!CLLocationManager.isRangingAvailable())
      #expect(!CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
    }
    let daemon = LocationDaemon(source: Script(north: []), beacons: Radio(reported: reported), authorization: .authorizedAlways)
    let calls = Calls()
    await daemon.serve {
      #expect(CLLocationManager.isRangingAvailable())
      #expect(CLLocationManager.isMonitoringAvailable(for: CLBeaconRegion.self))
      let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "beacons"))
      manager.delegate = calls
      let region = CLBeaconRegion(uuid: Self.uuid, identifier: "bike")
      manager.startMonitoring(for: region)
      var states = changes.makeAsyncIterator()
      #expect(await states.next() == true)
      manager.stopMonitoring(for: region)
      #expect(await states.next() == false)
    }
  }

  /// A radio that reports the start and the end of each scan.
  private struct Radio: BeaconSource {
    let reported: AsyncStream<Bool>.Continuation
    func run(_ tell: @escaping @Sendable (BeaconEvent) async -> Void) async throws {
      reported.yield(true)
      let (never, _) = AsyncStream<Void>.makeStream()
      for await _ in never {}
      reported.yield(false)
    }
  }
}

@Suite("Temporary full accuracy")
struct FullAccuracyCallTests {
  @Test(
    "a request gets its result after the decision",
    arguments: [
      (CLAuthorizationStatus.authorizedAlways, "ride", true, nil), (.authorizedAlways, "ride", false, .promptDeclined),
      (.authorizedAlways, "other", true, .promptDeclined), (.denied, "ride", true, .denied),
    ] as [(CLAuthorizationStatus, String, Bool, CLError.Code?)])
  func completion(_ status: CLAuthorizationStatus, _ purpose: String, _ agrees: Bool, _ expected: CLError.Code?) {
    var declarations = AppDeclarations()
    declarations.fullAccuracyPurposes = ["ride"]
    let host = ManualHost(.ios18, status, declarations: declarations)
    host.send(.precise(false))
    let manager = host.manager(Calls())
    let responses = Mutex<[CLError.Code?]>([])
    for _ in 1...2 {
      manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: purpose) { error in
        responses.withLock { $0.append((error as? CLError)?.code) }
      }
    }
    host.settle()
    let isAsked = host.outputs.contains(.promptForFullAccuracy(purpose: "ride"))
    #expect(isAsked == (status != .denied && purpose == "ride"))
    #expect(responses.withLock { $0.isEmpty } == isAsked)
    host.send(.fullAccuracyDecided(agrees))
    #expect(responses.withLock { $0 } == [expected, expected])
    #expect((manager.accuracyAuthorization == .fullAccuracy) == (expected == nil))
  }

  @Test("a machine that cannot show a prompt keeps reduced accuracy", .timeLimit(.minutes(20)))
  func noListener() async {
    var declarations = AppDeclarations()
    declarations.fullAccuracyPurposes = ["ride"]
    let daemon = LocationDaemon(
      source: Script(north: []), authorization: .authorizedAlways, declarations: declarations)
    let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "exact"))
    await #expect(throws: Never.self) {
      try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "ride")
    }
    daemon.notify(.precise(false))
    await #expect(throws: CLError(.promptDeclined)) {
      try await manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "ride")
    }
  }
}
