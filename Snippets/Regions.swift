// The programs in Documentation/Regions.md. They are compiled with every build.
import CoreLocation
import Foundation
import Godwit

/// Call it on the main thread when the app is launched, also by the system, and keep the tracker.
@MainActor
func makeTracker(journalPath: String, address: URL, token: String) async throws -> Tracker {
  let home = Endpoint(id: "home", url: address, token: token)  // https://home.example/api/overland
  var configuration = Tracker.Configuration(journalPath: journalPath, endpoints: [home])
  configuration.regions = RegionConfiguration(beside: home, choice: RegionSync.Choice(tags: ["shops"]))
  let tracker = try Tracker(
    configuration: configuration,
    sensor: LocationSensor(manager: CLLocationManager(), regions: CLLocationManager()))
  try await tracker.start()
  tracker.startTracking()
  return tracker
}

func greet(_ regions: RegionManager, show: @Sendable (String) -> Void) async {
  for await event in regions.regionEvents where event.kind == .entered {
    show("Welcome to \(event.region.name). You are within \(regions.currentGeofences.count) geofence(s).")
  }
}

@MainActor
final class AppLocation: NSObject, @preconcurrency CLLocationManagerDelegate {
  let locationManager = CLLocationManager()
  let regions: RegionManager
  let sync: SyncCoordinator
  var geofenceObserver: (any NSObjectProtocol)?

  init(path: String, server: URL, token: String) throws {
    regions = try RegionManager(path: path)
    sync = SyncCoordinator(
      configuration: SyncCoordinator.Configuration(server: server, token: .fixed(token)),
      participants: [RegionSync(manager: regions)])
    super.init()
    locationManager.delegate = self
    locationManager.requestAlwaysAuthorization()
    locationManager.startMonitoringSignificantLocationChanges()
    sync.sync {
      self.regions.updateLocation(manager: self.locationManager)
    }
    geofenceObserver = regions.geofenceObservers.add { geofences in
      debugPrint("currently within \(geofences.count) geofence(s)")
    }
  }

  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    regions.updateLocation(manager: manager)
  }

  func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    switch region {
    case let region as CLBeaconRegion: regions.startRangingBeacons(in: region, manager: manager)
    case let region as CLCircularRegion: regions.enterGeofence(region: region)
    default: break
    }
  }

  func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    switch region {
    case let region as CLBeaconRegion: regions.stopRangingBeacons(in: region, manager: manager)
    case let region as CLCircularRegion: regions.exitGeofence(region: region)
    default: break
    }
  }

  func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
    regions.updateNearbyBeacons(beacons, in: region, manager: manager)
  }
}

/// What is on the menu, a page of fifty at a time.
actor MenuSync: SyncParticipant {
  struct Page: Decodable {
    var dishes: [String]
    var next: String?
  }

  nonisolated let name = "menu"
  private(set) var dishes: [String] = []
  private var cursor: String?

  private func request() -> SyncCoordinator.Request {
    SyncCoordinator.Request(
      path: "/menu",
      query: [URLQueryItem(name: "first", value: "50")] + (cursor.map { [URLQueryItem(name: "after", value: $0)] } ?? []))
  }

  func initialRequest() -> SyncCoordinator.Request? { request() }

  func saveResponse(_ response: SyncCoordinator.Response) throws -> SyncCoordinator.Step {
    let page = try JSONDecoder().decode(Page.self, from: Data(response.body))
    dishes += page.dishes
    if let next = page.next { cursor = next }
    if page.dishes.isEmpty { return .noData }
    return .newData(next: page.next.map { _ in request() })
  }
}
