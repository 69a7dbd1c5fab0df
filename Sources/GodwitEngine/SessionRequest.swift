public import GodwitModel

/// The sessions that Core Location is to hold for a tracker: `CLServiceSession` and `CLBackgroundActivitySession`.
///
/// The first states which permission the app needs, from iOS 18 on; an app with `NSLocationRequireExplicitServiceSession` in its
/// Info.plist gets nothing without it. The second keeps an app in use in the background whose permission is "while using", and
/// lets the system launch it again if it ends there, from iOS 17 on; the system shows that to the user.
public struct SessionRequest: Sendable, Hashable {
  /// The permission that the service session requests; `nil`: it requests none.
  public var authorization: WantedAuthorization?
  /// Whether a background activity session is held too.
  public var staysInUse: Bool

  public init(authorization: WantedAuthorization?, staysInUse: Bool = false) {
    self.authorization = authorization
    self.staysInUse = staysInUse
  }
}

extension SessionRequest {
  /// What an engine needs; `nil` while tracking is off. With the permission "always" the app need not stay in use, and does so
  /// only if the settings show the indicator of the system anyway.
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
