public import Foundation
public import GodwitEngine

/// Shows notices to the user: as an app's notifications, a desktop's, or lines of a terminal. The tracker itself shows
/// nothing; the program passes a notifier to it.
public protocol Notifier: Sendable {
  /// Shows a notice, in place of one of the same kind.
  /// - Parameters:
  ///   - notice: the notice.
  ///   - time: when; `nil`: now. Where the system allows it, a later time must hold even if the program has ended by
  ///     then: this is how a killed tracker is detected.
  func show(_ notice: Notice, at time: Date?)
  /// Removes a notice that is shown or scheduled.
  func withdraw(_ kind: Notice.Kind)
}
