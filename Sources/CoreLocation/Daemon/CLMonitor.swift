public import Foundation

/// A condition that a ``CLMonitor`` can monitor.
public protocol CLCondition: Sendable {}

/// Monitors named conditions, and reports when a condition becomes satisfied or unsatisfied.
///
/// Conditions and their last events outlive the monitor: a later monitor with the same name continues with them, on a simulated
/// phone also in later launches. If an event of a condition launches the program and the program does not create the monitor,
/// the condition is no longer monitored. A program can monitor at most twenty conditions and regions in total.
public actor CLMonitor {
  /// A condition that is satisfied while the device is in a circle.
  public struct CircularGeographicCondition: CLCondition {
    public let center: CLLocationCoordinate2D
    /// The radius in metres.
    public let radius: CLLocationDistance

    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }
  }

  /// A condition that is satisfied while a beacon is near. On a machine that cannot receive beacons it is unsupported.
  public struct BeaconIdentityCondition: CLCondition {
    public let uuid: UUID
    /// The major number; `nil`: any.
    public let major: CLBeaconMajorValue?
    /// The minor number; `nil`: any.
    public let minor: CLBeaconMinorValue?

    public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }

    public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }

    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
      (self.uuid, self.major, self.minor) = (uuid, major, minor)
    }
  }

  /// A change of the state of a condition.
  public struct Event: Sendable {
    public enum State: Int, Sendable {
      case unknown = 0
      case satisfied = 1
      case unsatisfied = 2
      /// The condition is not monitored; the event has the reason.
      case unmonitored = 3
    }

    public let identifier: String
    public let state: State
    /// The received beacon with its numbers; `nil` for a circle, and for a beacon that is no longer near.
    public internal(set) var refinement: (any CLCondition)?
    /// The time of the newest position at the event.
    public let date: Date
    /// Whether positions are only approximate.
    public internal(set) var accuracyLimited = false
    /// Whether the user denied permission.
    public internal(set) var authorizationDenied = false
    /// Whether location services are off for all programs. This is possible on a simulated phone.
    public internal(set) var authorizationDeniedGlobally = false
    /// Whether permission is restricted, so that the user cannot grant it.
    public internal(set) var authorizationRestricted = false
    /// Whether permission is undetermined.
    public internal(set) var authorizationRequestInProgress = false
    /// Whether the program is in the background and no session keeps it in use. On Linux a program is always in the foreground.
    public internal(set) var insufficientlyInUse = false
    /// Whether this machine cannot monitor the condition: a beacon without a receiver, or an invalid circle.
    public internal(set) var conditionUnsupported = false
    /// Whether the program already has twenty conditions and regions.
    public internal(set) var conditionLimitExceeded = false
    /// Always false: conditions are stored in memory.
    public var persistenceUnavailable: Bool { false }
    /// Whether the program declared that it holds a ``CLServiceSession``, and holds none. Without that declaration the monitor
    /// needs no session.
    public internal(set) var serviceSessionRequired = false

    init(_ identifier: String, _ state: State, _ date: Date) {
      (self.identifier, self.state, self.date) = (identifier, state, date)
    }
  }

  /// A condition and its last handled event.
  public struct Record: Sendable {
    public let condition: any CLCondition
    /// The last handled event. While an event is being handled, it is the previous one.
    public internal(set) var lastEvent: Event
  }

  public nonisolated let name: String
  private let conditions: WatchedConditions

  /// Creates a monitor with the conditions of an earlier monitor of the same name. It requests permission if permission is
  /// undetermined.
  /// - Parameter name: the unique name of the monitor in the program.
  public init(_ name: String) async {
    self.name = name
    conditions = WatchedConditions(daemon: .current, monitor: name)
    conditions.begin()
  }

  /// Monitors a condition whose state is unknown.
  /// - Parameters:
  ///   - condition: the condition.
  ///   - identifier: the name of the condition. A condition with the same name is replaced.
  public func add(_ condition: any CLCondition, identifier: String) {
    add(condition, identifier: identifier, assuming: .unknown)
  }

  /// Monitors a condition.
  /// - Parameters:
  ///   - condition: the condition.
  ///   - identifier: the name of the condition. A condition with the same name is replaced.
  ///   - state: the assumed state: only a different one is reported.
  public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
    conditions.add(condition, identifier, assuming: state)
  }

  /// Stops monitoring a condition. Buffered events of the condition may still be delivered.
  /// - Parameter identifier: the name of the condition.
  public func remove(_ identifier: String) { conditions.remove(identifier) }

  /// Returns a condition and its last event; `nil`: there is no condition of that name.
  /// - Parameter identifier: the name of the condition.
  public func record(for identifier: String) -> Record? { conditions.records[identifier] }

  /// The names of all conditions, sorted.
  public var identifiers: [String] { conditions.records.keys.sorted() }

  /// The events of the conditions. Without an iteration the newest 1,000 events are buffered.
  public var events: Events { Events(conditions: conditions) }

  /// The sequence of ``CLMonitor/events``.
  public struct Events: AsyncSequence, Sendable {
    public typealias Element = Event
    public typealias Failure = any Error

    let conditions: WatchedConditions

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(conditions) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      private let conditions: WatchedConditions
      private var events: AsyncStream<Event>.AsyncIterator
      /// The event that is being handled.
      private var handled: Event?

      init(_ conditions: WatchedConditions) {
        self.conditions = conditions
        events = conditions.listen().makeAsyncIterator()
      }

      public mutating func next() async throws -> Event? { try await next(isolation: nil) }

      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Event? {
        if let handled { conditions.setLastEvent(handled) }
        handled = await events.next(isolation: actor)
        return handled
      }
    }
  }
}
