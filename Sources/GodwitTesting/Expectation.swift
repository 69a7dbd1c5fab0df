public import GodwitEngine
public import GodwitModel
public import GodwitPhone
public import GodwitSimulator

/// Something that must be true after a scenario.
public struct Expectation: Sendable, Hashable {
  /// How much of something.
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

  /// What can be counted.
  public enum Quantity: Sendable, Hashable {
    /// What the app wrote down: everything, or positions, visits, trips and actions by themselves.
    case records, fixes, visits, trips, actions
    /// How often the system launched the app, and made it run while it was suspended.
    case launches, wakes
    /// Requests that succeeded, and those that did not.
    case uploads, failedUploads
    /// Positions that the system delivered to the app.
    case delivered
    /// Notices that the person saw; `nil`: of any kind.
    case notices(Notice.Kind?)
  }

  /// How the app is.
  public enum AppState: String, Sendable, Hashable, CaseIterable {
    case running, suspended, ended
  }

  /// From one moment to another.
  public struct Window: Sendable, Hashable {
    public var start: SimulatedTime
    public var end: SimulatedTime

    /// - Parameters:
    ///   - start: the first moment.
    ///   - end: the last one.
    public init(from start: SimulatedTime, to end: SimulatedTime) {
      self.start = start
      self.end = end
    }
  }

  /// What is measured, and the value that it must have.
  public enum Check: Sendable, Hashable {
    case count(Quantity, Bound, Window? = nil)
    /// The longest time without a position, seconds.
    case hole(Bound, Window? = nil)
    /// The newest position measured by a moment is within so many metres of where the phone is then.
    case position(within: Meters, at: SimulatedTime)
    /// Every position is within so many metres of where the phone was when it was measured.
    case everyPosition(within: Meters, Window? = nil)
    /// The fastest that one gets from a position to the next, metres per second: no line of a leap.
    case speed(atMost: MetersPerSecond, Window? = nil)
    /// Length of the track in percent of the way's.
    case distance(Bound)
    /// Milliwatt-hours over the phone's own standby.
    case energy(Bound, Window? = nil)
    case app(AppState, at: SimulatedTime)
    /// Every record is at the server or waits on the phone.
    case nothingLost
    /// Nothing waits on the phone in the end.
    case nothingWaiting
    /// The server keeps no record and no measurement twice.
    case nothingTwice

    /// The moments that it is about.
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
  /// The systems of which it must be true; `nil`: of all.
  public var systems: Set<SystemVersion>?
  /// As it was written, for findings.
  public var text: String
  /// Number of its line in the text of a scenario.
  public var line: Int?

  /// - Parameters:
  ///   - check: what must be true.
  ///   - systems: of which systems; `nil`: of all.
  public init(_ check: Check, on systems: Set<SystemVersion>? = nil) {
    self.check = check
    self.systems = systems
    text = "\(check)"
  }
}
