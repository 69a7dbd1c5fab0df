public import GodwitEngine
public import GodwitModel
public import GodwitPhone
public import GodwitSimulator

/// A condition that must hold after a scenario.
public struct Expectation: Sendable, Hashable {
  /// A limit of a number.
  public enum Bound: Sendable, Hashable {
    case atLeast(Double)
    case atMost(Double)
    case exactly(Double)

    func holds(_ value: Double) -> Bool {
      switch self {
      case .atLeast(let bound): value >= bound
      case .atMost(let bound): value <= bound
      case .exactly(let bound): value == bound
      }
    }
  }

  /// A quantity that can be counted.
  public enum Quantity: Sendable, Hashable {
    /// Records of the app: all of them, or only positions, visits, trips or actions.
    case records, fixes, visits, trips, actions
    /// Launches of the app by the system, and resumptions of the suspended app.
    case launches, wakes
    /// Requests that succeeded, and requests that failed.
    case uploads, failedUploads
    /// Positions that the system delivered to the app.
    case delivered
    /// Notices that the user saw; `nil` for all kinds.
    case notices(Notice.Kind?)
  }

  /// State of the app.
  public enum AppState: String, Sendable, Hashable, CaseIterable {
    case running, suspended, ended
  }

  /// A closed time range.
  public struct Window: Sendable, Hashable {
    public var start: SimulatedTime
    public var end: SimulatedTime

    /// - Parameters:
    ///   - start: The first time.
    ///   - end: The last time.
    public init(from start: SimulatedTime, to end: SimulatedTime) {
      self.start = start
      self.end = end
    }
  }

  /// A measured value with its limit.
  public enum Check: Sendable, Hashable {
    case count(Quantity, Bound, Window? = nil)
    /// The longest time without a position, in seconds.
    case hole(Bound, Window? = nil)
    /// At the given time, the newest position is within this many metres of the phone.
    case position(within: Meters, at: SimulatedTime)
    /// Each position is within this many metres of the phone at the time of its measurement.
    case everyPosition(within: Meters, Window? = nil)
    /// The maximum speed between two consecutive positions, in metres per second. Detects jumps.
    case speed(atMost: MetersPerSecond, Window? = nil)
    /// Length of the recorded track in percent of the true length.
    case distance(Bound)
    /// Milliwatt hours without the phone's standby.
    case energy(Bound, Window? = nil)
    case app(AppState, at: SimulatedTime)
    /// Each record is on the server or waits on the phone.
    case nothingLost
    /// No record waits on the phone at the end.
    case nothingWaiting
    /// The server has no record and no position twice.
    case nothingTwice

    /// The times of the check.
    var times: [SimulatedTime] {
      switch self {
      case .count(_, _, let window), .hole(_, let window), .everyPosition(_, let window), .speed(_, let window),
        .energy(_, let window):
        window.map { [$0.start, $0.end] } ?? []
      case .position(_, let time), .app(_, let time): [time]
      case .distance, .nothingLost, .nothingWaiting, .nothingTwice: []
      }
    }
  }

  public var check: Check
  /// The systems to which the expectation applies; `nil` for all.
  public var systems: Set<SystemVersion>?
  /// The text of the expectation, for failure messages.
  public var text: String
  /// Line number in the text of the scenario.
  public var line: Int?

  /// - Parameters:
  ///   - check: The condition.
  ///   - systems: The systems to which the expectation applies; `nil` for all.
  public init(_ check: Check, on systems: Set<SystemVersion>? = nil) {
    self.check = check
    self.systems = systems
    text = "\(check)"
  }
}
