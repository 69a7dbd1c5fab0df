internal import Foundation
internal import GodwitModel

/// The state of a ``CLLocationManager``, and its connection to the daemon.
///
/// `@unchecked Sendable`: the lock protects the mutable state, including the delegate.
final class ClientConnection: @unchecked Sendable {
  struct State {
    weak var delegate: (any CLLocationManagerDelegate)?
    var desiredAccuracy = kCLLocationAccuracyBest
    var distanceFilter = kCLDistanceFilterNone
    var activityType = CLActivityType.other
    var pausesLocationUpdatesAutomatically = true
    var allowsBackgroundLocationUpdates = false
    var showsBackgroundLocationIndicator = false
    var headingFilter: CLLocationDegrees = 1
    var headingOrientation = CLDeviceOrientation.portrait
    var ranged = RangedBeacons()
    /// The completion handlers of pending requests for exact positions, in order.
    var fullAccuracy: [@Sendable ((any Error)?) -> Void] = []
    var client: LocationServices.ClientID?
    var heading: CLHeading?
    /// The status that is being reported to the delegate; `nil`: no call is in progress.
    var reported: CLAuthorizationStatus?
    /// Whether the first status was reported, with or without a delegate.
    var hasReportedStatus = false
    /// Whether the delegate was set after that and has not received a status.
    var awaitsStatus = false
  }

  let daemon: LocationDaemon
  let site: CallSite
  private let lock = NSLock()
  private var state = State()

  init(daemon: LocationDaemon, site: CallSite) {
    self.daemon = daemon
    self.site = site
  }

  func connect(_ receive: @escaping @Sendable (LocationServices.Output) -> Void) {
    let client = daemon.connect(LocationDaemon.Listener(site: site, receive: receive))
    lock.withLock { state.client = client }
  }

  /// Disconnects from the daemon. Pending requests for exact positions fail with `CLError.promptDeclined`.
  func disconnect() {
    let (client, waiting) = lock.withLock { (state.client, state.fullAccuracy) }
    if let client { daemon.disconnect(client) }
    for response in waiting { response(CLError(.promptDeclined, reason: "The location manager was deallocated.")) }
  }

  subscript<Value>(_ path: WritableKeyPath<State, Value>) -> Value {
    get { lock.withLock { state[keyPath: path] } }
    set { lock.withLock { state[keyPath: path] = newValue } }
  }

  /// Sets the delegate.
  /// - Returns: whether the first status was reported before, so that it must be reported to this delegate now.
  func setDelegate(_ delegate: (any CLLocationManagerDelegate)?) -> Bool {
    lock.withLock {
      state.awaitsStatus = state.hasReportedStatus && delegate != nil && delegate !== state.delegate
      state.delegate = delegate
      return state.awaitsStatus
    }
  }

  /// Records that a status is being reported.
  /// - Returns: the delegate.
  func beginReport(_ status: CLAuthorizationStatus) -> (any CLLocationManagerDelegate)? {
    lock.withLock {
      (state.hasReportedStatus, state.awaitsStatus, state.reported) = (true, false, status)
      return state.delegate
    }
  }

  /// Stores a value and reports it to the daemon.
  func set<Value>(
    _ path: WritableKeyPath<State, Value>, _ value: Value, _ input: (LocationServices.ClientID) -> LocationServices.Input
  ) {
    self[path] = value
    send(input)
  }

  func withRanged<Result>(_ body: (inout RangedBeacons) -> Result) -> Result { lock.withLock { body(&state.ranged) } }

  func send(_ input: (LocationServices.ClientID) -> LocationServices.Input) {
    if let client = self[\.client] { daemon.handle(input(client)) }
  }

  func onQueue(_ call: @escaping @Sendable () -> Void) { daemon.call(site, call) }

  func requestFullAccuracy(purpose: String, _ completion: @escaping @Sendable ((any Error)?) -> Void) {
    lock.withLock { state.fullAccuracy.append(completion) }
    send { .requestedFullAccuracy($0, purpose: purpose) }
  }

  func respondFullAccuracy(_ error: CLError?) {
    let response = lock.withLock { state.fullAccuracy.isEmpty ? nil : state.fullAccuracy.removeFirst() }
    response?(error)
  }
}
