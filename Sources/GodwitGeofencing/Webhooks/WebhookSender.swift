package import Foundation
internal import GodwitHTTPClient
internal import GodwitModel
package import GodwitServices
package import GodwitStore
package import Synchronization

/// Sends deliveries to their webhooks. A delivery is removed only after its acknowledgement, and then the next of its
/// key is sent. A crash repeats at most one delivery of each key, with the same identifier. Several servers lease
/// deliveries; an expired lease passes to another server. Their clocks may differ by half a minute.
///
/// All decisions run on one serial queue. `state` has a lock only because the compiler cannot verify that.
package final class WebhookSender: Sendable {
  private enum Phase { case idle, running, stopped }
  private struct State {
    var deliveries = DeliveryQueue()
    var phase = Phase.idle
    /// When the timer fires next.
    var alarm: Date?
    /// The last event that arrived for each key since the key was settled.
    var arrived: [OrderingKey: String] = [:]
  }

  private let store: any StoreDatabase
  private let transport: any WebhookTransport
  private let clock: ServerClock
  private let random: @Sendable () -> Double
  private let metrics: WebhookMetrics
  private let settled: @Sendable (OrderingKey, Date?) -> Void
  private let queue: WorkQueue
  private let state = Mutex(State())

  /// Seconds before the store is read again after a failure.
  private static let storePause = 5.0
  /// Seconds of a lease: four times the timeout of a request.
  static let lease = 60.0
  /// Characters of an answer that are stored as the reason of a rejection.
  private static let storedResponseSize = 200

  /// - Parameters:
  ///   - store: the store of the deliveries.
  ///   - transport: the network.
  ///   - clock: the clock.
  ///   - random: random numbers, 0 ..< 1, which spread the attempts of several servers.
  ///   - metrics: the counters.
  ///   - settled: called when all deliveries of a key were sent, or the first cannot be sent now, with the time of the
  ///     last event that arrived.
  package init(
    store: any StoreDatabase, transport: any WebhookTransport, clock: ServerClock,
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, metrics: WebhookMetrics,
    settled: @escaping @Sendable (OrderingKey, Date?) -> Void = { _, _ in }
  ) {
    self.settled = settled
    self.store = store
    self.transport = transport
    self.clock = clock
    self.random = random
    self.metrics = metrics
    queue = store.queues.queue("godwit.webhooks")
  }

  // MARK: Any thread

  /// Starts sending, first the deliveries of previous runs.
  package func start() {
    queue.async { [self] in
      state.withLock { if $0.phase == .idle { $0.phase = .running } }
      guard !store.dialect.isShared else { return readQueue() }
      // A single server owns this database, so leases of a previous run are void. If this fails, they expire.
      let work: @Sendable (any SQLConnection) throws -> Void = { try WebhookTables.releaseAll($0) }
      store.write(work) { [weak self] _ in self?.refresh() }
    }
  }

  /// Sends new deliveries.
  package func deliver(_ keys: [OrderingKey]) {
    guard !keys.isEmpty else { return }
    queue.async { [self] in
      let now = clock.now
      state.withLock { state in for key in keys { state.deliveries.add(key, due: now) } }
      send()
    }
  }

  /// Reads all webhooks and deliveries again after a manual change.
  package func refresh() { queue.async { [self] in readQueue() } }

  /// Starts no more requests; requests in flight may finish.
  package func beginStopping() { queue.sync { state.withLock { $0.phase = .stopped } } }

  /// Stops sending, waits for requests in flight, and cancels the rest, which is sent again later.
  package func stop(within seconds: Double) async {
    beginStopping()
    await waitUntilIdle(within: seconds)
    transport.close()
    // Cancelled deliveries release their leases.
    await waitUntilIdle(within: 1)
  }

  private func waitUntilIdle(within seconds: Double) async {
    for _ in 0..<Int(seconds * 100) where state.withLock({ $0.deliveries.busy }) > 0 {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
      }
    }
  }

  // MARK: On the queue

  private var isRunning: Bool { state.withLock { $0.phase == .running } }

  private func readQueue() {
    guard isRunning else { return }
    do {
      let keys = try store.read { try WebhookTables.pendingKeys($0) }
      state.withLock { state in for (key, due) in keys { state.deliveries.reset(key, due: due) } }
      send()
    } catch {
      metrics.storeFailures.add(1, ordering: .relaxed)
      clock.wake(at: clock.now.addingTimeInterval(Self.storePause)) { [weak self] in self?.refresh() }
    }
  }

  private func send() {
    guard isRunning else { return }
    let now = clock.now
    let keys = state.withLock { $0.deliveries.take(at: now) }
    guard !keys.isEmpty else { return setAlarm() }
    let work: @Sendable (any SQLConnection) throws -> [WebhookTables.Claim] = { database in
      try keys.map { try WebhookTables.claim($0, at: now, for: Self.lease, database) }
    }
    store.write(work) { [weak self] result in
      self?.queue.async { [weak self] in self?.claimed(result, keys) }
    }
  }

  private func claimed(_ result: Result<[WebhookTables.Claim], any Error>, _ keys: [OrderingKey]) {
    guard let claims = try? result.get() else {
      if isRunning { metrics.storeFailures.add(1, ordering: .relaxed) }
      let later = clock.now.addingTimeInterval(Self.storePause)
      for key in keys { finish(key, next: later, isStuck: true) }
      return
    }
    for (key, claim) in zip(keys, claims) {
      switch claim {
      case .ours(let delivery): if isRunning { send(delivery) } else { release(delivery) }
      case .later(let due): finish(key, next: due, isStuck: true)
      case .nothing: finish(key, next: nil)
      }
    }
    // An empty key frees capacity for another.
    send()
  }

  private func send(_ delivery: WebhookTables.Delivery) {
    let now = clock.now
    let body = delivery.format.body(of: delivery.body)
    let request = WebhookRequest(
      url: delivery.url,
      headers: [
        "Content-Type": "application/json", "User-Agent": "godwit/\(Version.current)", "Godwit-Event-ID": delivery.event,
        WebhookSignature.header: WebhookSignature.value(of: body, secret: delivery.secret, at: now),
      ], body: body)
    transport.send(request) { [weak self] result in
      self?.queue.async { [weak self] in self?.received(result, to: delivery) }
    }
  }

  private func received(_ result: Result<HTTPClient.Response, HTTPError>, to delivery: WebhookTables.Delivery) {
    let now = clock.now
    let outcome: WebhookOutcome
    var problem: String?
    switch result {
    case .success(let response):
      outcome = .answered(status: response.status, retryAfter: response.retryAfter(now: now))
      let words = String(decoding: response.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      problem = "The address answered \(response.status)" + (words.isEmpty ? "." : ": \(words.prefix(Self.storedResponseSize))")
    case .failure(let failure):
      // A request that the shutdown cancelled is not an attempt.
      guard isRunning else { return release(delivery) }
      outcome = .failed(failure.description)
      problem = failure.description
    }
    let decision = RetryPolicy.decision(
      on: outcome, attempts: delivery.attempts + 1, written: delivery.written, now: now, random: random())
    metrics.count(decision)
    record(decision, of: delivery, problem: problem, now)
  }

  /// Stores the result of an attempt. The key stays closed until that is done.
  private func record(_ decision: RetryPolicy.Decision, of delivery: WebhookTables.Delivery, problem: String?, _ now: Date) {
    let work: @Sendable (any SQLConnection) throws -> Date? = {
      try WebhookTables.record(decision, of: delivery, problem: problem, at: now, $0)
    }
    store.write(work) { [weak self] result in
      self?.queue.async { [weak self] in
        guard let self else { return }
        switch result {
        case .success(let next):
          if decision == .delivered { state.withLock { $0.arrived[delivery.key] = delivery.body } }
          finish(delivery.key, next: next, isStuck: decision != .delivered)
          send()
        case .failure where !isRunning: finish(delivery.key, next: nil)
        case .failure:
          metrics.storeFailures.add(1, ordering: .relaxed)
          clock.wake(at: clock.now.addingTimeInterval(Self.storePause)) { [weak self] in
            self?.queue.async { [weak self] in self?.record(decision, of: delivery, problem: problem, now) }
          }
        }
      }
    }
  }

  private func release(_ delivery: WebhookTables.Delivery) {
    let work: @Sendable (any SQLConnection) throws -> Void = { try WebhookTables.release(delivery, $0) }
    store.write(work) { [weak self] _ in
      self?.queue.async { [weak self] in self?.finish(delivery.key, next: nil) }
    }
  }

  /// - Parameters:
  ///   - key: the key, without a delivery in flight.
  ///   - next: when its first delivery is due; `nil`: it has none.
  ///   - isStuck: whether its first delivery could not be sent.
  private func finish(_ key: OrderingKey, next: Date?, isStuck: Bool = false) {
    let arrived = state.withLock { state in
      state.deliveries.finished(key, next: next)
      return next == nil || isStuck ? state.arrived.removeValue(forKey: key) : nil
    }
    if next == nil || isStuck { settled(key, arrived.flatMap(WebhookFormat.time(ofEvent:))) }
    setAlarm()
  }

  /// Sets the timer for the next due key. An early or repeated call has no effect.
  private func setAlarm() {
    let now = clock.now
    let due = state.withLock { state -> Date? in
      guard state.phase == .running, let due = state.deliveries.nextDue(after: now) else { return nil }
      if let alarm = state.alarm, alarm > now, alarm <= due { return nil }
      state.alarm = due
      return due
    }
    guard let due else { return }
    clock.wake(at: due) { [weak self] in self?.queue.async { [weak self] in self?.send() } }
  }
}

/// Counters of the sender since its start, for Prometheus.
package final class WebhookMetrics: Sendable {
  package let sent = Atomic<Int>(0)
  package let failed = Atomic<Int>(0)
  package let dead = Atomic<Int>(0)
  package let storeFailures = Atomic<Int>(0)

  package init() {}

  /// Writes the counters of deliveries.
  /// - Parameters:
  ///   - pending: pending deliveries in the store.
  ///   - failed: failed deliveries in the store.
  ///   - metrics: the other metrics.
  package func write(pending: Int, failed: Int, to metrics: inout MetricsText) {
    let delivered = sent.load(ordering: .relaxed)
    metrics.add(
      "godwit_webhook_attempts_total", .counter, "Attempts to deliver to webhooks.",
      [.init(["result": "succeeded"], delivered), .init(["result": "failed"], self.failed.load(ordering: .relaxed))])
    metrics.add(
      "godwit_webhook_deliveries_total", .counter, "Finished deliveries: acknowledged or failed.",
      [.init(["result": "delivered"], delivered), .init(["result": "failed"], dead.load(ordering: .relaxed))])
    metrics.counter(
      "godwit_webhook_store_errors_total", "Failed accesses of the webhook sender to the store.",
      storeFailures.load(ordering: .relaxed))
    metrics.add(
      "godwit_webhook_deliveries", .gauge, "Deliveries in the store: pending, or failed and not discarded.",
      [.init(["state": "pending"], pending), .init(["state": "failed"], failed)])
  }

  fileprivate func count(_ decision: RetryPolicy.Decision) {
    switch decision {
    case .delivered: sent.add(1, ordering: .relaxed)
    case .again: failed.add(1, ordering: .relaxed)
    case .dead, .gone:
      failed.add(1, ordering: .relaxed)
      dead.add(1, ordering: .relaxed)
    }
  }
}

extension WebhookSender: Service {
  /// Sends deliveries until the task is cancelled; requests in flight have a few seconds to end.
  package func run() async throws {
    start()
    await untilCancelled()
    await stop(within: 5)
  }
}
