#if canImport(AdSupport) && canImport(AppTrackingTransparency)
  // Not compiled on systems without AdSupport, so it holds no decisions: AdvertisingID and the engine decide what is reported.
  internal import AdSupport
  internal import AppTrackingTransparency
  internal import Foundation
  internal import GodwitEngine
  public import GodwitModel

  extension DeviceWatch {
    /// The advertising identifier of a device. Only apps whose settings collect it need this.
    public enum Advertising {
      /// Requests permission to track from the user, if it was not requested before. The system shows the prompt only while
      /// the app is active, and only if Info.plist has `NSUserTrackingUsageDescription`.
      /// - Returns: the identifier; empty if the user refuses.
      public static func request() async -> AdvertisingID {
        if ATTrackingManager.trackingAuthorizationStatus == .notDetermined {
          _ = await ATTrackingManager.requestTrackingAuthorization()
        }
        return current
      }

      /// The identifier, if the current permission allows it; otherwise empty. The user is not asked.
      public static var current: AdvertisingID {
        AdvertisingID(
          uuid: ASIdentifierManager.shared().advertisingIdentifier.uuidString,
          isAllowed: ATTrackingManager.trackingAuthorizationStatus == .authorized)
      }
    }
  }
#endif
