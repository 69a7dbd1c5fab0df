#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  public import Foundation
  internal import Godwit
  public import UserNotifications

  /// Shows notices as the system's notifications, with their buttons. See `NotificationCentre` of Swift.
  @objc(GWNotificationCentre)
  public final class GWNotificationCentre: NSObject, Sendable {
    private let centre = NotificationCentre()

    /// Requests permission to show notifications.
    /// - Parameter completion: called on the main thread with whether it is granted, or with the error.
    @objc(askWithCompletion:)
    public func ask(completion: @escaping @MainActor @Sendable (Bool, NSError?) -> Void) {
      Task { @MainActor in
        do { completion(try await centre.ask(), nil) } catch { completion(false, FacadeError.nsError(error)) }
      }
    }

    /// Passes an answer to the tracker, for an app that is the delegate of its notification centre itself.
    /// - Parameter response: the action of the user.
    /// - Returns: whether the response belongs to a notice of the SDK.
    @discardableResult
    @objc(handleResponse:)
    public func handle(_ response: UNNotificationResponse) -> Bool { centre.handle(response) }

    func connect(_ configuration: inout Tracker.Configuration) { configuration.notifier = centre }

    /// Passes answers to a tracker from now on.
    func connect(_ tracker: Tracker) { centre.connect(tracker) }
  }
#endif
