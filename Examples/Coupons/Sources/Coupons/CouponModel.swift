import CoreLocation
import Foundation
import Godwit

/// The model of the app's screen: the offers of the shops that the device enters. Create it at each launch, including launches in
/// the background, for which the system launches the app because the device entered a shop.
@MainActor
public final class CouponModel: NSObject, CLLocationManagerDelegate {
  /// The state that the app stores in a file and reads at its next launch.
  public struct State: Sendable, Hashable, Codable {
    public var permission = PermissionStep()
    public var history = OfferHistory()
    public init() {}
  }

  private let manager = CLLocationManager()
  private let regions: RegionManager
  private let now: @Sendable () -> Date
  private let save: (State) -> Void
  private let show: (Offer) -> Void
  private var state: State
  private var inside: Set<Region>
  private var observer: (any NSObjectProtocol)?

  /// - Parameters:
  ///   - regions: the device's copy of the regions of the server; see ``sync(_:server:token:)``.
  ///   - state: the state that was saved last.
  ///   - now: the time of day.
  ///   - save: stores the state.
  ///   - show: shows an offer; when the app is in the background, as a notification.
  public init(
    regions: RegionManager, state: State, now: @escaping @Sendable () -> Date = { Date() }, save: @escaping (State) -> Void,
    show: @escaping (Offer) -> Void
  ) {
    self.regions = regions
    self.state = state
    self.now = now
    self.save = save
    self.show = show
    inside = regions.currentGeofences
    super.init()
    manager.delegate = self
    observer = regions.geofenceObservers.add { [weak self] inside in
      // The regions change in the methods of the delegate below, which run on the main actor.
      MainActor.assumeIsolated { self?.update(inside) }
    }
    watch()
  }

  /// The screen that the app shows for the current permission.
  public var screen: PermissionStep.Screen { state.permission.screen(for: manager.authorizationStatus, at: now()) }

  /// Handles "Yes, please": requests the permission for use while the app is open or, if the user has decided on that, "always".
  public func agree() {
    if manager.authorizationStatus == .notDetermined {
      manager.requestWhenInUseAuthorization()
    } else {
      manager.requestAlwaysAuthorization()
    }
  }

  /// Handles "Not now": requests no permission, and shows the explanation again after a week.
  public func postpone() {
    state.permission.postpone(at: now())
    save(state)
  }

  private func watch() {
    guard manager.authorizationStatus == .authorizedAlways else { return }
    // After each significant change, the manager selects the regions nearest to the device again, out of thousands.
    manager.startMonitoringSignificantLocationChanges()
  }

  private func update(_ present: Set<Region>) {
    let offers = state.history.offers(entering: present.subtracting(inside), at: now())
    inside = present
    guard !offers.isEmpty else { return }
    // Saved first: if the app is ended now, it shows no offer twice.
    save(state)
    for offer in offers { show(offer) }
  }

  // MARK: CLLocationManagerDelegate

  public nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    MainActor.assumeIsolated {
      // The permission for use while the app is open is granted: request "always".
      if self.manager.authorizationStatus == .authorizedWhenInUse { self.manager.requestAlwaysAuthorization() }
      watch()
    }
  }

  public nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    MainActor.assumeIsolated { regions.updateLocation(manager: self.manager) }
  }

  public nonisolated func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
    let id = region.identifier
    MainActor.assumeIsolated { monitored(id).map(regions.enterGeofence) }
  }

  public nonisolated func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
    let id = region.identifier
    MainActor.assumeIsolated { monitored(id).map(regions.exitGeofence) }
  }

  private func monitored(_ id: String) -> CLCircularRegion? {
    manager.monitoredRegions.first { $0.identifier == id } as? CLCircularRegion
  }

  /// Copies the regions with the tag `offers` from a Godwit server. Call `sync()` of the result when the app is opened.
  public static func sync(_ regions: RegionManager, server: URL, token: String) -> SyncCoordinator {
    SyncCoordinator(
      configuration: SyncCoordinator.Configuration(server: server, token: .fixed(token)),
      participants: [RegionSync(manager: regions, choice: RegionSync.Choice(tags: ["offers"]))])
  }
}
