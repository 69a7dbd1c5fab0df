public import Foundation

/// What keeps a program in use on a phone while it is not in front. A program on Linux runs until it ends, so the session
/// only tells what became of the permission.
///
/// `@unchecked Sendable`: its only property is a constant that is safe from anywhere.
public final class CLBackgroundActivitySession: NSObject, @unchecked Sendable {
  private let watch: AuthorizationWatch

  public override init() { watch = AuthorizationWatch(daemon: .current, asksFor: nil) }

  /// It is needed no more; ``diagnostics`` ends.
  public func invalidate() { watch.end() }

  /// What stands in the way now, and each change of it.
  public var diagnostics: Diagnostics { Diagnostics(watch: watch) }

  /// What stands in the way.
  public struct Diagnostic: Sendable {
    /// The person does not allow it.
    public let authorizationDenied: Bool
    /// Location services are off for every program. There is no such switch here: false.
    public var authorizationDeniedGlobally: Bool { false }
    /// The person cannot allow it.
    public let authorizationRestricted: Bool
    /// Nobody has decided, and the session itself does not ask.
    public let authorizationRequestInProgress: Bool
    /// The program is not in front. Here it always is: false.
    public var insufficientlyInUse: Bool { false }
    /// A ``CLServiceSession`` is needed. Here none is: false.
    public var serviceSessionRequired: Bool { false }

    init(_ status: CLAuthorizationStatus) {
      authorizationDenied = status == .denied
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
      var statuses: AsyncStream<CLAuthorizationStatus>.AsyncIterator

      public mutating func next() async throws -> Diagnostic? { try await next(isolation: nil) }

      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Diagnostic? {
        await statuses.next(isolation: actor).map(Diagnostic.init)
      }
    }
  }
}
