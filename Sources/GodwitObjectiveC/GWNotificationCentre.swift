#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  public import Foundation
  internal import Godwit
  public import UserNotifications

  /// Shows notices as notifications of the system, with a button for each response. See `NotificationCentre` in Swift.
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

    /// Passes a response of the user to the tracker, for an app that is the delegate of its notification centre itself.
    /// - Parameter response: the response to a notification.
    /// - Returns: whether the response is a button of a notice of the SDK.
    @discardableResult
    @objc(handleResponse:)
    public func handle(_ response: UNNotificationResponse) -> Bool { centre.handle(response) }

    func connect(_ configuration: inout Tracker.Configuration) { configuration.notifier = centre }

    /// Passes responses of the user to a tracker from now on.
    func connect(_ tracker: Tracker) { centre.connect(tracker) }
  }
#endif
