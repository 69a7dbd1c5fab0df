public import Foundation

/// A session of a part of the program that needs the location. It requests permission when it is created, and reports the
/// result.
///
/// `@unchecked Sendable`: its properties are Sendable constants.
public final class CLServiceSession: NSObject, @unchecked Sendable {
  /// The permission that the session needs.
  public enum AuthorizationRequirement: Int, Sendable {
    /// The session requests no permission.
    case none = 0
    case whenInUse = 1
    case always = 2
  }

  private let watch: AuthorizationWatch
  private let requirement: AuthorizationRequirement

  public convenience init(authorization: AuthorizationRequirement) { self.init(authorization, daemon: .current) }

  /// - Parameters:
  ///   - authorization: the permission that the session needs.
  ///   - fullAccuracyPurposeKey: the key of the purpose of exact positions in the app's Info.plist. Exact positions are
  ///     requested if the user grants only approximate ones.
  public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
    self.init(authorization, daemon: .current, purpose: fullAccuracyPurposeKey)
  }

  /// Creates a session that uses the daemon of a manager.
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

  /// Ends the session and its ``diagnostics``.
  public func invalidate() { watch.end() }

  /// A sequence of the current state of the session and each change of it.
  public var diagnostics: Diagnostics { Diagnostics(watch: watch, requirement: requirement) }

  /// The problems that prevent the session from having an effect.
  public struct Diagnostic: Sendable {
    /// Whether the user denied permission.
    public let authorizationDenied: Bool
    /// Whether location services are off for all programs. This is possible on a simulated phone.
    public let authorizationDeniedGlobally: Bool
    /// Whether permission is restricted, so that the user cannot grant it.
    public let authorizationRestricted: Bool
    /// Whether permission is undetermined and the session requested it.
    public let authorizationRequestInProgress: Bool
    /// Whether the session needs the permission "always" and does not have it.
    public let alwaysAuthorizationDenied: Bool
    /// Whether exact positions were requested and denied.
    public let fullAccuracyDenied: Bool
    /// Whether the program is in the background and no session keeps it in use. On Linux a program is always in the foreground.
    public let insufficientlyInUse: Bool
    /// Always false: a service session needs no other session.
    public let serviceSessionRequired: Bool

    init(_ situation: Situation, _ requirement: AuthorizationRequirement) {
      let status = situation.status
      authorizationDenied = status == .denied
      authorizationDeniedGlobally = status == .denied && !situation.isSwitchedOn
      insufficientlyInUse = situation.useLimits.isInsufficientlyInUse
      serviceSessionRequired = situation.useLimits.needsSession
      fullAccuracyDenied = situation.isFullAccuracyDenied
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
