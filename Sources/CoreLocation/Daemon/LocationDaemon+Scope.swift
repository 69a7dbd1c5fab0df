internal import Synchronization

extension LocationDaemon {
  @TaskLocal private static var scoped: LocationDaemon?
  private static let serving = Mutex(ServingDaemons())

  /// The default daemon, which `CLLocationManager()` uses. Inside ``serve(isolation:_:)`` it is the daemon of that call. In other
  /// code it is the only daemon that currently serves, or otherwise the daemon of the process.
  public static var current: LocationDaemon { scoped ?? serving.withLock(\.only) ?? system }

  /// Runs code with this daemon as the default, for code that names no daemon, such as that of an iOS app. Every
  /// ``CLLocationManager``, ``CLLocationUpdate``, ``CLMonitor`` and session that the code creates uses this daemon. Tasks that
  /// it starts inherit the daemon. While no other daemon serves, it is also the default in dispatch queues, threads and
  /// detached tasks.
  /// - Parameters:
  ///   - isolation: the actor that the code runs on; use the default.
  ///   - body: the code.
  /// - Returns: the result of the code.
  public func serve<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    Self.serving.withLock { $0.add(self) }
    defer { Self.serving.withLock { $0.remove(self) } }
    return try await Self.$scoped.withValue(self, operation: body, isolation: isolation)
  }

  /// Runs synchronous code with this daemon as the default.
  package func scope(_ body: () -> Void) { Self.$scoped.withValue(self, operation: body) }
}

/// The daemons that currently serve, with one element for each call of ``LocationDaemon/serve(isolation:_:)``.
struct ServingDaemons: Sendable {
  private var daemons: [LocationDaemon] = []

  /// The daemon that serves, if all elements are the same daemon; otherwise `nil`.
  var only: LocationDaemon? {
    guard let first = daemons.first, daemons.allSatisfy({ $0 === first }) else { return nil }
    return first
  }

  mutating func add(_ daemon: LocationDaemon) { daemons.append(daemon) }

  mutating func remove(_ daemon: LocationDaemon) {
    if let index = daemons.lastIndex(where: { $0 === daemon }) { daemons.remove(at: index) }
  }
}
