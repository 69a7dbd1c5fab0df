internal import CoreLocation
internal import GodwitEngine
internal import GodwitModel

/// The sessions of Core Location that are held for a tracker. One thread uses it at a time.
struct LocationSessions {
  /// The permission that the service session requires, and a closure that ends the session; `nil`: no session.
  private var service: (authorization: WantedAuthorization?, end: () -> Void)?
  /// A closure that ends the background activity session; `nil`: no session.
  private var endActivity: (() -> Void)?
  /// The key of the reason for exact positions in Info.plist; `nil`: exact positions are not requested.
  let fullAccuracyPurpose: String?

  init(fullAccuracyPurpose: String?) { self.fullAccuracyPurpose = fullAccuracyPurpose }

  /// Holds the requested sessions, and ends the others. A background activity session is created again at each request.
  /// - Parameter manager: the manager of the sensor.
  mutating func hold(_ request: SessionRequest?, _ manager: CLLocationManager) {
    guard let request else {
      service?.end()
      endActivity?()
      (service, endActivity) = (nil, nil)
      return
    }
    // New sessions are created before the old ones end, so that there is always one.
    if service == nil || service?.authorization != request.authorization {
      let old = service
      service = (request.authorization, Self.service(request.authorization, fullAccuracyPurpose, manager))
      old?.end()
    }
    let old = endActivity
    endActivity = request.staysInUse ? Self.activity(manager) : nil
    old?()
  }

  /// Creates a service session.
  /// - Returns: a closure that ends the session.
  private static func service(
    _ authorization: WantedAuthorization?, _ purpose: String?, _ manager: CLLocationManager
  ) -> () -> Void {
    #if os(Linux)
      // The manager may use another daemon than the process, so the session is created with the manager.
      let session = CLServiceSession(
        authorization: requirement(authorization), fullAccuracyPurposeKey: purpose, beside: manager)
    #else
      // An earlier system has no service sessions and requires none.
      guard #available(iOS 18, macOS 15, *) else { return {} }
      let session =
        purpose.map { CLServiceSession(authorization: requirement(authorization), fullAccuracyPurposeKey: $0) }
        ?? CLServiceSession(authorization: requirement(authorization))
    #endif
    return { session.invalidate() }
  }

  /// Creates a background activity session.
  /// - Returns: a closure that ends the session; `nil`: the system has no such sessions.
  private static func activity(_ manager: CLLocationManager) -> (() -> Void)? {
    #if os(macOS)
      return nil
    #else
      #if os(Linux)
        let session = CLBackgroundActivitySession(beside: manager)
      #else
        let session = CLBackgroundActivitySession()
      #endif
      return { session.invalidate() }
    #endif
  }

  @available(iOS 18, macOS 15, *)
  private static func requirement(_ wanted: WantedAuthorization?) -> CLServiceSession.AuthorizationRequirement {
    switch wanted {
    case .always: .always
    case .whenInUse: .whenInUse
    case nil: .none
    }
  }
}
