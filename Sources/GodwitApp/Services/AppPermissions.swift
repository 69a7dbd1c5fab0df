/// The permissions that the app requests. The sensor requests the permission for location.
public struct AppPermissions: Sendable {
  /// The user's decision.
  public enum Decision: String, Sendable, Hashable, Codable, CaseIterable {
    case undecided, granted, denied
    /// The device does not support it.
    case unavailable
  }

  /// The current decision about motion and fitness.
  public var motion: @MainActor @Sendable () -> Decision
  /// Makes the system ask for motion and fitness, and reports the decision.
  public var requestMotion: @MainActor @Sendable (_ done: @escaping @MainActor @Sendable (Decision) -> Void) -> Void
  /// Makes the system ask for notifications, and reports the decision. If it was made before, the system does not ask again.
  public var requestNotifications: @MainActor @Sendable (_ done: @escaping @MainActor @Sendable (Decision) -> Void) -> Void

  public init(
    motion: @escaping @MainActor @Sendable () -> Decision,
    requestMotion: @escaping @MainActor @Sendable (_ done: @escaping @MainActor @Sendable (Decision) -> Void) -> Void,
    requestNotifications: @escaping @MainActor @Sendable (_ done: @escaping @MainActor @Sendable (Decision) -> Void) -> Void
  ) {
    self.motion = motion
    self.requestMotion = requestMotion
    self.requestNotifications = requestNotifications
  }

  /// Permissions that are all granted.
  public static func granted() -> AppPermissions {
    AppPermissions(motion: { .granted }, requestMotion: { $0(.granted) }, requestNotifications: { $0(.granted) })
  }
}
