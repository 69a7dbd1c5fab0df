public import GodwitModel

public import struct Foundation.Date

/// An action that the engine requests. Effects are executed in order, and a `record` is durable before the next effect.
public enum Effect: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case configureLocation
    case requestAuthorization
    case requestLocation
    case watchExit
    case stopWatchingExit
    case askMotionHistory
    case storeRest = "keepRest"
    case keepScreenOn
    case countSteps
    case record
    case storeTrip = "keepTrip"
    case storeTripModes = "keepTripModes"
    case storeCoverage = "keepLedger"
    case storeSettings = "keepSettings"
    case storeRollout = "keepTrial"
    case setTimer
    case cancelTimer
    case upload
    case quarantine = "setAside"
    case purge
    case rememberTracking
    case notify
    case withdraw
    case fetchFinished
    case reportLocation = "tellLocation"
  }

  /// Configure the location services; `nil`: stop them.
  case configureLocation(LocationRequest?)
  /// Request permission from the user.
  case requestAuthorization(WantedAuthorization)
  /// Request one position, reported as `fixes` or `locationFailed`.
  case requestLocation
  /// Report `leftRegion` when the device is farther than `radius` metres from the coordinate. Replaces the earlier region.
  case watchExit(Coordinate, radius: Meters)
  case stopWatchingExit
  /// Report `motionHistory` with the states of the motion chip in this time.
  case askMotionHistory(from: Date, to: Date)
  /// Store the place of a rest across relaunches.
  case storeRest(Rest?)
  /// Keep the screen on, or allow it to turn off again.
  case keepScreenOn(Bool)
  /// Report `stepsCounted` with the number of steps in this time.
  case countSteps(from: Date, to: Date)
  /// Append these records to the journal.
  case record([Record])
  /// Store the running trip across relaunches, in the transaction of the preceding `record`.
  case storeTrip(RunningTrip?)
  case storeTripModes([TripMode: Int])
  /// Write these lines of the coverage log; a line with the same start is replaced.
  case storeCoverage([CoverageEntry])
  /// Store changed settings across relaunches, with the source of the change.
  case storeSettings([SettingChange], by: SettingsSource)
  /// Store a server's staged rollout.
  case storeRollout(StagedRollout?)
  /// Report `timerFired` at this time. A timer with the same name is moved.
  case setTimer(TimerID, Date)
  case cancelTimer(TimerID)
  /// Send to an endpoint and report `uploadFinished`.
  case upload(EndpointID, UploadRequest)
  /// Quarantine the next record of an endpoint, because the endpoint rejects it, with this reason. Report `uploadFinished` with
  /// `quarantined`, or with `failed` if the record could not be quarantined.
  case quarantine(EndpointID, reason: String)
  /// Delete all waiting records.
  case purge
  /// Store across relaunches whether tracking is on.
  case rememberTracking(Bool)
  /// Show a notice, now or at a time. It replaces a notice of the same kind.
  case notify(Notice, at: Date?)
  case withdraw(Notice.Kind)
  case fetchFinished(Int, BackgroundFetchResult)
  case reportLocation(Int, LocationResponse)
}

/// An upload.
public struct UploadRequest: Sendable, Hashable, Codable {
  /// The maximum number of records.
  public var limit: Int
  /// Determines whether all fixes except the newest are skipped, and the format of the records.
  public var loggingMode: LoggingMode
  /// The running trip, sent in addition to the records.
  public var trip: RunningTrip?
  /// Whether a request is sent even without records. The response may contain settings.
  public var isAsking = false
  /// Whether the record after the next one is sent first. The server fails at the next record, and this shows which of the two
  /// records causes the failure.
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

/// The source of a change of settings.
public enum SettingsSource: Sendable, Hashable, Codable {
  case user
  case server(EndpointID)
  /// A server's change was rolled back, because the server was not reached after it.
  case rollback(EndpointID)
}

/// The result of a background fetch.
public enum BackgroundFetchResult: String, Sendable, Hashable, Codable {
  case newData, noData, failed
}

/// The answer to a request for the current position.
public enum LocationResponse: Sendable, Hashable, Codable {
  /// The position, with the fields that are collected.
  case record(Record)
  /// Why there is no position, as a sentence.
  case problem(String)
}

/// A configuration of the location services.
public struct LocationRequest: Sendable, Hashable, Codable {
  public var mode: TrackingMode
  public var desiredAccuracy: DesiredAccuracy
  public var activityType: ActivityType
  public var pausesAutomatically: Bool
  public var showsBackgroundIndicator: Bool
  public var tracksVisits: Bool
  /// Minimum metres between two reported positions; `nil`: all positions are reported.
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
