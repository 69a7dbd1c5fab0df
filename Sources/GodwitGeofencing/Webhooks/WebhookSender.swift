package import Foundation
internal import GodwitHTTPClient
internal import GodwitModel
package import GodwitServices
package import GodwitStore
package import Synchronization

/// Sends deliveries to their webhooks. A delivery is removed only after its acknowledgement. Then the next delivery of the
/// same key is sent. After a crash at most one request of each key is repeated, with the same event identifiers. Several
/// servers of a database lease deliveries; after a lease expires, another server may lease the delivery. Leases and due
/// times use the database's clock, so that the clocks of the servers may differ.
///
/// All decisions are made on one serial queue. `state` has a lock only because the compiler cannot verify this.
package final class WebhookSender: Sendable {
  private enum Phase { case idle, running, stopped }
  private struct State {
    var deliveries = DeliveryQueue()
    var phase = Phase.idle
    /// The time of the clock's `uptime` at which the sender started.
    var started = Duration.zero
    var alarm = NextAlarm()
    /// The JSON of the last delivered event of each key since the key was last settled.
    var arrived: [OrderingKey: String] = [:]
  }

  private let store: any StoreDatabase
  private let transport: any WebhookTransport
  private let clock: ServerClock
  /// Not private, because the extension that conforms to `EventOutbox` uses it.
  let agreed: AgreedTime
  private let random: @Sendable () -> Double
  private let metrics: WebhookMetrics
  private let settled: @Sendable (OrderingKey, Date?) -> Void
  private let queue: WorkQueue
  private let state = Mutex(State())

  /// The time before the store is read again after a failure.
  private static let storePause = Duration.seconds(5)
  /// Seconds of a lease: four times the timeout of a request.
  static let lease = 60.0
  /// Maximum characters of a response that are stored as the reason of a rejection.
  private static let storedResponseSize = 200

  /// - Parameters:
  ///   - store: the store of the deliveries.
  ///   - transport: the network.
  ///   - clock: the clock.
  ///   - agreed: the clock for leases and due times.
  ///   - random: returns random numbers, 0 ..< 1, for the jitter of the pauses.
  ///   - metrics: the counters.
  ///   - settled: called when all deliveries of a key were sent, or the first cannot be sent now. The date is the time of
  ///     the last delivered event.
  package init(
    store: any StoreDatabase, transport: any WebhookTransport, clock: ServerClock,
    agreed: AgreedTime = .database, random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, metrics: WebhookMetrics,
    settled: @escaping @Sendable (OrderingKey, Date?) -> Void = { _, _ in }
  ) {
    self.settled = settled
    self.store = store
    self.transport = transport
    self.clock = clock
    self.agreed = agreed
    self.random = random
    self.metrics = metrics
    queue = store.queues.queue("godwit.webhooks")
  }

  // MARK: Any thread

  /// Starts sending, beginning with the deliveries of previous runs.
  package func start() {
    queue.async { [self] in
      let now = clock.uptime
      state.withLock { state in
        guard state.phase == .idle else { return }
        (state.phase, state.started) = (.running, now)
      }
      guard !store.dialect.isShared else { return readQueue() }
      // Only this server uses the database, so that leases of a previous run are void. If the release fails, the leases
      // expire.
      let work: @Sendable (any SQLConnection) throws -> Void = { try WebhookTables.releaseAll($0) }
      store.write(work) { [weak self] _ in self?.refresh() }
    }
  }

  /// Sends new deliveries.
  package func deliver(_ keys: [OrderingKey]) {
    guard !keys.isEmpty else { return }
    queue.async { [self] in
      let now = clock.uptime
      state.withLock { state in for key in keys { state.deliveries.add(key, due: now) } }
      send()
    }
  }

  /// Reads all webhooks and deliveries again after a manual change.
  package func refresh() { queue.async { [self] in readQueue() } }

  /// Starts no more requests; requests in flight may finish.
  package func beginStopping() { queue.sync { state.withLock { $0.phase = .stopped } } }

  /// Stops sending, waits for requests in flight, and then cancels them. Cancelled deliveries are sent again at the next
  /// start.
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
      let (keys, webhooks) = try store.read { db in
        (try WebhookTables.pendingKeys(at: agreed.now(clock.now, db), db), try WebhookTables.all(db))
      }
      let batches = webhooks.map { ($0.id, $0.options.batchSize) }.filter { $0.1 > 1 }
      state.withLock { state in
        state.deliveries.set(batches: Dictionary(uniqueKeysWithValues: batches))
        let now = clock.uptime
        for (key, wait) in keys { state.deliveries.reset(key, due: now + .seconds(wait)) }
      }
      send()
    } catch {
      metrics.storeFailures.add(1, ordering: .relaxed)
      clock.wake(after: Self.storePause) { [weak self] in self?.refresh() }
    }
  }

  private func send() {
    guard isRunning else { return }
    let uptime = clock.uptime
    let groups = state.withLock { $0.deliveries.take(at: uptime) }
    guard !groups.isEmpty else { return setAlarm() }
    let now = clock.now
    guard store.dialect.isShared else {
      // No other server sends deliveries, so that leases are not needed.
      return claimed(
        Result { try store.read { db in try groups.map { try WebhookTables.claim($0, at: now, for: nil, db) } } }, groups)
    }
    let agreed = agreed
    let work: @Sendable (any SQLConnection) throws -> [WebhookTables.Claim] = { db in
      let now = try agreed.now(now, db)
      return try groups.map { try WebhookTables.claim($0, at: now, for: Self.lease, db) }
    }
    store.write(work) { [weak self] result in
      self?.queue.async { [weak self] in self?.claimed(result, groups) }
    }
  }

  private func claimed(_ result: Result<[WebhookTables.Claim], any Error>, _ groups: [DeliveryQueue.Group]) {
    guard let claims = try? result.get() else {
      if isRunning { metrics.storeFailures.add(1, ordering: .relaxed) }
      let later = clock.uptime + Self.storePause
      for group in groups {
        for key in group.keys { finish(key, next: later, isStuck: true) }
        finish(group)
      }
      return setAlarm()
    }
    for (group, claim) in zip(groups, claims) {
      for other in claim.others {
        finish(other.key, next: other.wait.map { clock.uptime + .seconds($0) }, isStuck: (other.wait ?? 0) > 0)
      }
      guard let webhook = claim.webhook, !claim.deliveries.isEmpty else {
        finish(group)
        continue
      }
      let request = WebhookDispatch(group: group, webhook: webhook, deliveries: claim.deliveries)
      if isRunning { send(request) } else { release(request, next: nil) }
    }
    // An empty group frees capacity for another group. `send()` is called asynchronously, because many empty groups would
    // cause a deep recursion.
    queue.async { [weak self] in self?.send() }
  }

  private func send(_ dispatch: WebhookDispatch) {
    transport.send(dispatch.request(at: clock.now)) { [weak self] result in
      self?.queue.async { [weak self] in self?.received(result, to: dispatch) }
    }
  }

  private func received(_ result: Result<HTTPClient.Response, HTTPError>, to dispatch: WebhookDispatch) {
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
      guard isRunning else { return release(dispatch, next: nil) }
      outcome = .failed(failure.description)
      problem = failure.description
    }
    if dispatch.deliveries.count > 1, RetryPolicy.isDivided(on: outcome) {
      metrics.failed.add(dispatch.deliveries.count, ordering: .relaxed)
      return divide(dispatch)
    }
    // All deliveries of a request have the same random number, so that they are repeated together.
    let running = clock.uptime - state.withLock { $0.started }
    let attempt = AttemptOutcome(outcome: outcome, problem: problem, running: running / .seconds(1), random: random())
    record(attempt, of: dispatch, now)
  }

  /// The result of a request.
  private struct AttemptOutcome: Sendable {
    var outcome: WebhookOutcome
    /// The reason of a failure.
    var problem: String?
    /// Seconds since the start of the sender.
    var running: TimeInterval
    /// A random number, 0 ..< 1, for the jitter of the pause.
    var random: Double

    func results(of deliveries: [WebhookTables.Delivery], at now: Date) -> [WebhookTables.AttemptResult] {
      deliveries.map { delivery in
        let decision = RetryPolicy.decision(
          on: outcome, attempts: delivery.attempts + 1, written: delivery.written, now: now, running: running, random: random)
        return WebhookTables.AttemptResult(delivery: delivery, decision: decision, problem: problem)
      }
    }
  }

  /// Sends the deliveries of a rejected request again in smaller requests, so that an invalid delivery does not block the
  /// others.
  private func divide(_ dispatch: WebhookDispatch) {
    state.withLock { state in
      for key in dispatch.keys { state.deliveries.limit(key, to: dispatch.deliveries.count / 2) }
    }
    release(dispatch, next: clock.uptime)
  }

  /// The results of a request that a transaction has stored.
  private struct Recorded: Sendable {
    var results: [WebhookTables.AttemptResult]
    /// Seconds until the next delivery of each key is due; `nil`: there is none.
    var waits: [OrderingKey: TimeInterval?]
  }

  /// Stores the results of a request. The keys stay in flight until the transaction commits.
  private func record(_ outcome: AttemptOutcome, of dispatch: WebhookDispatch, _ now: Date) {
    let agreed = agreed
    let work: @Sendable (any SQLConnection) throws -> Recorded = { db in
      let now = try agreed.now(now, db)
      let results = outcome.results(of: dispatch.deliveries, at: now)
      return Recorded(results: results, waits: try WebhookTables.record(results, of: dispatch.webhook.id, at: now, db))
    }
    store.write(work) { [weak self] result in
      self?.queue.async { [weak self] in
        guard let self else { return }
        switch result {
        case .success(let recorded): self.recorded(recorded, of: dispatch)
        case .failure where !isRunning:
          for key in dispatch.keys { finish(key, next: nil) }
          finish(dispatch.group)
        case .failure:
          metrics.storeFailures.add(1, ordering: .relaxed)
          clock.wake(after: Self.storePause) { [weak self] in
            self?.queue.async { [weak self] in self?.record(outcome, of: dispatch, now) }
          }
        }
      }
    }
  }

  private func recorded(_ recorded: Recorded, of dispatch: WebhookDispatch) {
    var stuck: Set<OrderingKey> = []
    for result in recorded.results { metrics.count(result.decision) }
    state.withLock { state in
      for result in recorded.results {
        let key = result.delivery.key
        guard result.decision == .delivered else {
          stuck.insert(key)
          // The limit stays: after a failure the key's deliveries are still sent in small requests.
          continue
        }
        state.deliveries.limit(key, to: nil)
        // The time of the last event is needed only for positions, which only this format has.
        if dispatch.webhook.options.format == .homeAssistant { state.arrived[key] = result.delivery.body }
      }
    }
    let now = clock.uptime
    for key in dispatch.keys {
      let wait = recorded.waits[key] ?? nil
      finish(key, next: wait.map { now + .seconds($0) }, isStuck: stuck.contains(key))
    }
    finish(dispatch.group)
    send()
  }

  /// Releases the leases of deliveries without a result.
  private func release(_ dispatch: WebhookDispatch, next: Duration?) {
    let released: @Sendable () -> Void = { [weak self] in
      guard let self else { return }
      for key in dispatch.keys { finish(key, next: next) }
      finish(dispatch.group)
      send()
    }
    guard store.dialect.isShared else { return released() }
    let work: @Sendable (any SQLConnection) throws -> Void = { try WebhookTables.release(dispatch.deliveries, $0) }
    store.write(work) { [weak self] _ in
      self?.queue.async(released)
    }
  }

  /// Marks a key as no longer in flight, and reports a settled key.
  ///
  /// - Parameters:
  ///   - key: a key whose request has ended.
  ///   - next: the due time of its first delivery; `nil`: it has none.
  ///   - isStuck: whether its first delivery could not be sent.
  private func finish(_ key: OrderingKey, next: Duration?, isStuck: Bool = false) {
    let arrived = state.withLock { state in
      state.deliveries.finished(key, next: next)
      return next == nil || isStuck ? state.arrived.removeValue(forKey: key) : nil
    }
    if next == nil || isStuck { settled(key, arrived.flatMap(WebhookFormat.time(ofEvent:))) }
  }

  private func finish(_ group: DeliveryQueue.Group) { state.withLock { $0.deliveries.finished(group) } }

  /// Sets the timer for the next due key. An early or repeated call has no effect.
  private func setAlarm() {
    let now = clock.uptime
    let due = state.withLock { state -> Duration? in
      guard state.phase == .running, let due = state.deliveries.nextDue(after: now) else { return nil }
      return state.alarm.plan(due, at: now) ? due : nil
    }
    guard let due else { return }
    clock.wake(after: due - now) { [weak self] in
      self?.queue.async { [weak self] in
        self?.state.withLock { $0.alarm.fired(due) }
        self?.send()
      }
    }
  }
}

/// The sender's counters since the start of the process, for Prometheus.
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
