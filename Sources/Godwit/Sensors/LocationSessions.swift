internal import CoreLocation
internal import GodwitEngine
internal import GodwitModel

/// The sessions of Core Location that are held for a tracker. It is used by one thread at a time.
struct LocationSessions {
  /// The permission of the service session, and what ends it.
  private var service: (authorization: WantedAuthorization?, end: () -> Void)?
  /// What ends the background activity session.
  private var endActivity: (() -> Void)?
  /// The key of the reason for exact positions in Info.plist; `nil`: they are not requested.
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
    // New ones are created before the old ones end, so that none is missing in between.
    if service == nil || service?.authorization != request.authorization {
      let old = service
      service = (request.authorization, Self.service(request.authorization, fullAccuracyPurpose, manager))
      old?.end()
    }
    let old = endActivity
    endActivity = request.staysInUse ? Self.activity(manager) : nil
    old?()
  }

  /// - Returns: what ends the session.
  private static func service(
    _ authorization: WantedAuthorization?, _ purpose: String?, _ manager: CLLocationManager
  ) -> () -> Void {
    #if os(Linux)
      // On the manager's own daemon, which may be another than that of the process.
      let session = CLServiceSession(
        authorization: requirement(authorization), fullAccuracyPurposeKey: purpose, beside: manager)
    #else
      // An earlier system knows no such sessions, and no app that promises to hold one.
      guard #available(iOS 18, macOS 15, *) else { return {} }
      let session =
        purpose.map { CLServiceSession(authorization: requirement(authorization), fullAccuracyPurposeKey: $0) }
        ?? CLServiceSession(authorization: requirement(authorization))
    #endif
    return { session.invalidate() }
  }

  /// - Returns: what ends the session; `nil`: the system has no such sessions.
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
