public import Foundation

/// Something that a ``CLMonitor`` can watch for.
public protocol CLCondition: Sendable {}

/// Watches conditions by name, and reports when they begin and cease to hold.
///
/// Conditions and their last events outlive the monitor: one made later with the same name goes on with them, on a simulated
/// phone also in later launches. A condition is watched no more when something became of it and the program, launched for
/// that, did not make its monitor. At most twenty conditions and regions are watched for a whole program.
public actor CLMonitor {
  /// A circle that the device is in.
  public struct CircularGeographicCondition: CLCondition {
    public let center: CLLocationCoordinate2D
    /// Metres.
    public let radius: CLLocationDistance

    public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
      self.center = center
      self.radius = radius
    }
  }

  /// A beacon that is near. Without a receiver of beacons its event reports that.
  public struct BeaconIdentityCondition: CLCondition {
    public let uuid: UUID
    /// `nil`: any.
    public let major: CLBeaconMajorValue?
    /// `nil`: any.
    public let minor: CLBeaconMinorValue?

    public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }

    public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }

    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
      (self.uuid, self.major, self.minor) = (uuid, major, minor)
    }
  }

  /// What became of a condition.
  public struct Event: Sendable {
    public enum State: Int, Sendable {
      case unknown = 0
      case satisfied = 1
      case unsatisfied = 2
      /// It is not watched; the event has the reason.
      case unmonitored = 3
    }

    public let identifier: String
    public let state: State
    /// The received beacon, with its numbers; `nil` for circles, and for a beacon that is gone.
    public internal(set) var refinement: (any CLCondition)?
    /// When it happened, by the position that showed it.
    public let date: Date
    /// Positions are only rough.
    public internal(set) var accuracyLimited = false
    /// The person does not allow it.
    public internal(set) var authorizationDenied = false
    /// Location services are off for every program, as a simulated phone's can be.
    public internal(set) var authorizationDeniedGlobally = false
    /// The person cannot allow it.
    public internal(set) var authorizationRestricted = false
    /// The request for permission is shown.
    public internal(set) var authorizationRequestInProgress = false
    /// The program is not in front, and nothing keeps it in use. On Linux it always is in front.
    public internal(set) var insufficientlyInUse = false
    /// This machine cannot watch for it: a beacon, or a circle that is none.
    public internal(set) var conditionUnsupported = false
    /// The program has twenty already.
    public internal(set) var conditionLimitExceeded = false
    /// What was kept cannot be read. It is kept in memory: false.
    public var persistenceUnavailable: Bool { false }
    /// The program promised a ``CLServiceSession`` and has none. Without that promise the monitor is one itself.
    public internal(set) var serviceSessionRequired = false

    init(_ identifier: String, _ state: State, _ date: Date) {
      (self.identifier, self.state, self.date) = (identifier, state, date)
    }
  }

  /// A condition and the last event of it that has been dealt with.
  public struct Record: Sendable {
    public let condition: any CLCondition
    /// While an event is being handled this is the one before it.
    public internal(set) var lastEvent: Event
  }

  public nonisolated let name: String
  private let conditions: WatchedConditions

  /// A monitor, with the conditions that one of the same name had. It requests permission if it is undetermined.
  /// - Parameter name: distinguishes it from others of the program. Only one of a name may be in use.
  public init(_ name: String) async {
    self.name = name
    conditions = WatchedConditions(daemon: .current, monitor: name)
    conditions.begin()
  }

  /// Watches a condition, whose state is not known yet.
  /// - Parameters:
  ///   - condition: what to watch for.
  ///   - identifier: its name; a condition that has it already is replaced.
  public func add(_ condition: any CLCondition, identifier: String) {
    add(condition, identifier: identifier, assuming: .unknown)
  }

  /// Watches a condition.
  /// - Parameters:
  ///   - condition: what to watch for.
  ///   - identifier: its name; a condition that has it already is replaced.
  ///   - state: the assumed state: only a different one is reported.
  public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
    conditions.add(condition, identifier, assuming: state)
  }

  /// Watches it no more. Events that were reported already may still come.
  /// - Parameter identifier: name of the condition.
  public func remove(_ identifier: String) { conditions.remove(identifier) }

  /// - Parameter identifier: name of a condition.
  /// - Returns: the condition and its last event; `nil`: there is none of that name.
  public func record(for identifier: String) -> Record? { conditions.records[identifier] }

  /// Names of all conditions, in order.
  public var identifiers: [String] { conditions.records.keys.sorted() }

  /// The events of the conditions. They are buffered until an iteration, the newest 1,000 of them.
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
