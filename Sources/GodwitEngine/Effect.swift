public import GodwitModel

public import struct Foundation.Date

/// Something that the engine wants done. Effects are carried out in order; a `record` is durable before
/// anything after it happens.
public enum Effect: Sendable, Hashable {
  /// What the location services shall do from now on; `nil`: nothing.
  case configureLocation(LocationRequest?)
  /// Ask the person for permission.
  case requestAuthorization
  /// Append these to the journal.
  case record([Record])
  /// Tell `timerFired` at this time; a timer of the same name is moved.
  case setTimer(TimerID, Date)
  case cancelTimer(TimerID)
  /// Send at most so many records to an endpoint and tell `uploadFinished`.
  case upload(EndpointID, limit: Int)
  /// The record that an endpoint is to get next is impossible for it: set it aside with this reason, and tell
  /// `uploadFinished` with `setAside`, or with `failed` when that did not work.
  case setAside(EndpointID, reason: String)
  /// Remember over a relaunch whether tracking is on.
  case rememberTracking(Bool)
}

/// What is asked of the location services.
public struct LocationRequest: Sendable, Hashable {
  public var mode: TrackingMode
  public var desiredAccuracy: DesiredAccuracy
  public var activityType: ActivityType
  public var pausesAutomatically: Bool
  public var showsBackgroundIndicator: Bool

  public init(_ settings: LocationSettings) {
    mode = settings.trackingMode
    desiredAccuracy = settings.desiredAccuracy
    activityType = settings.activityType
    pausesAutomatically = settings.pausesAutomatically
    showsBackgroundIndicator = settings.showsBackgroundIndicator
  }
}
