public import GodwitModel

public import struct Foundation.Date

/// An input of the engine.
public enum Event: Sendable, Hashable, Codable {
  /// The program was launched, with its stored state.
  case launched(Launch)
  /// The user turns tracking on.
  case start
  /// The user turns tracking off. Recorded data stays and is sent.
  case stop
  /// The user requests an upload of all records now.
  case sendNow
  /// The user deletes all waiting records.
  case purge
  /// The user starts a trip; `nil`: with the mode of the settings.
  case startTrip(TripMode?)
  /// The user ends the trip.
  case stopTrip
  /// The number of steps of the trip that has just ended; `nil`: the pedometer has no count.
  case stepsCounted(Int?)
  /// The user answers a notice.
  case answered(Notice.Response)
  /// The system's permission has changed.
  case authorizationChanged(Authorization)
  /// Fixes of the location services, oldest first.
  case fixes([Fix])
  /// A number of fixes that were dropped before the engine received them: `invalid`, because they had no valid position, or
  /// `lost`, because too many fixes were waiting.
  case fixesLost(Int, CoverageEntry.Reason)
  /// The location services detected an arrival or a departure. `cached`: the last position that the system knows.
  case visit(Visit, cached: Fix?)
  /// The location services have no position at present.
  case locationFailed(String)
  /// The system paused updates because the device seems to stand still.
  case paused
  /// The system resumed updates.
  case resumed
  /// The evaluation of regions produced an event to record.
  case region(RegionEvent)
  /// The device left the watched region.
  case leftRegion
  /// The app became active. `cached`: the last position that the system knows.
  case becameActive(cached: Fix?)
  /// The system granted a background fetch. Answered by `fetchFinished` with the same number.
  case backgroundFetch(Int, cached: Fix?)
  /// The program requests the current position. Answered by `reportLocation` with the same number.
  case locationWanted(Int)
  /// The user changed settings.
  case settingsChanged(Settings)
  /// The user changed single settings; invalid values are skipped.
  case settingsSet([DesiredSetting])
  /// A server's response contained settings.
  case settingsOffered(EndpointID, [DesiredSetting])
  /// The battery or the network name has changed. If the context contains no motion, the last motion stays valid.
  case contextChanged(DeviceContext)
  /// The motion chip reports a motion. `isSure`: with high confidence, so that a trip may start.
  case motionChanged(Motion, isSure: Bool)
  /// The states of the motion chip in the requested time, oldest first; empty: unknown.
  case motionHistory([MotionSpan])
  /// The network appeared or disappeared. `isWifi`: `nil` if unknown.
  case networkChanged(isReachable: Bool, isWifi: Bool? = nil)
  /// A timer of the engine has fired.
  case timerFired(TimerID)
  /// An upload of the engine has ended.
  case uploadFinished(EndpointID, UploadResult)
  /// Records were removed before the endpoint had acknowledged them. `isOld`: they waited too long; otherwise the journal was too large.
  case recordsLost(EndpointID, count: Int, isOld: Bool)
  /// Records that the endpoint had rejected were removed. `isOld`: as in `recordsLost`.
  case quarantinedLost(EndpointID, count: Int, isOld: Bool)
  /// A minute has passed in which the program ran.
  case tick
  /// The program is about to end.
  case willTerminate
}

/// The stored state at a launch.
public struct Launch: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case wasTracking
    case waiting
    case waitingSince
    case lastKept
    case trip
    case tripModes
    case coverageEnd = "ledgerEnd"
    case setByServer
    case serverModes
    case rollout = "trial"
    case rest
    case sentToday
  }

  /// Whether tracking was on when the program ended.
  public var wasTracking: Bool
  /// The number of records that each endpoint has not acknowledged.
  public var waiting: [EndpointID: Int]
  /// The time of the oldest of these records, for each endpoint.
  public var waitingSince: [EndpointID: Date] = [:]
  /// The newest recorded fix.
  public var lastKept: Fix?
  /// The running trip.
  public var trip: RunningTrip?
  /// How often each mode was chosen.
  public var tripModes: [TripMode: Int] = [:]
  /// The end of the coverage log; `nil`: there is none yet.
  public var coverageEnd: Date?
  /// Names of the settings whose last change was made by a server.
  public var setByServer: Set<String> = []
  /// The logging modes that a server set, by the name of the setting: the endpoint that set each, and the earlier mode.
  public var serverModes: [String: ServerMode] = [:]
  /// A server's staged rollout that is not confirmed yet.
  public var rollout: StagedRollout?
  /// The place of the last rest.
  public var rest: Rest?
  /// Bytes sent to each endpoint today.
  public var sentToday: [EndpointID: Int] = [:]

  public init(wasTracking: Bool, waiting: [EndpointID: Int], lastKept: Fix? = nil) {
    self.wasTracking = wasTracking
    self.waiting = waiting
    self.lastKept = lastKept
  }
}

/// A logging mode that a server set: it applies only to that server's endpoint, because it skips records.
public struct ServerMode: Sendable, Hashable, Codable {
  /// The endpoint whose response set it.
  public var endpoint: EndpointID
  /// The mode of the other endpoints.
  public var before: LoggingMode

  public init(endpoint: EndpointID, before: LoggingMode) {
    self.endpoint = endpoint
    self.before = before
  }
}

/// A setting and the value that a server or a user requests.
public struct DesiredSetting: Sendable, Hashable, Codable {
  public var name: String
  public var value: SettingValue
  public init(name: String, value: SettingValue) {
    self.name = name
    self.value = value
  }
}

/// The system's permission to know the location.
public enum Authorization: String, Sendable, Hashable, Codable {
  case notDetermined, denied, restricted, whenInUse, always

  var permission: LocationPermission {
    switch self {
    case .notDetermined: .notDetermined
    case .denied: .denied
    case .restricted: .restricted
    case .whenInUse: .whenInUse
    case .always: .always
    }
  }
}

/// The name of an endpoint. It is configured, so that the cursor of the endpoint survives a change of its address.
public struct EndpointID: Sendable, Hashable, Codable, CodingKeyRepresentable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  public let name: String
  public init(_ name: String) { self.name = name }
  public init(stringLiteral name: String) { self.name = name }
  public var description: String { name }

  // Encoded as a plain string, and as the key of a JSON object.
  public init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
  public var codingKey: any CodingKey { Key(stringValue: name) }
  public init?<T: CodingKey>(codingKey: T) { name = codingKey.stringValue }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// The name of a timer. Setting it again moves it.
public enum TimerID: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case send
    case tripGrace
    case tripRest
    case steps
    case oneShot
    case checkIn = "lifeline"
    case rollout = "trial"
    case policy
  }

  /// The next send to an endpoint is due.
  case send(EndpointID)
  /// A pause has lasted so long that the trip ends.
  case tripGrace
  /// A trip that started automatically has been at rest so long that it ends.
  case tripRest
  /// The pedometer did not answer.
  case steps
  /// A requested position did not arrive.
  case oneShot
  /// A device whose uploads are disabled requests new settings from its server.
  case checkIn
  /// A staged rollout was not confirmed.
  case rollout
  /// The time that the policy requested.
  case policy
}

/// The result of an upload.
public enum UploadResult: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case accepted
    case nothingToSend
    case notYet
    case failed
    case faulted
    case rejected = "refused"
    case quarantined = "setAside"
    case unauthorized
  }

  /// The endpoint has stored the records (records that it rejected were quarantined). `remaining`: the records that still wait.
  /// `bytes`: the size of the upload; 0: nothing was sent, because all waiting records are too new.
  case accepted(remaining: Int, bytes: Int = 0)
  /// Nothing waited.
  case nothingToSend
  /// Waiting records must not be sent before this time.
  case notYet(until: Date)
  /// The attempt failed. `retryAfter`: the seconds that the server requested. `jitter`: a random number, 0 ..< 1, that spreads
  /// the retries of many devices.
  case failed(reason: String, retryAfter: Double?, jitter: Double)
  /// The server failed at these records: it responded with this status and without a retry time. `count`: the number of records.
  case faulted(reason: String, status: Int, count: Int, jitter: Double)
  /// The server rejects these records permanently. `count`: the number of records.
  case rejected(reason: String, count: Int)
  /// The single rejected record has been quarantined. `remaining`: the records that still wait.
  case quarantined(remaining: Int, jitter: Double)
  /// The server rejects the token. The records are not the cause of the failure.
  case unauthorized(reason: String, jitter: Double)
}
