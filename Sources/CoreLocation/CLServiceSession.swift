public import Foundation

/// A part of the program that needs the location: permission is asked for when it begins, and it is told what
/// became of that.
///
/// `@unchecked Sendable`: its only property is a constant that is safe from anywhere.
public final class CLServiceSession: NSObject, @unchecked Sendable {
  /// What the part needs.
  public enum AuthorizationRequirement: Int, Sendable {
    /// Nothing beyond what there is.
    case none = 0
    case whenInUse = 1
    case always = 2
  }

  private let watch: AuthorizationWatch
  private let requirement: AuthorizationRequirement

  public convenience init(authorization: AuthorizationRequirement) { self.init(authorization, daemon: .current) }

  /// - Parameters:
  ///   - authorization: what is needed.
  ///   - fullAccuracyPurposeKey: names the reason for exact positions in the app's Info.plist. Positions here are
  ///     always exact, so nobody is asked.
  public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
    self.init(authorization, daemon: .current)
  }

  private init(_ requirement: AuthorizationRequirement, daemon: LocationDaemon) {
    self.requirement = requirement
    let always: Bool? =
      switch requirement {
      case .none: nil
      case .whenInUse: false
      case .always: true
      }
    watch = AuthorizationWatch(daemon: daemon, asksFor: always)
  }

  /// The part needs it no more; ``diagnostics`` ends.
  public func invalidate() { watch.end() }

  /// What stands in the way now, and each change of it.
  public var diagnostics: Diagnostics { Diagnostics(watch: watch, requirement: requirement) }

  /// What stands in the way.
  public struct Diagnostic: Sendable {
    /// The person does not allow it.
    public let authorizationDenied: Bool
    /// Location services are off for every program. There is no such switch here: false.
    public var authorizationDeniedGlobally: Bool { false }
    /// The person cannot allow it.
    public let authorizationRestricted: Bool
    /// The person is being asked.
    public let authorizationRequestInProgress: Bool
    /// The person allows it only while the program is in front, and the session needs more.
    public let alwaysAuthorizationDenied: Bool
    /// Positions stay rough. Here they never are: false.
    public var fullAccuracyDenied: Bool { false }
    /// The program is not in front. Here it always is: false.
    public var insufficientlyInUse: Bool { false }
    /// Another session is needed for this one. Here none is: false.
    public var serviceSessionRequired: Bool { false }

    init(_ status: CLAuthorizationStatus, _ requirement: AuthorizationRequirement) {
      authorizationDenied = status == .denied
      authorizationRestricted = status == .restricted
      authorizationRequestInProgress = status == .notDetermined && requirement != .none
      alwaysAuthorizationDenied = requirement == .always && status != .authorizedAlways && status != .notDetermined
    }
  }

  /// The sequence of ``CLServiceSession/diagnostics``.
  public struct Diagnostics: AsyncSequence, Sendable {
    public typealias Element = Diagnostic
    public typealias Failure = any Error

    let watch: AuthorizationWatch
    let requirement: AuthorizationRequirement

    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(statuses: watch.statuses().makeAsyncIterator(), requirement: requirement)
    }

    public struct AsyncIterator: AsyncIteratorProtocol {
      var statuses: AsyncStream<CLAuthorizationStatus>.AsyncIterator
      let requirement: AuthorizationRequirement

      public mutating func next() async throws -> Diagnostic? { try await next(isolation: nil) }

      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Diagnostic? {
        await statuses.next(isolation: actor).map { Diagnostic($0, requirement) }
      }
    }
  }
}
