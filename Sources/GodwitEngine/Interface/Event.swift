public import GodwitModel

public import struct Foundation.Date

/// Something that happened, told to the engine.
public enum Event: Sendable, Hashable, Codable {
  /// The program began, with what it remembers from before.
  case launched(Launch)
  /// The owner turns tracking on.
  case start
  /// The owner turns tracking off. What is recorded stays and is sent.
  case stop
  /// The owner wants everything sent now.
  case sendNow
  /// The owner throws away what waits.
  case purge
  /// The owner begins a trip; without a mode with the one of the settings.
  case startTrip(TripMode?)
  /// The owner ends the trip.
  case stopTrip
  /// The pedometer's count for the trip that has just ended; `nil`: there is none.
  case stepsCounted(Int?)
  /// The owner answers a notice.
  case answered(Notice.Answer)
  /// The system's permission is this now.
  case authorizationChanged(Authorization)
  /// The location services delivered, oldest first.
  case fixes([Fix])
  /// So many fixes came that could not be taken: `invalid`, because they were no places, or `lost`, because too many
  /// waited already.
  case fixesLost(Int, LedgerEntry.Reason)
  /// The location services saw the device arrive or leave. `cached`: the place that they know of now.
  case visit(Visit, cached: Fix?)
  /// The location services cannot tell, for now.
  case locationFailed(String)
  /// The system paused updates because the device seems to stand still.
  case paused
  /// The system resumed them.
  case resumed
  /// The watch over the regions told something that is to be recorded.
  case region(RegionEvent)
  /// The device left the region that was to be watched.
  case leftRegion
  /// A person opened the program. `cached`: the place that the system knows of.
  case becameActive(cached: Fix?)
  /// The system gave the program a moment in the background. Answered by `fetchFinished` with the same number.
  case backgroundFetch(Int, cached: Fix?)
  /// The program wants to know where it is. Answered by `tellLocation` with the same number.
  case locationWanted(Int)
  /// The owner changed settings.
  case settingsChanged(Settings)
  /// The owner changed single settings; what cannot be is passed over.
  case settingsSet([SettingOffer])
  /// A server asked for changes in its answer.
  case settingsOffered(EndpointID, [SettingOffer])
  /// Battery or network name are this now. Without motion in it, what the motion chip saw last holds on.
  case contextChanged(DeviceContext)
  /// The motion chip sees this. `isSure`: it has no doubt, so that a trip may begin.
  case motionChanged(Motion, isSure: Bool)
  /// What the motion chip saw in a time that was asked for, oldest first; empty: nothing is known.
  case motionHistory([MotionSpan])
  /// The network is there again, or gone. `isWifi`: `nil` when that is not known.
  case networkChanged(isReachable: Bool, isWifi: Bool? = nil)
  /// A timer that the engine set has run out.
  case timerFired(TimerID)
  /// An upload that the engine asked for is over.
  case uploadFinished(EndpointID, UploadResult)
  /// Records were removed before the endpoint had them. - `isOld`: they waited too long; else the journal had become too large.
  case recordsLost(EndpointID, count: Int, isOld: Bool)
  /// A minute has passed: the tracker is alive.
  case tick
  /// The program is about to end.
  case willTerminate
}

/// What a program that begins remembers.
public struct Launch: Sendable, Hashable, Codable {
  /// Tracking was on when the program ended.
  public var wasTracking: Bool
  /// Records that each endpoint has not acknowledged.
  public var waiting: [EndpointID: Int]
  /// When the oldest of them was made.
  public var waitingSince: [EndpointID: Date] = [:]
  /// Newest fix that was kept.
  public var lastKept: Fix?
  /// The trip that was going on.
  public var trip: RunningTrip?
  /// How often each mode was chosen.
  public var tripModes: [TripMode: Int] = [:]
  /// Up to when the ledger knows; `nil`: there is none yet.
  public var ledgerEnd: Date?
  /// Names of settings that a server changed last.
  public var setByServer: Set<String> = []
  /// The logging modes among them: by whom, and instead of what.
  public var serverModes: [String: ServerMode] = [:]
  /// A server's change that has not proved itself yet.
  public var trial: StagedRollout?
  /// Where the device rested.
  public var rest: Rest?
  /// Bytes sent to each endpoint today.
  public var sentToday: [EndpointID: Int] = [:]

  public init(wasTracking: Bool, waiting: [EndpointID: Int], lastKept: Fix? = nil) {
    self.wasTracking = wasTracking
    self.waiting = waiting
    self.lastKept = lastKept
  }
}

/// A logging mode that a server set: it holds for that server's endpoint alone, because it passes over records.
public struct ServerMode: Sendable, Hashable, Codable {
  /// Whose answer it was.
  public var endpoint: EndpointID
  /// What holds for the others.
  public var before: LoggingMode

  public init(endpoint: EndpointID, before: LoggingMode) {
    self.endpoint = endpoint
    self.before = before
  }
}

/// A setting that a server wants to be something else.
public struct SettingOffer: Sendable, Hashable, Codable {
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

/// Names an endpoint; chosen by the owner, so that its cursor survives a change of address.
public struct EndpointID: Sendable, Hashable, Codable, CodingKeyRepresentable, CustomStringConvertible {
  public let name: String
  public init(_ name: String) { self.name = name }
  public var description: String { name }

  // As a bare text, and as the key of a JSON object.
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

/// Names a timer. Setting it again moves it.
public enum TimerID: Sendable, Hashable, Codable {
  /// The next send to an endpoint is due.
  case send(EndpointID)
  /// A pause has lasted so long that the trip is over.
  case tripGrace
  /// A trip that began by itself has rested so long that it is over.
  case tripRest
  /// The pedometer did not answer.
  case steps
  /// A position that was asked for once did not come.
  case oneShot
  /// A silenced device asks its server for new settings.
  case lifeline
  /// A server's change of settings has not proved itself.
  case trial
  /// The policy wants to look at things.
  case policy
}

/// How an upload ended.
public enum UploadResult: Sendable, Hashable, Codable {
  /// The endpoint has them (records that it named as impossible were set aside). `remaining` still wait. `bytes`: how
  /// many were sent; 0: nothing was, because all that waits came later.
  case accepted(remaining: Int, bytes: Int = 0)
  /// Nothing waited.
  case nothingToSend
  /// What waits is to be sent after this time, and not before.
  case notYet(until: Date)
  /// It did not work this time. - `retryAfter`: seconds that the server asked for. `jitter`: a random number,
  /// 0 ..< 1, that spreads the retries of many devices.
  case failed(reason: String, retryAfter: Double?, jitter: Double)
  /// The server failed at these records: it answered, with this status and without a time to come back.
  case faulted(reason: String, status: Int, count: Int, jitter: Double)
  /// The server will not take these records, however often they are sent.
  case refused(reason: String, count: Int)
  /// The one record that the server refused has been set aside. `remaining` still wait.
  case setAside(remaining: Int, jitter: Double)
  /// The server does not know the token. The records are not to blame.
  case unauthorized(reason: String, jitter: Double)
}
