#if canImport(AdSupport) && canImport(AppTrackingTransparency)
  // Not compiled where there is no AdSupport framework: kept thin. Whether the identifier may be told is decided by
  // AdvertisingID and by the engine.
  internal import AdSupport
  internal import AppTrackingTransparency
  internal import Foundation
  public import GodwitModel

  /// The identifier that advertisers know a device by. Only apps whose settings collect it have to do with this.
  public enum Advertising {
    /// Asks the person whether they want to be followed, if nobody has asked yet. The system shows the question only while
    /// the app is active, and only if Info.plist has `NSUserTrackingUsageDescription`.
    /// - Returns: the identifier; an empty one where the person does not want it.
    public static func request() async -> AdvertisingID {
      if ATTrackingManager.trackingAuthorizationStatus == .notDetermined {
        _ = await ATTrackingManager.requestTrackingAuthorization()
      }
      return current
    }

    /// The identifier as far as it may be told now. Asks nobody.
    public static var current: AdvertisingID {
      AdvertisingID(
        uuid: ASIdentifierManager.shared().advertisingIdentifier.uuidString,
        isAllowed: ATTrackingManager.trackingAuthorizationStatus == .authorized)
    }
  }
#endif
