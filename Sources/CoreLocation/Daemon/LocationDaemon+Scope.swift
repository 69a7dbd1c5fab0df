internal import Synchronization

extension LocationDaemon {
  @TaskLocal private static var scoped: LocationDaemon?
  private static let serving = Mutex(ServingDaemons())

  /// The default daemon, as for ``CLLocationManager`` without arguments: the one whose ``serve(isolation:_:)`` runs the code; in
  /// code of no such task, the only one that serves at the moment; or else that of the process.
  public static var current: LocationDaemon { scoped ?? serving.withLock(\.only) ?? system }

  /// Runs code that names no daemon, as that of an iOS app, on this one: every ``CLLocationManager``,
  /// ``CLLocationUpdate``, ``CLMonitor`` and session that it makes belongs to this daemon. Tasks that it starts inherit it.
  /// While no other daemon serves, this one is also that of dispatch queues, threads and detached tasks.
  /// - Parameters:
  ///   - isolation: the actor that the code runs on; leave it out.
  ///   - body: the code.
  /// - Returns: what the code returns.
  public func serve<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    Self.serving.withLock { $0.add(self) }
    defer { Self.serving.withLock { $0.remove(self) } }
    return try await Self.$scoped.withValue(self, operation: body, isolation: isolation)
  }

  /// The same for code that waits for nothing.
  package func scope(_ body: () -> Void) { Self.$scoped.withValue(self, operation: body) }
}

/// The daemons that serve at the moment, once for each call.
struct ServingDaemons: Sendable {
  private var daemons: [LocationDaemon] = []

  /// The one that serves, if all of them are the same.
  var only: LocationDaemon? {
    guard let first = daemons.first, daemons.allSatisfy({ $0 === first }) else { return nil }
    return first
  }

  mutating func add(_ daemon: LocationDaemon) { daemons.append(daemon) }

  mutating func remove(_ daemon: LocationDaemon) {
    if let index = daemons.lastIndex(where: { $0 === daemon }) { daemons.remove(at: index) }
  }
}
