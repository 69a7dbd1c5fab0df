extension LocationDaemon {
  @TaskLocal private static var scoped: LocationDaemon?

  /// The default daemon, as for ``CLLocationManager`` without arguments: the one whose
  /// ``serve(isolation:_:)`` runs the code, or else that of the process.
  public static var current: LocationDaemon { scoped ?? system }

  /// Runs code that names no daemon, as that of an iOS app, on this one: every ``CLLocationManager``,
  /// ``CLLocationUpdate``, ``CLMonitor`` and session that it makes belongs to this daemon. Tasks that it starts
  /// inherit it; what it hands to a dispatch queue does not.
  /// - Parameters:
  ///   - isolation: the actor that the code runs on; leave it out.
  ///   - body: the code.
  /// - Returns: what the code returns.
  public func serve<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    try await Self.$scoped.withValue(self, operation: body, isolation: isolation)
  }

  /// The same for code that waits for nothing.
  package func scope(_ body: () -> Void) { Self.$scoped.withValue(self, operation: body) }
}
