public import Foundation
internal import GodwitModel
internal import Synchronization

/// Apple's location manager, over a ``LocationDaemon``.
///
/// Its delegate is called on the queue that it was made with; without one on the main queue, which is what the
/// run loop of the main thread is on Apple's systems.
///
/// `@unchecked Sendable`: everything that changes is under the lock; the delegate is only read and written there.
public final class CLLocationManager: NSObject, @unchecked Sendable {
  private struct State {
    weak var delegate: (any CLLocationManagerDelegate)?
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesLocationUpdatesAutomatically = true
    var allowsBackgroundLocationUpdates = false
    var showsBackgroundLocationIndicator = false
    var client: LocationServices.ClientID?
  }

  private let state = NSLock()
  private var kept = State()
  private let daemon: LocationDaemon

  /// A manager on the process's own daemon; its delegate is called on the main queue.
  public override convenience init() { self.init(daemon: .system, queue: .main) }

  /// A manager on a given daemon, whose delegate is called on a given serial queue. Linux only.
  public init(daemon: LocationDaemon, queue: DispatchQueue) {
    self.daemon = daemon
    super.init()
    let listener = LocationDaemon.Listener(queue: queue) { [weak self] output in self?.receive(output) }
    let client = daemon.connect(listener)
    state.withLock { kept.client = client }
  }

  deinit { if let client = kept.client { daemon.disconnect(client) } }

  // MARK: Configuration

  /// Who is told. Held weakly, as on Apple's systems.
  public var delegate: (any CLLocationManagerDelegate)? {
    get { state.withLock { kept.delegate } }
    set { state.withLock { kept.delegate = newValue } }
  }

  /// How exact positions should be: a wish. Metres, or one of the two best (−1, −2).
  public var desiredAccuracy: CLLocationAccuracy {
    get { state.withLock { kept.desiredAccuracy } }
    set {
      state.withLock { kept.desiredAccuracy = newValue }
      tell { .desiredAccuracyChanged($0, newValue) }
    }
  }

  /// Metres from the last delivered position that the next one must be away; ``kCLDistanceFilterNone``: any.
  public var distanceFilter: CLLocationDistance {
    get { state.withLock { kept.distanceFilter } }
    set {
      state.withLock { kept.distanceFilter = newValue }
      tell { .distanceFilterChanged($0, newValue) }
    }
  }

  public var activityType: CLActivityType {
    get { state.withLock { kept.activityType } }
    set { state.withLock { kept.activityType = newValue } }
  }

  /// Whether the system may pause updates. Nothing pauses here yet: receivers on a machine cost no battery.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { state.withLock { kept.pausesLocationUpdatesAutomatically } }
    set { state.withLock { kept.pausesLocationUpdatesAutomatically = newValue } }
  }

  public var allowsBackgroundLocationUpdates: Bool {
    get { state.withLock { kept.allowsBackgroundLocationUpdates } }
    set { state.withLock { kept.allowsBackgroundLocationUpdates = newValue } }
  }

  public var showsBackgroundLocationIndicator: Bool {
    get { state.withLock { kept.showsBackgroundLocationIndicator } }
    set { state.withLock { kept.showsBackgroundLocationIndicator = newValue } }
  }

  // MARK: State

  /// Last known position.
  public var location: CLLocation? { daemon.last.map { CLLocation($0, source: sourceInformation) } }
  public var authorizationStatus: CLAuthorizationStatus { daemon.authorization }
  public var accuracyAuthorization: CLAccuracyAuthorization { .fullAccuracy }

  /// Deprecated on Apple's systems since iOS 14.
  public class func authorizationStatus() -> CLAuthorizationStatus { LocationDaemon.system.authorization }
  public class func locationServicesEnabled() -> Bool { true }

  // MARK: Asking

  public func requestWhenInUseAuthorization() { tell { .requestedAuthorization($0, always: false) } }
  public func requestAlwaysAuthorization() { tell { .requestedAuthorization($0, always: true) } }
  public func startUpdatingLocation() { tell { .startedUpdating($0) } }
  public func stopUpdatingLocation() { tell { .stoppedUpdating($0) } }
  /// One position, or one error within about ten seconds.
  public func requestLocation() { tell { .requestedLocation($0) } }

  private func tell(_ input: (LocationServices.ClientID) -> LocationServices.Input) {
    if let client = state.withLock({ kept.client }) { daemon.handle(input(client)) }
  }

  private var sourceInformation: CLLocationSourceInformation {
    CLLocationSourceInformation(
      softwareSimulationState: daemon.isSimulated, andExternalAccessoryState: !daemon.isSimulated)
  }

  /// On the manager's queue.
  private func receive(_ output: LocationServices.Output) {
    guard let delegate else { return }
    switch output {
    case .deliver(_, let fixes):
      let source = sourceInformation
      delegate.locationManager(self, didUpdateLocations: fixes.map { CLLocation($0, source: source) })
    case .fail(_, let error): delegate.locationManager(self, didFailWithError: error)
    case .authorization: delegate.locationManagerDidChangeAuthorization(self)
    case .prompt, .radio, .wake: break  // They concern the daemon, which keeps them.
    }
  }
}

/// Who is told by a ``CLLocationManager``. Every method is optional.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// New positions, oldest first, never none.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  /// Right after the manager was made, and at every change.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
  /// Deprecated on Apple's systems since iOS 14; called when the method above is not there.
  func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)
  func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
  func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
    locationManager(manager, didChangeAuthorization: manager.authorizationStatus)
  }
  public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}
  public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}
  public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
}
