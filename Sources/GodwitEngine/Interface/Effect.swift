public import GodwitModel

public import struct Foundation.Date

/// Something that the engine wants done. Effects are carried out in order; a `record` is durable before
/// anything after it happens.
public enum Effect: Sendable, Hashable, Codable {
  /// What the location services shall do from now on; `nil`: nothing.
  case configureLocation(LocationRequest?)
  /// Ask the person for permission.
  case requestAuthorization(WantedAuthorization)
  /// One position, told as `fixes` or `locationFailed`.
  case requestLocation
  /// Tell `leftRegion` when the device is farther than so many metres from here; moves the region of before.
  case watchExit(Coordinate, radius: Meters)
  case stopWatchingExit
  /// Tell `motionHistory`: what the motion chip has seen in this time.
  case askMotionHistory(from: Date, to: Date)
  /// Remember where the device rests over a relaunch.
  case keepRest(Rest?)
  /// Keep the screen on, or let it sleep again.
  case keepScreenOn(Bool)
  /// Tell `stepsCounted` for this time.
  case countSteps(from: Date, to: Date)
  /// Append these to the journal.
  case record([Record])
  /// Remember the trip that is going on over a relaunch; in the same transaction as the `record` before it.
  case keepTrip(RunningTrip?)
  case keepTripModes([TripMode: Int])
  /// Write these lines of the ledger; one of the same start is replaced.
  case keepLedger([LedgerEntry])
  /// Remember changed settings over a relaunch, and who changed them.
  case keepSettings([SettingChange], by: SettingsSource)
  /// Remember a server's change that has to prove itself.
  case keepTrial(StagedRollout?)
  /// Tell `timerFired` at this time; a timer of the same name is moved.
  case setTimer(TimerID, Date)
  case cancelTimer(TimerID)
  /// Send to an endpoint and tell `uploadFinished`.
  case upload(EndpointID, UploadRequest)
  /// The record that an endpoint is to get next is impossible for it: set it aside with this reason, and tell
  /// `uploadFinished` with `setAside`, or with `failed` when that did not work.
  case setAside(EndpointID, reason: String)
  /// Throw away everything that waits.
  case purge
  /// Remember over a relaunch whether tracking is on.
  case rememberTracking(Bool)
  /// Show a notice, now or at a time; one of the same kind is replaced.
  case notify(Notice, at: Date?)
  case withdraw(Notice.Kind)
  case fetchFinished(Int, BackgroundFetchResult)
  case tellLocation(Int, LocationAnswer)
}

/// What to send.
public struct UploadRequest: Sendable, Hashable, Codable {
  /// At most so many records.
  public var limit: Int
  /// Whether fixes but the newest are passed over, and in whose format.
  public var loggingMode: LoggingMode
  /// The trip that is going on, told beside the records.
  public var trip: RunningTrip?
  /// Ask even if there is nothing to send: the answer may bring settings.
  public var isAsking = false
  /// The server fails at the next record alone: send the one after it first, to find out which of the two is to blame.
  public var isProbing = false

  public init(
    limit: Int, loggingMode: LoggingMode = .all, trip: RunningTrip? = nil, isAsking: Bool = false, isProbing: Bool = false
  ) {
    self.limit = limit
    self.loggingMode = loggingMode
    self.trip = trip
    self.isAsking = isAsking
    self.isProbing = isProbing
  }
}

/// Who changed settings.
public enum SettingsSource: Sendable, Hashable, Codable {
  case owner
  case server(EndpointID)
  /// A server's change was taken back, because the server was not reached after it.
  case rollback(EndpointID)
}

/// What came of a moment in the background.
public enum BackgroundFetchResult: String, Sendable, Hashable, Codable {
  case newData, noData, failed
}

/// The answer to somebody who wants to know where the device is.
public enum LocationAnswer: Sendable, Hashable, Codable {
  /// With the fields that are collected.
  case record(Record)
  /// Why there is no position, as a sentence.
  case problem(String)
}

/// What is asked of the location services.
public struct LocationRequest: Sendable, Hashable, Codable {
  public var mode: TrackingMode
  public var desiredAccuracy: DesiredAccuracy
  public var activityType: ActivityType
  public var pausesAutomatically: Bool
  public var showsBackgroundIndicator: Bool
  public var tracksVisits: Bool
  /// Metres between two positions that are told; `nil`: every one is.
  public var distanceFilter: Meters?

  public init(_ settings: LocationSettings) {
    mode = settings.trackingMode
    desiredAccuracy = settings.desiredAccuracy
    activityType = settings.activityType
    pausesAutomatically = settings.pausesAutomatically
    showsBackgroundIndicator = settings.showsBackgroundIndicator
    tracksVisits = settings.tracksVisits
  }
}
