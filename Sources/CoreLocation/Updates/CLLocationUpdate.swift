/// An element of ``liveUpdates(_:)``: a position, or the reason why there is none.
public struct CLLocationUpdate: Sendable {
  /// The activity that updates are used for: a hint about the required accuracy.
  public enum LiveConfiguration: Int, Sendable {
    case `default` = 0
    case automotiveNavigation = 1
    case otherNavigation = 2
    case fitness = 3
    case airborne = 4
  }

  /// The position; `nil`: the update reports only why there is none.
  public internal(set) var location: CLLocation?
  /// Whether the device is stationary. No more updates are reported until it moves; then they resume automatically.
  public internal(set) var stationary = false
  /// The name of `stationary` on iOS 17.
  public var isStationary: Bool { stationary }
  /// Whether the user denied permission.
  public internal(set) var authorizationDenied = false
  /// Whether location services are off for all programs. This is possible on a simulated phone.
  public internal(set) var authorizationDeniedGlobally = false
  /// Whether permission is restricted, so that the user cannot grant it.
  public internal(set) var authorizationRestricted = false
  /// Whether permission is undetermined.
  public internal(set) var authorizationRequestInProgress = false
  /// Whether the program is in the background and no ``CLBackgroundActivitySession`` keeps it in use. On Linux a program is
  /// always in the foreground.
  public internal(set) var insufficientlyInUse = false
  /// Whether the receiver currently has no position.
  public internal(set) var locationUnavailable = false
  /// Whether positions are only approximate.
  public internal(set) var accuracyLimited = false
  /// Whether the program declared that it holds a ``CLServiceSession``, and holds none. No positions are reported then. Without
  /// that declaration no session is needed.
  public internal(set) var serviceSessionRequired = false

  /// Returns a sequence of positions. Updates are requested during an iteration. An iteration requests permission if permission
  /// is undetermined.
  ///
  /// For a slow iteration the newest 1,000 updates are buffered.
  /// - Parameter configuration: the kind of activity that the updates are used for.
  /// - Returns: an endless sequence. End an iteration with `break` or by cancelling the task.
  public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
    Updates(daemon: .current, configuration: configuration)
  }

  /// The sequence of ``CLLocationUpdate/liveUpdates(_:)``. Each iteration makes a separate request for updates.
  public struct Updates: AsyncSequence, Sendable {
    public typealias Element = CLLocationUpdate
    public typealias Failure = any Error

    let daemon: LocationDaemon
    let configuration: LiveConfiguration

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(daemon, configuration) }

    public struct AsyncIterator: AsyncIteratorProtocol {
      /// Ends the updates when the iterator is released.
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
