internal import Foundation
package import GodwitDBus
internal import GodwitModel

/// A connection to a service of a message bus that is established again whenever it ends: after a pause that grows, or as soon as
/// the service is available.
package struct BusConversation: Sendable {
  private let bus: DBusAddress
  private let service: String
  private let sleep: @Sendable (Double) async throws -> Void

  /// - Parameters:
  ///   - bus: the message bus.
  ///   - service: the name of the service on the bus.
  ///   - sleep: suspends for a number of seconds.
  package init(bus: DBusAddress, service: String, sleep: @escaping @Sendable (Double) async throws -> Void) {
    (self.bus, self.service, self.sleep) = (bus, service, sleep)
  }

  /// Runs until it is cancelled.
  /// - Parameters:
  ///   - converse: uses the connection until an error ends it, which it throws. It calls its second argument when the service
  ///     works.
  ///   - failed: receives the error that ended the connection or prevented it. A repeated error is passed once.
  package func subscribe(
    _ converse: (DBusConnection, () -> Void) async throws -> Void, failed: (DBusError) async -> Void
  ) async throws {
    var failures = 0
    var reported: DBusError?
    while true {
      var connection: DBusConnection?
      do {
        let made = try await DBusConnection(bus)
        connection = made
        try await converse(made) {
          failures = 0
          reported = nil
        }
      } catch let error as DBusError {
        if error != reported { await failed(error) }
        reported = error
      }
      try Task.checkCancellation()
      failures += 1
      try await wait(ExponentialBackoff.reconnecting.pause(after: failures), connection)
    }
  }

  /// Returns the error of a stream of signals that has ended.
  package static func end(of connection: DBusConnection) -> DBusError {
    connection.broken ?? DBusError(.disconnected, "The connection to the bus ended.")
  }

  /// Throws if a signal reports that the service has ended or was replaced.
  package func check(_ signal: DBusSignal) throws {
    guard signal.member == "NameOwnerChanged", signal.arguments.count == 3, signal.arguments[1].text?.isEmpty == false
    else { return }
    throw DBusError(.disconnected, "\(service) has ended.")
  }

  private func wait(_ seconds: Double, _ connection: DBusConnection?) async throws {
    guard let connection, connection.broken == nil,
      let coming = try? await connection.signals([.presence(of: service)])
    else { return try await sleep(seconds) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [sleep] in try await sleep(seconds) }
      group.addTask { [sleep] in
        for await signal in coming where signal.arguments.last?.text?.isEmpty == false { return }
        try Task.checkCancellation()
        // The connection has ended, so no signal can arrive any more.
        try await sleep(seconds)
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
