import CoreLocation
import Foundation
import Godwit

/// The model of the app's screen: the offers of the shops that the device enters. Create it at each launch, also when the system
/// launches the app in the background, because a shop was entered.
@MainActor
public final class CouponModel: NSObject, CLLocationManagerDelegate {
  /// What outlives the app; the app stores it in a file.
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
  ///   - state: what was saved last.
  ///   - now: the time of day.
  ///   - save: stores the state.
  ///   - show: shows an offer, as a notification when the app is in the background.
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
      // Its regions change in the calls of the delegate below, which are on the main actor.
      MainActor.assumeIsolated { self?.update(inside) }
    }
    watch()
  }

  /// What the app shows of the permission.
  public var screen: PermissionStep.Screen { state.permission.screen(for: manager.authorizationStatus, at: now()) }

  /// "Yes, please": now the system may ask. It asks for the use while the app is open; "always" is its second question.
  public func agree() {
    if manager.authorizationStatus == .notDetermined {
      manager.requestWhenInUseAuthorization()
    } else {
      manager.requestAlwaysAuthorization()
    }
  }

  /// "Not now": the system does not ask, and the explanation comes again after a week.
  public func postpone() {
    state.permission.postpone(at: now())
    save(state)
  }

  private func watch() {
    guard manager.authorizationStatus == .authorizedAlways else { return }
    // The regions that the system monitors follow the device: the nearest of thousands, chosen again at each change.
    manager.startMonitoringSignificantLocationChanges()
  }

  private func update(_ present: Set<Region>) {
    let offers = state.history.offers(entering: present.subtracting(inside), at: now())
    inside = present
    guard !offers.isEmpty else { return }
    // Saved first: an app that is ended now shows no offer twice.
    save(state)
    for offer in offers { show(offer) }
  }

  // MARK: What Core Location reports

  public nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    MainActor.assumeIsolated {
      // The first "yes" is followed by the second question.
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
