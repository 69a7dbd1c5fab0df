public import Foundation

/// A part of the program that needs the location: permission is requested when it begins, and it receives what
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
  ///   - fullAccuracyPurposeKey: names the reason for exact positions in the app's Info.plist. They are requested where the
  ///     person gives only rough ones.
  public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
    self.init(authorization, daemon: .current, purpose: fullAccuracyPurposeKey)
  }

  /// A session on the daemon of a manager.
  package convenience init(
    authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String?, beside manager: CLLocationManager
  ) {
    self.init(authorization, daemon: manager.session.daemon, purpose: fullAccuracyPurposeKey)
  }

  private init(_ requirement: AuthorizationRequirement, daemon: LocationDaemon, purpose: String? = nil) {
    self.requirement = requirement
    let always: Bool? =
      switch requirement {
      case .none: nil
      case .whenInUse: false
      case .always: true
      }
    watch = AuthorizationWatch(daemon: daemon, as: .serviceSession, asksFor: always, purpose: purpose)
  }

  /// The part needs it no more; ``diagnostics`` ends.
  public func invalidate() { watch.end() }

  /// What prevents the session now, and each change of it.
  public var diagnostics: Diagnostics { Diagnostics(watch: watch, requirement: requirement) }

  /// What prevents the session.
  public struct Diagnostic: Sendable {
    /// The person does not allow it.
    public let authorizationDenied: Bool
    /// Location services are off for every program, as a simulated phone's can be.
    public let authorizationDeniedGlobally: Bool
    /// The person cannot allow it.
    public let authorizationRestricted: Bool
    /// The request for permission is shown.
    public let authorizationRequestInProgress: Bool
    /// The person allows it only while the program is in front, and the session needs more.
    public let alwaysAuthorizationDenied: Bool
    /// Exact positions were requested, and stay rough.
    public let fullAccuracyDenied: Bool
    /// The program is not in front, and nothing keeps it in use. On Linux it always is in front.
    public let insufficientlyInUse: Bool
    /// Another session is needed for this one: never, for this is one.
    public let serviceSessionRequired: Bool

    init(_ situation: Situation, _ requirement: AuthorizationRequirement) {
      let status = situation.status
      authorizationDenied = status == .denied
      authorizationDeniedGlobally = status == .denied && !situation.isSwitchedOn
      insufficientlyInUse = situation.useLimits.isInsufficientlyInUse
      serviceSessionRequired = situation.useLimits.needsSession
      fullAccuracyDenied = situation.staysRough
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
      var statuses: AsyncStream<Situation>.AsyncIterator
      let requirement: AuthorizationRequirement

      public mutating func next() async throws -> Diagnostic? { try await next(isolation: nil) }

      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Diagnostic? {
        await statuses.next(isolation: actor).map { Diagnostic($0, requirement) }
      }
    }
  }
}
