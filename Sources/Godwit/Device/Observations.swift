internal import Foundation
internal import GodwitDelivery

/// Observations of notifications of a notification centre. They end when this object is released.
///
/// `@unchecked Sendable`: written only by its creator before it is shared, and read only in `deinit`.
final class Observations: @unchecked Sendable {
  private let center: NotificationCenter
  private var tokens: [any NSObjectProtocol] = []

  init(_ center: NotificationCenter) { self.center = center }

  deinit { for token in tokens { center.removeObserver(token) } }

  /// - Parameters:
  ///   - name: the notification.
  ///   - react: called on the main queue, and so on the main actor.
  @MainActor
  func observe(_ name: Notification.Name, _ react: @escaping @MainActor @Sendable () -> Void) {
    tokens.append(
      center.addObserver(forName: name, object: nil, queue: .main) { _ in MainActor.assumeIsolated { react() } })
  }

  #if !os(Linux)
    /// - Parameters:
    ///   - name: the notification.
    ///   - react: called on the thread that posts the notification.
    func observeOnAnyThread(_ name: Notification.Name, _ react: @escaping @Sendable () -> Void) {
      tokens.append(center.addObserver(forName: name, object: nil, queue: nil) { _ in react() })
    }
  #endif
}
