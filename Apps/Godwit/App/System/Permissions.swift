import CoreMotion
import Foundation
import Godwit
import GodwitApp

extension AppPermissions {
  /// The permissions of iOS.
  static func phone(_ notifications: NotificationCentre) -> AppPermissions {
    AppPermissions(
      motion: { Self.motion },
      requestMotion: { done in
        // The system has no call that only requests the permission; the first query for past activities shows the prompt.
        let chip = CMMotionActivityManager()
        chip.queryActivityStarting(from: .now, to: .now, to: .main) { _, _ in
          chip.stopActivityUpdates()
          MainActor.assumeIsolated { done(Self.motion) }
        }
      },
      requestNotifications: { done in
        Task { done((try? await notifications.ask()) == true ? .granted : .denied) }
      })
  }

  private static var motion: Decision {
    guard CMMotionActivityManager.isActivityAvailable() else { return .unavailable }
    return switch CMMotionActivityManager.authorizationStatus() {
    case .notDetermined: .undecided
    case .authorized: .granted
    case .restricted, .denied: .denied
    @unknown default: .undecided
    }
  }
}
