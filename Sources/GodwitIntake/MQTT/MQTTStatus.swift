package import Foundation
internal import GodwitHTTP
internal import GodwitModel
package import GodwitServices
internal import GodwitText
internal import Synchronization

/// The state of the connection to the broker, for the log, the metrics and `/api/v1/mqtt`.
package final class MQTTStatus: Sendable {
  package enum Phase: Sendable, Hashable {
    case idle
    case connecting
    case connected(since: Date, BrokerAddress.Version)
    /// Waits until the next attempt after a problem.
    case waiting(until: Date, problem: String)
    case stopped
  }

  private struct State {
    var phase = Phase.idle
    /// The reason why the last connection ended.
    var problem: String?
  }
  private let state = Mutex(State())
  private let note: @Sendable (String) -> Void

  /// Number of received messages.
  let received = Atomic<Int>(0)
  /// Number of received messages of unassigned topics, which are stored until a device is assigned.
  let waiting = Atomic<Int>(0)
  /// Number of received messages that are invalid, which are stored as rejected records.
  let rejected = Atomic<Int>(0)
  /// Number of received messages of other topics, or over the maximum size.
  let ignored = Atomic<Int>(0)
  /// Number of messages to devices that the broker accepted.
  let published = Atomic<Int>(0)
  let connections = Atomic<Int>(0)
  /// Number of failed operations of the store.
  let storeFailures = Atomic<Int>(0)

  /// - Parameter note: receives messages for the log, as sentences.
  package init(note: @escaping @Sendable (String) -> Void) { self.note = note }

  package var phase: Phase { state.withLock { $0.phase } }

  package func log(_ text: String) { note("MQTT: \(text)") }

  package func connecting() { state.withLock { $0.phase = .connecting } }

  package func connected(_ address: BrokerAddress, _ version: BrokerAddress.Version, at now: Date) {
    state.withLock { state in
      state.phase = .connected(since: now, version)
      state.problem = nil
    }
    connections.add(1, ordering: .relaxed)
    log("connected to \(address), version \(version.rawValue).")
  }

  /// Records a fault, and logs it unless the previous fault was the same.
  func failed(_ fault: MQTTFault, trying next: Date) {
    let isNew = state.withLock { state in
      defer { (state.phase, state.problem) = (.waiting(until: next, problem: fault.description), fault.description) }
      return state.problem != fault.description
    }
    if isNew { log("\(fault). The server tries again, at increasing intervals up to a minute.") }
  }

  package func stopped() { state.withLock { $0.phase = .stopped } }

  /// Writes the state of the connection and the counters of messages.
  package func write(to metrics: inout MetricsText) {
    func counter(_ name: String, _ help: String, _ value: borrowing Atomic<Int>) {
      metrics.counter(name, help, value.load(ordering: .relaxed))
    }
    let isConnected = if case .connected = phase { 1 } else { 0 }
    metrics.gauge("godwit_mqtt_connected", "1 if the broker has accepted the connection, otherwise 0.", isConnected)
    metrics.counter(
      "godwit_mqtt_reconnects_total", "Connections after the first.", max(0, connections.load(ordering: .relaxed) - 1))
    counter("godwit_mqtt_messages_received_total", "Messages from the broker.", received)
    counter("godwit_mqtt_messages_unassigned_total", "Messages of unassigned topics, stored until a device is assigned.", waiting)
    counter("godwit_mqtt_messages_rejected_total", "Messages without a valid record, which were stored as rejected.", rejected)
    counter("godwit_mqtt_messages_ignored_total", "Messages of other topics, and messages over the limit of bytes.", ignored)
    counter("godwit_mqtt_messages_published_total", "Messages to devices that the broker acknowledged.", published)
    counter("godwit_mqtt_store_errors_total", "Messages that the store failed to write.", storeFailures)
  }

  /// The current state and counters.
  package var snapshot: Snapshot {
    let (phase, problem) = state.withLock { ($0.phase, $0.problem) }
    var snapshot = Snapshot(
      state: .idle, problem: problem, connections: connections.load(ordering: .relaxed),
      received: received.load(ordering: .relaxed), rejected: rejected.load(ordering: .relaxed),
      published: published.load(ordering: .relaxed))
    switch phase {
    case .idle: break
    case .connecting: snapshot.state = .connecting
    case .connected(let date, let version): (snapshot.state, snapshot.since, snapshot.version) = (.connected, date, version)
    case .waiting(let date, _): (snapshot.state, snapshot.nextTry) = (.waiting, date)
    case .stopped: snapshot.state = .stopped
    }
    return snapshot
  }

  /// The connection in the form of `/api/v1/mqtt`.
  package struct Snapshot: Sendable {
    package enum State: String, Sendable, Codable, CaseIterable {
      /// No broker is configured.
      case off
      case idle, connecting, connected
      /// The next attempt is due at `nextTry`.
      case waiting
      case stopped
    }

    package var state: State
    /// The start of the connection.
    package var since: Date?
    package var version: BrokerAddress.Version?
    package var problem: String?
    package var nextTry: Date?
    package var connections: Int
    package var received: Int
    package var rejected: Int
    package var published: Int
  }
}
