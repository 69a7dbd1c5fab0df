#if canImport(UIKit) && !os(watchOS)
  // Not compiled where there is no UIKit: kept thin.
  internal import UIKit
#endif

/// The screen of a phone.
enum Screen {
  /// Keeps it from going dark; does nothing where there is none.
  static func keepOn(_ isOn: Bool) {
    #if canImport(UIKit) && !os(watchOS)
      Task { @MainActor in UIApplication.shared.isIdleTimerDisabled = isOn }
    #endif
  }
}
