public import GodwitModel

/// The Core Location sessions that a tracker needs: `CLServiceSession` and `CLBackgroundActivitySession`.
///
/// A service session (iOS 18 and later) declares the permission that the app needs. An app with
/// `NSLocationRequireExplicitServiceSession` in its Info.plist receives no locations without it. A background activity session
/// (iOS 17 and later) keeps an app with the permission "while using" in use while it is in the background, and lets the system
/// relaunch the app if it ends there. The system shows an indicator for it.
public struct SessionRequest: Sendable, Hashable {
  /// The permission that the service session requests; `nil`: it requests none.
  public var authorization: WantedAuthorization?
  /// Whether a background activity session is also held.
  public var staysInUse: Bool

  public init(authorization: WantedAuthorization?, staysInUse: Bool = false) {
    self.authorization = authorization
    self.staysInUse = staysInUse
  }
}

extension SessionRequest {
  /// Creates the request of an engine; `nil` while tracking is off. With the permission "always" the app does not need a
  /// background activity session. It is then requested only if the settings show the background indicator anyway.
  /// - Parameter updatesInBackground: whether positions are requested in the background at all.
  package init?(of engine: Engine, updatesInBackground: Bool) {
    guard engine.isTracking else { return nil }
    let isNeeded =
      switch engine.authorization {
      case .whenInUse: true
      case .always: engine.settingsInForce.showsBackgroundIndicator
      case .notDetermined, .denied, .restricted: false
      }
    self.init(authorization: engine.settings.authorization, staysInUse: isNeeded && updatesInBackground)
  }
}
