public import Foundation
public import GodwitEngine

/// Shows notices to a person: an app's notifications, a desktop's, a line of a terminal. The tracker itself shows
/// nothing; whoever runs it hands one in.
public protocol Notifier: Sendable {
  /// Shows a notice, in place of one of the same kind.
  /// - Parameters:
  ///   - notice: what to say.
  ///   - time: when; `nil`: now. A later time must hold even if the program has ended by then, where the system can
  ///     do that: it is how a tracker that was killed is noticed.
  func show(_ notice: Notice, at time: Date?)
  /// Takes back a notice that is shown or waits for its time.
  func withdraw(_ kind: Notice.Kind)
}
