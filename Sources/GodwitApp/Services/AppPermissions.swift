/// The permissions that the app requests besides the location, which the sensor requests.
public struct AppPermissions: Sendable {
  /// What the person has decided.
  public enum Decision: String, Sendable, Hashable, Codable, CaseIterable {
    case undecided, granted, denied
    /// The device has no such part.
    case unavailable
  }

  /// Motion and fitness.
  public var motion: @MainActor @Sendable () -> Decision
  /// Makes the system ask, and reports when it is decided.
  public var requestMotion: @MainActor @Sendable (_ done: @escaping @MainActor @Sendable (Decision) -> Void) -> Void
  /// Makes the system ask for notifications, and reports what was decided. Once decided, it reports without asking.
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

  /// A device whose person agrees to everything.
  public static func granted() -> AppPermissions {
    AppPermissions(motion: { .granted }, requestMotion: { $0(.granted) }, requestNotifications: { $0(.granted) })
  }
}
