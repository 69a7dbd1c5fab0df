public import Foundation
public import GodwitEngine

/// Shows notices to the user: as notifications of an app or a desktop, or as lines of a terminal. The tracker itself shows
/// nothing; the program passes a notifier to it.
public protocol Notifier: Sendable {
  /// Shows a notice. It replaces a notice of the same kind.
  /// - Parameters:
  ///   - notice: the notice.
  ///   - time: the time at which the notice is shown; `nil`: now. Where the system allows it, a notice for a later time must
  ///     be shown even if the program has ended by then: this is how a killed tracker is detected.
  func show(_ notice: Notice, at time: Date?)
  /// Removes a notice that is shown or scheduled.
  func withdraw(_ kind: Notice.Kind)
}
