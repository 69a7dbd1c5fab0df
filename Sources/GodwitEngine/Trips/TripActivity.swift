public import GodwitModel

public import struct Foundation.Date

/// Decides when an app starts, updates and ends a Live Activity for the running trip, and what the activity shows.
///
/// It does not import ActivityKit. The app performs the steps, one at a time, for each status of its tracker.
///
///     for await status in tracker.statuses {
///       while let step = activity.step(status, isInForeground: isActive, at: Date()) { await perform(step) }
///     }
///
/// The system starts an activity only for an app in the foreground, ends it after eight hours, and shows it as outdated after its
/// stale date (Apple, "Displaying live data with Live Activities").
public struct TripActivity: Sendable, Hashable {
  /// The content of the activity. It is the content state of the app's `ActivityAttributes`.
  public struct Content: Sendable, Hashable, Codable {
    /// The start of the trip, which also identifies it. The displayed duration counts from here.
    public var start: Date
    /// The end of the trip; `nil`: it is running.
    public var end: Date?
    public var mode: TripMode
    /// Metres.
    public var distance: Meters
    /// The number of records that are not sent yet.
    public var waiting: Int
    /// The time of the last fix, from which the displayed age counts; `nil`: there is no fix.
    public var lastFix: Date?

    public init(
      start: Date, end: Date? = nil, mode: TripMode, distance: Meters, waiting: Int = 0, lastFix: Date? = nil
    ) {
      self.start = start
      self.end = end
      self.mode = mode
      self.distance = distance
      self.waiting = waiting
      self.lastFix = lastFix
    }
  }

  /// A call of ActivityKit that the app makes.
  public enum Step: Sendable, Hashable {
    /// `Activity.request`, with the stale date of its content.
    case start(Content, outdated: Date)
    /// `activity.update`, with a new stale date.
    case update(Content, outdated: Date)
    /// `activity.end`, with the time at which the system removes it from the Lock Screen.
    case end(Content, dismissal: Date)
  }

  /// Minimum seconds between two updates. A change of the mode is shown at once.
  public static let updateInterval = 10.0
  /// Seconds after the last update at which the activity is outdated. The app no longer runs then.
  public static let outdatedAfter = 10 * 60.0
  /// Seconds for which the activity remains on the Lock Screen after the end of the trip.
  public static let dismissAfter = 15 * 60.0
  /// Seconds after which the system ends an activity.
  public static let maximumAge = 8 * 3600.0

  private struct Shown: Sendable, Hashable {
    var content: Content
    var since: Date
    var updated: Date
  }
  private var shown: Shown?

  /// - Parameter shown: the content of an activity of an earlier launch, from `Activity.activities`; `nil`: there is none.
  public init(shown: Content? = nil) {
    // It is unknown how long the activity has been displayed. It cannot be longer than the trip.
    self.shown = shown.map { Shown(content: $0, since: $0.start, updated: .distantPast) }
  }

  /// Returns the next step; `nil`: there is nothing to do now. The app calls the function again until it returns `nil`.
  /// - Parameters:
  ///   - content: the present state of the running trip; `nil`: no trip is running.
  ///   - isInForeground: whether the app is active.
  ///   - now: the time.
  public mutating func step(_ content: Content?, isInForeground: Bool, at now: Date) -> Step? {
    guard let shown else {
      guard let content, isInForeground else { return nil }
      self.shown = Shown(content: content, since: now, updated: now)
      return .start(content, outdated: now.addingTimeInterval(Self.outdatedAfter))
    }
    guard let content, content.start == shown.content.start else { return end(shown, at: now, dismissal: Self.dismissAfter) }
    // A new activity replaces one that the system has ended or is about to end.
    if isInForeground, now.timeIntervalSince(shown.since) >= Self.maximumAge { return end(shown, at: now, dismissal: 0) }
    guard isDue(content, after: shown, at: now) else { return nil }
    self.shown = Shown(content: content, since: shown.since, updated: now)
    return .update(content, outdated: now.addingTimeInterval(Self.outdatedAfter))
  }

  /// Whether an update is due. Updates are also made without a change, so that the activity becomes outdated only if the app does
  /// not run. A clock that was set back does not prevent updates.
  private func isDue(_ content: Content, after shown: Shown, at now: Date) -> Bool {
    let age = now.timeIntervalSince(shown.updated)
    if content.mode != shown.content.mode || age < 0 { return true }
    return age >= (content == shown.content ? Self.outdatedAfter / 2 : Self.updateInterval)
  }

  private mutating func end(_ shown: Shown, at now: Date, dismissal: Double) -> Step {
    self.shown = nil
    var last = shown.content
    last.end = max(now, last.start)
    return .end(last, dismissal: now.addingTimeInterval(dismissal))
  }
}
