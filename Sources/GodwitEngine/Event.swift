public import GodwitModel

internal import struct Foundation.Date

/// Something that happened, told to the engine.
public enum Event: Sendable, Hashable {
  /// The program began, with what it remembers from before.
  case launched(Launch)
  /// The owner turns tracking on.
  case start
  /// The owner turns tracking off. What is recorded stays and is sent.
  case stop
  /// The owner wants everything sent now.
  case sendNow
  /// The system's permission is this now.
  case authorizationChanged(Authorization)
  /// The location services delivered, oldest first.
  case fixes([Fix])
  /// The location services cannot tell, for now.
  case locationFailed(String)
  /// The owner or a server changed settings.
  case settingsChanged(Settings)
  /// Battery, network name or motion are this now.
  case contextChanged(DeviceContext)
  /// The network is there again, or gone.
  case networkChanged(isReachable: Bool)
  /// A timer that the engine set has run out.
  case timerFired(TimerID)
  /// An upload that the engine asked for is over.
  case uploadFinished(EndpointID, UploadResult)
}

/// What a program that begins remembers.
public struct Launch: Sendable, Hashable {
  /// Tracking was on when the program ended.
  public var wasTracking: Bool
  /// Records that each endpoint has not acknowledged.
  public var waiting: [EndpointID: Int]
  /// Newest fix that was kept.
  public var lastKept: Fix?

  public init(wasTracking: Bool, waiting: [EndpointID: Int], lastKept: Fix? = nil) {
    self.wasTracking = wasTracking
    self.waiting = waiting
    self.lastKept = lastKept
  }
}

/// The system's permission to know the location.
public enum Authorization: Sendable, Hashable {
  case notDetermined, denied, restricted, whenInUse, always
}

/// Names an endpoint; chosen by the owner, so that its cursor survives a change of address.
public struct EndpointID: Sendable, Hashable, CustomStringConvertible {
  public let name: String
  public init(_ name: String) { self.name = name }
  public var description: String { name }
}

/// Names a timer. Setting it again moves it.
public enum TimerID: Sendable, Hashable {
  /// The next send to an endpoint is due.
  case send(EndpointID)
}

/// How an upload ended.
public enum UploadResult: Sendable, Hashable {
  /// The endpoint has them (records that it named as impossible were set aside). `remaining` still wait.
  case accepted(remaining: Int)
  /// Nothing waited.
  case nothingToSend
  /// It did not work this time. - `retryAfter`: seconds that the server asked for. `jitter`: a random number,
  /// 0 ..< 1, that spreads the retries of many devices.
  case failed(reason: String, retryAfter: Double?, jitter: Double)
  /// The server will not take these records, however often they are sent.
  case refused(reason: String, count: Int)
  /// The one record that the server refused has been set aside. `remaining` still wait.
  case setAside(remaining: Int, jitter: Double)
  /// The server does not know the token. The records are not to blame.
  case unauthorized(reason: String, jitter: Double)
}
