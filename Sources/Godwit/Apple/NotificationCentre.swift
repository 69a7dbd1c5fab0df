#if canImport(UserNotifications) && !os(tvOS)
  // Not compiled where there is no UserNotifications framework: kept thin. What a notice looks like and what a pressed
  // button means is decided by NoticeRequest.
  public import Foundation
  public import GodwitEngine
  internal import Synchronization
  public import UserNotifications

  /// Shows notices as the system's notifications, with their buttons.
  ///
  ///     let notifications = NotificationCentre()
  ///     configuration.notifier = notifications
  ///     let tracker = try Tracker(configuration: configuration, sensor: sensor)
  ///     notifications.connect(tracker)
  public final class NotificationCentre: NSObject, Notifier, UNUserNotificationCenterDelegate, Sendable {
    private let tracker = Mutex<Tracker?>(nil)

    public override init() {
      super.init()
      let categories = NoticeRequest.categories.map { name, answers in
        UNNotificationCategory(
          identifier: name,
          actions: answers.map { UNNotificationAction(identifier: $0.rawValue, title: NoticeRequest.title(of: $0)) },
          intentIdentifiers: [])
      }
      UNUserNotificationCenter.current().setNotificationCategories(Set(categories))
    }

    /// Takes answers to the tracker from now on. An app with a delegate of its own calls ``take(_:)`` instead.
    /// - Parameter tracker: whose notices they are.
    public func connect(_ tracker: Tracker) {
      self.tracker.withLock { $0 = tracker }
      UNUserNotificationCenter.current().delegate = self
    }

    /// Asks the person whether notifications may be shown.
    /// - Returns: whether they may.
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
      // Without permission there is nobody to tell.
      UNUserNotificationCenter.current().add(
        UNNotificationRequest(identifier: request.identifier, content: content, trigger: trigger))
    }

    public func withdraw(_ kind: Notice.Kind) {
      let identifiers = [NoticeRequest.identifier(of: kind)]
      UNUserNotificationCenter.current().removePendingNotificationRequests(withIdentifiers: identifiers)
      UNUserNotificationCenter.current().removeDeliveredNotifications(withIdentifiers: identifiers)
    }

    /// Tells the tracker an answer.
    /// - Parameter response: what the person did.
    /// - Returns: whether it was an answer to one of our notices.
    @discardableResult
    public func take(_ response: UNNotificationResponse) -> Bool {
      let identifier = response.notification.request.identifier
      guard let answer = NoticeRequest.answer(action: response.actionIdentifier, notice: identifier) else { return false }
      tracker.withLock { $0 }?.answer(answer)
      return true
    }

    public func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      take(response)
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
