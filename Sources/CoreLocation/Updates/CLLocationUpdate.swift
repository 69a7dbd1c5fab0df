/// One answer of ``liveUpdates(_:)``: a position, or why there is none.
public struct CLLocationUpdate: Sendable {
  /// What the updates are for: a hint how exact they must be.
  public enum LiveConfiguration: Int, Sendable {
    case `default` = 0
    case automotiveNavigation = 1
    case otherNavigation = 2
    case fitness = 3
    case airborne = 4
  }

  /// `nil` when the update reports only why there is none.
  public internal(set) var location: CLLocation?
  /// The device stands still: no more updates come until it moves, and then by themselves.
  public internal(set) var stationary = false
  /// The name on iOS 17.
  public var isStationary: Bool { stationary }
  /// The person does not allow it.
  public internal(set) var authorizationDenied = false
  /// Location services are off for every program, as a simulated phone's can be.
  public internal(set) var authorizationDeniedGlobally = false
  /// The person cannot allow it.
  public internal(set) var authorizationRestricted = false
  /// The request for permission is shown.
  public internal(set) var authorizationRequestInProgress = false
  /// The program is not in front, and no ``CLBackgroundActivitySession`` keeps it in use. On Linux it always is in front.
  public internal(set) var insufficientlyInUse = false
  /// The receiver has no position for now.
  public internal(set) var locationUnavailable = false
  /// Positions are only rough.
  public internal(set) var accuracyLimited = false
  /// The program promised a ``CLServiceSession`` and has none: no positions come. Without that promise the updates are one
  /// themselves.
  public internal(set) var serviceSessionRequired = false

  /// Positions for as long as they are iterated over. The first iteration requests permission if it is undetermined.
  ///
  /// A reader that is 1,000 updates behind loses the oldest.
  /// - Parameter configuration: the kind of activity that the updates are used for.
  /// - Returns: a sequence that never ends by itself; end it with `break` or by cancelling the task.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates(daemon: .current, configuration: configuration)
  }

  /// The sequence of ``CLLocationUpdate/liveUpdates(_:)``. Each iteration is one of its own.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = CLLocationUpdate
    public typealias Failure = any Error

    let daemon: LocationDaemon
    let configuration: LiveConfiguration

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(daemon, configuration) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      /// Ends the updates when the iterator is gone.
      private let source: LiveUpdates
      private var updates: AsyncStream<CLLocationUpdate>.AsyncIterator

      init(_ daemon: LocationDaemon, _ configuration: LiveConfiguration) {
        let (stream, continuation) = AsyncStream.makeStream(
          of: CLLocationUpdate.self, bufferingPolicy: .bufferingNewest(1000))
        source = LiveUpdates(daemon: daemon, continuation: continuation)
        updates = stream.makeAsyncIterator()
        source.begin(configuration)
      }

      public mutating func next() async throws -> CLLocationUpdate? { try await next(isolation: nil) }

      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> CLLocationUpdate? {
        await updates.next(isolation: actor)
      }
    }
  }
}
