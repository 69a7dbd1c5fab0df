package import GodwitHTTPClient
package import GodwitServices

/// What a server needs of the machine, which a simulation replaces.
package struct ServerEnvironment: Sendable {
  package var clock: ServerClock
  /// Where everything runs.
  package var queues: WorkQueues
  /// Sends requests to webhooks.
  package var network: HTTPStarter
  /// Random numbers, 0 ..< 1, that spread attempts of several servers.
  package var random: @Sendable () -> Double

  package init(
    clock: ServerClock = .system, queues: WorkQueues = .system, network: HTTPStarter = .live(),
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    self.clock = clock
    self.queues = queues
    self.network = network
    self.random = random
  }
}
