package import GodwitHTTPClient
package import GodwitServices

/// The machine's services that a server uses. A simulation replaces them.
package struct ServerEnvironment: Sendable {
  package var clock: ServerClock
  /// The queues on which the server's work runs.
  package var queues: WorkQueues
  /// Sends requests to webhooks.
  package var network: HTTPStarter
  /// Returns a random number in 0..<1, which spreads the retries of several servers.
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
