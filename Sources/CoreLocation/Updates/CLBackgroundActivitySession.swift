public import Foundation

/// A session that keeps a program in use on a phone while it is in the background: live updates continue, and a program that ends
/// unexpectedly is launched again, and must then create the session again. A program on Linux is always in the foreground, so
/// there the session only reports the state of the permission.
///
/// `@unchecked Sendable`: its only property is a Sendable constant.
public final class CLBackgroundActivitySession: NSObject, @unchecked Sendable {
  private let watch: AuthorizationWatch

  public override init() { watch = AuthorizationWatch(daemon: .current, as: .backgroundActivity, asksFor: nil) }

  /// Creates a session that uses the daemon of a manager.
  package init(beside manager: CLLocationManager) {
    watch = AuthorizationWatch(daemon: manager.session.daemon, as: .backgroundActivity, asksFor: nil)
  }

  /// Ends the session and its ``diagnostics``.
  public func invalidate() { watch.end() }

  /// A sequence of the current state of the session and each change of it.
  public var diagnostics: Diagnostics { Diagnostics(watch: watch) }

  /// The problems that prevent the session from having an effect.
  public struct Diagnostic: Sendable {
    /// Whether the user denied permission.
    public let authorizationDenied: Bool
    /// Whether location services are off for all programs. This is possible on a simulated phone.
    public let authorizationDeniedGlobally: Bool
    /// Whether permission is restricted, so that the user cannot grant it.
    public let authorizationRestricted: Bool
    /// Whether permission is undetermined. The session does not request it.
    public let authorizationRequestInProgress: Bool
    /// Whether the program is in the background and no session keeps it in use. On Linux a program is always in the foreground.
    public let insufficientlyInUse: Bool
    /// Whether the program declared that it holds a ``CLServiceSession``, and holds none.
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
