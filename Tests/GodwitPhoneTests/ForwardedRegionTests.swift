import CoreLocation
import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

/// The callbacks that the code of the app received, in order.
private final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

/// An app that owns its location manager and forwards the delegate's calls, as it would to Rover's SDK: only the import and the
/// way to obtain the region manager differ.
///
/// `@unchecked Sendable`: the app uses it on a single thread.
private final class AppDelegate: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
  var locationManager = CLLocationManager()
  let regionManager: RegionManager?
  var beaconObserver: (any NSObjectProtocol)?
  var geofenceObserver: (any NSObjectProtocol)?

  init(_ regionManager: RegionManager, _ notes: Notes) {
    self.regionManager = regionManager
    super.init()
    locationManager.requestAlwaysAuthorization()
    locationManager.delegate = self
    locationManager.startMonitoringSignificantLocationChanges()
    geofenceObserver = self.regionManager?.geofenceObservers.add { geofences in
      notes.add("within \(geofences.count) geofence(s)")
    }
    beaconObserver = self.regionManager?.beaconObservers.add { beacons in
      notes.add("nearby \(beacons.count) beacon(s)")
    }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    regionManager?.updateLocation(manager: manager)
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    switch region {
    case let region as CLBeaconRegion:
      regionManager?.startRangingBeacons(in: region, manager: manager)
    case let region as CLCircularRegion:
      regionManager?.enterGeofence(region: region)
    default:
      break
    }
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    switch region {
    case let region as CLBeaconRegion:
      regionManager?.stopRangingBeacons(in: region, manager: manager)
    case let region as CLCircularRegion:
      regionManager?.exitGeofence(region: region)
    default:
      break
    }
  }

  func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
    regionManager?.updateNearbyBeacons(beacons, in: region, manager: manager)
  }
}

@Suite("Regions forwarded by an app")
struct ForwardedRegionTests {
  private static let uuid = UUID()
  private static let door = Region(
    id: "door",
    shape: .beacon(Beacon(identity: BeaconIdentity(uuid: ProximityUUID(uuid.uuidString)!), place: home)))  // a UUID's own text

  private static func fence(_ id: String, north: Double) -> Region {
    Region(id: id, shape: .circle(Circle(center: sample(0, north: north).coordinate, radius: 400)))
  }

  @Test(
    "an app that forwards events as for Rover's SDK receives geofences and beacons, also when the system launches it",
    arguments: ["", "+3h kill\n+12h kill"])
  func forwarded(script: String) throws {
    let (notes, events) = (Notes(), Notes())
    let app = PhoneApp { launch in
      let regions = try RegionManager(path: launch.journalPath("regions"), environment: launch.environment)
      try regions.replaceRegions([Self.fence("home", north: 0), Self.fence("work", north: 9_360), Self.door])
      let delegate = AppDelegate(regions, notes)
      launch.whenKilled { regions.freeze() }
      for await event in regions.regionEvents { events.add("\(event.kind) \(event.region.id)") }
      return delegate
    }
    let out = straight(from: 28_800, seconds: 7_200, speed: 1.3)
    let back = straight(from: 61_200, seconds: 7_200, speed: -1.3, north: 9_360)
    var rules = TruthRules()
    rules.surroundings = .only(.suburb)
    var configuration = SimulatedPhone.Configuration(
      truth: try Truth(days: [[sample(0)], out, back, [sample(86_400)]], rules: rules))
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    configuration.beacons = [SimulatedBeacon(uuid: Self.uuid, at: home)]
    let phone = SimulatedPhone(configuration, app: app, server: MemoryServer())
    phone.run(until: at(86_400))
    phone.end()
    for id in ["home", "work", "door"] {
      let turns = events.all.filter { $0.hasSuffix(" \(id)") }
      #expect(turns.count >= 2, "\(id): \(events.all)")
      #expect(turns.enumerated().allSatisfy { $1.hasPrefix($0 % 2 == 0 ? "entered" : "exited") }, "\(events.all)")
    }
    #expect(notes.all.contains("within 1 geofence(s)") && notes.all.contains("within 0 geofence(s)"))
    #expect(notes.all.contains("nearby 1 beacon(s)") && notes.all.contains("nearby 0 beacon(s)"))
  }

  /// A sensor without a location manager, for a tracker in an app that owns the location manager.
  private struct NoSensor: Sensor {
    func connect(_ tell: @escaping @Sendable (Event) -> Void) { tell(.authorizationChanged(.always)) }
    func configure(_ request: LocationRequest?) {}
    func requestAuthorization(_ wanted: WantedAuthorization) {}
  }

  // Rover tracks a "Location Updated" event.
  @Test("a location that the app forwards is recorded once")
  func recorded() throws {
    let (notes, places) = (Notes(), Notes())
    let app = PhoneApp { launch in
      var configuration = Tracker.Configuration(
        journalPath: launch.journalPath(), endpoints: [], environment: launch.environment)
      var regions = RegionConfiguration()
      regions.isForwarded = true
      regions.path = launch.journalPath("regions")
      configuration.regions = regions
      configuration.recorded = { records in
        for record in records { if case .fix(let fix) = record.kind { places.add("\(fix.time) \(fix.coordinate)") } }
      }
      let tracker = try Tracker(configuration: configuration, sensor: NoSensor())
      let delegate = try AppDelegate(#require(tracker.regions), notes)
      launch.whenKilled { [journal = tracker.journal, regions = tracker.regions] in
        journal.freeze()
        regions?.freeze()
      }
      tracker.startTracking()
      try await tracker.run()
      return delegate
    }
    var configuration = SimulatedPhone.Configuration(
      truth: try Truth(days: [[sample(0)], straight(from: 28_800, seconds: 7_200, speed: 1.3)]))
    configuration.start = midnight
    let phone = SimulatedPhone(configuration, app: app, server: MemoryServer())
    phone.run(until: at(40_000))
    phone.end()
    #expect(places.all.count >= 3)
    #expect(Set(places.all).count == places.all.count)
  }
}
