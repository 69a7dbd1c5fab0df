#if canImport(UIKit) && !os(watchOS)
  // Not compiled on systems without UIKit, so it holds no decisions.
  internal import UIKit
#endif

/// The screen of a phone.
enum Screen {
  /// Sets whether the screen stays on; does nothing on a system without UIKit.
  static func keepOn(_ isOn: Bool) {
    #if canImport(UIKit) && !os(watchOS)
      Task { @MainActor in UIApplication.shared.isIdleTimerDisabled = isOn }
    #endif
  }
}
