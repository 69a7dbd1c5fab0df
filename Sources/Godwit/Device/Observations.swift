internal import Foundation
internal import GodwitDelivery

/// What somebody wants to be told by a notification centre, until this goes away.
///
/// `@unchecked Sendable`: written only by whoever makes it, before it is shared, and read when nobody else has it.
final class Observations: @unchecked Sendable {
  private let center: NotificationCenter
  private var tokens: [any NSObjectProtocol] = []

  init(_ center: NotificationCenter) { self.center = center }

  deinit { for token in tokens { center.removeObserver(token) } }

  /// - Parameters:
  ///   - name: of the notification.
  ///   - react: called on the main queue, where the main actor is.
  @MainActor
  func observe(_ name: Notification.Name, _ react: @escaping @MainActor @Sendable () -> Void) {
    tokens.append(
      center.addObserver(forName: name, object: nil, queue: .main) { _ in MainActor.assumeIsolated { react() } })
  }
}
