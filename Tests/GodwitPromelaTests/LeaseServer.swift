import Foundation
import GodwitHTTPClient
import GodwitServices
import GodwitStore
import Synchronization

@testable import GodwitGeofencing

/// A webhook sender with its store, clock and network, which a test controls step by step.
final class LeaseServer: Sendable {
  typealias Completion = @Sendable (Result<HTTPClient.Response, HTTPError>) -> Void

  /// The clock and the network of a server.
  private final class Surroundings: WebhookTransport {
    struct State {
      var now: Date
      var uptime: Duration
      var alarms: [(time: Duration, action: @Sendable () -> Void)] = []
      var request: (event: String, completion: Completion)?
      /// Resumed instead of setting the alarm that follows a failed read.
      var settled: CheckedContinuation<Void, Never>?
    }
    let state: Mutex<State>
    private let store: SteppedStore

    init(_ store: SteppedStore, _ now: Date, _ uptime: Duration) {
      self.store = store
      state = Mutex(State(now: now, uptime: uptime))
    }

    func send(_ request: WebhookRequest, completion: @escaping Completion) {
      state.withLock { $0.request = (request.headers["Godwit-Event-ID"] ?? "", completion) }
    }
    func close() {}

    func setAlarm(after duration: Duration, _ action: @escaping @Sendable () -> Void) {
      guard store.popFailure() else { return state.withLock { $0.alarms.append(($0.uptime + duration, action)) } }
      let settled = state.withLock { state in
        defer { state.settled = nil }
        return state.settled
      }
      settled?.resume()
    }
  }

  let store: SteppedStore
  private let isShared: Bool
  private let surroundings: Surroundings
  private let sender: WebhookSender

  /// - Parameters:
  ///   - store: the store of all servers.
  ///   - isShared: whether the database may have several servers.
  ///   - now: the date of the server's clock.
  ///   - uptime: the time of the server's clock that changes of the date do not affect.
  ///   - agreed: the time of the database.
  init(_ store: any StoreDatabase, isShared: Bool, now: Date, uptime: Duration, agreed: AgreedTime) {
    self.store = SteppedStore(store, isShared: isShared)
    let surroundings = Surroundings(self.store, now, uptime)
    self.surroundings = surroundings
    self.isShared = isShared
    let clock = ServerClock(
      now: { surroundings.state.withLock { $0.now } }, uptime: { surroundings.state.withLock { $0.uptime } },
      sleep: { _ in }, wake: { surroundings.setAlarm(after: $0, $1) })
    sender = WebhookSender(
      store: self.store, transport: surroundings, clock: clock, agreed: agreed, random: { 0.5 }, metrics: WebhookMetrics())
  }

  /// Starts the sender. The only server of a database first ends the leases of the previous program.
  func start() async {
    await perform(reads: isShared ? 1 : 0) { sender.start() }
    guard !isShared else { return }
    await store.commit()
    await perform(reads: 1) { store.report() }
  }

  func deliver(_ keys: [OrderingKey]) async {
    await perform { sender.deliver(keys) }
  }

  /// Reads all deliveries again, as a server does each half minute.
  func refresh() async {
    await perform(reads: 1) { sender.refresh() }
  }

  /// Sets the date and the uptime, and runs the alarms that are due.
  func move(to now: Date, uptime: Duration) async {
    let due = surroundings.state.withLock { state in
      (state.now, state.uptime) = (now, uptime)
      let due = state.alarms.filter { $0.time <= uptime }
      state.alarms.removeAll { $0.time <= uptime }
      return due
    }
    await perform { for alarm in due { alarm.action() } }
  }

  /// Reports the result of a write to the sender.
  func report() async {
    await perform { store.report() }
  }

  /// The event of the request in flight.
  var sentEvent: String? { surroundings.state.withLock { $0.request?.event } }

  /// Ends the request.
  func respond(_ result: Result<HTTPClient.Response, HTTPError>) async {
    let request = surroundings.state.withLock { state in
      defer { state.request = nil }
      return state.request
    }
    await perform { request?.completion(result) }
  }

  /// Performs an action, and waits until the sender is idle. For this a refresh whose read fails is added at the end of its queue: the
  /// failure sets an alarm.
  /// - Parameter reads: the number of reads before it.
  private func perform(reads: Int = 0, _ action: () -> Void) async {
    store.failRead(after: reads)
    action()
    await withCheckedContinuation { continuation in
      surroundings.state.withLock { $0.settled = continuation }
      sender.refresh()
    }
  }
}
