public import Foundation

/// What keeps a program in use on a phone while it is not in front: live updates go on, and a program that ends unexpectedly is launched
/// again, to make the session again. A program on Linux is always in front, so the session only reports the state of the permission
/// there.
///
/// `@unchecked Sendable`: its only property is a constant that is safe from anywhere.
public final class CLBackgroundActivitySession: NSObject, @unchecked Sendable {
  private let watch: AuthorizationWatch

  public override init() { watch = AuthorizationWatch(daemon: .current, as: .backgroundActivity, asksFor: nil) }

  /// A session on the daemon of a manager.
  package init(beside manager: CLLocationManager) {
    watch = AuthorizationWatch(daemon: manager.session.daemon, as: .backgroundActivity, asksFor: nil)
  }

  /// It is needed no more; ``diagnostics`` ends.
  public func invalidate() { watch.end() }

  /// What prevents the session now, and each change of it.
  public var diagnostics: Diagnostics { Diagnostics(watch: watch) }

  /// What prevents the session.
  public struct Diagnostic: Sendable {
    /// The person does not allow it.
    public let authorizationDenied: Bool
    /// Location services are off for every program, as a simulated phone's can be.
    public let authorizationDeniedGlobally: Bool
    /// The person cannot allow it.
    public let authorizationRestricted: Bool
    /// Permission is undetermined, and the session does not request it.
    public let authorizationRequestInProgress: Bool
    /// The program is not in front, and nothing keeps it in use. On Linux it always is in front.
    public let insufficientlyInUse: Bool
    /// The program promised a ``CLServiceSession`` and has none.
    public let serviceSessionRequired: Bool

    init(_ situation: Situation) {
      let status = situation.status
      authorizationDenied = status == .denied
      authorizationDeniedGlobally = status == .denied && !situation.isSwitchedOn
      insufficientlyInUse = situation.useLimits.isInsufficientlyInUse
      serviceSessionRequired = situation.useLimits.needsSession
      authorizationRestricted = status == .restricted
      authorizationRequestInProgress = status == .notDetermined
    }
  }

  /// The sequence of ``CLBackgroundActivitySession/diagnostics``.
  public struct Diagnostics: AsyncSequence, Sendable {
    public typealias Element = Diagnostic
    public typealias Failure = any Error

    let watch: AuthorizationWatch

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(statuses: watch.statuses().makeAsyncIterator())
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      var statuses: AsyncStream<Situation>.AsyncIterator

      public mutating func next() async throws -> Diagnostic? { try await next(isolation: nil) }

      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Diagnostic? {
        await statuses.next(isolation: actor).map(Diagnostic.init)
      }
    }
  }
}
