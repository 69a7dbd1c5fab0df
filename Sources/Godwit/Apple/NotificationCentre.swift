#if canImport(UserNotifications) && !os(tvOS)
  // Not compiled on systems without UserNotifications, so it holds no decisions: NoticeRequest decides how a notice
  // looks and what a button means.
  public import Foundation
  public import GodwitEngine
  internal import GodwitLocks
  public import UserNotifications

  /// Shows notices as notifications of the system, with a button for each response.
  ///
  ///     let notifications = NotificationCentre()
  ///     configuration.notifier = notifications
  ///     let tracker = try Tracker(configuration: configuration, sensor: sensor)
  ///     notifications.connect(tracker)
  public final class NotificationCentre: NSObject, Notifier, UNUserNotificationCenterDelegate, Sendable {
    private let tracker = Mutex<Tracker?>(nil)

    public override init() {
      super.init()
      let categories = NoticeRequest.categories.map { name, responses in
        UNNotificationCategory(
          identifier: name,
          actions: responses.map { UNNotificationAction(identifier: $0.rawValue, title: NoticeRequest.title(of: $0)) },
          intentIdentifiers: [])
      }
      UNUserNotificationCenter.current().setNotificationCategories(Set(categories))
    }

    /// Passes responses of the user to the tracker from now on. An app with its own delegate calls ``handle(_:)`` instead.
    /// - Parameter tracker: the source of the notices.
    public func connect(_ tracker: Tracker) {
      self.tracker.withLock { $0 = tracker }
      UNUserNotificationCenter.current().delegate = self
    }

    /// Requests permission to show notifications.
    /// - Returns: whether it is granted.
    public func ask() async throws -> Bool {
      try await UNUserNotificationCenter.current().requestAuthorization(options: [.alert, .sound])
    }

    public func show(_ notice: Notice, at time: Date?) {
      let request = NoticeRequest(notice, at: time, now: Date())
      let content = UNMutableNotificationContent()
      content.title = request.title
      content.body = request.body
      content.categoryIdentifier = request.category ?? ""
      let trigger = request.delay.map { UNTimeIntervalNotificationTrigger(timeInterval: $0, repeats: false) }
      // The error is ignored: without permission no notification can be shown.
      UNUserNotificationCenter.current().add(
        UNNotificationRequest(identifier: request.identifier, content: content, trigger: trigger))
    }

    public func withdraw(_ kind: Notice.Kind) {
      let identifiers = [NoticeRequest.identifier(of: kind)]
      UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: identifiers)
      UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: identifiers)
    }

    /// Passes a response of the user to the tracker.
    /// - Parameter response: the response to a notification.
    /// - Returns: whether the response is a button of a notice of the SDK.
    @discardableResult
    public func handle(_ response: UNNotificationResponse) -> Bool {
      let identifier = response.notification.request.identifier
      guard let choice = NoticeRequest.response(action: response.actionIdentifier, notice: identifier) else { return false }
      tracker.withLock { $0 }?.respond(choice)
      return true
    }

    public func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      handle(response)
      completionHandler()
    }

    public func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      completionHandler([.banner, .list])
    }
  }
#endif
