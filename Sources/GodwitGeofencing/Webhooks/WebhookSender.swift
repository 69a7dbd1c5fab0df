package import Foundation
internal import GodwitHTTPClient
internal import GodwitModel
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
    var lanes = DeliveryQueue()
    var phase = Phase.idle
    /// When the timer fires next.
    var alarm: Date?
    /// The last event that arrived for each key since the key was settled.
    var arrived: [OrderingKey: String] = [:]
  }

  private let store: any StoreDatabase
  private let transport: any WebhookTransport
  private let time: WebhookTime
  private let metrics: WebhookMetrics
  private let settled: @Sendable (OrderingKey, Date?) -> Void
  private let queue = DispatchQueue(label: "godwit.webhooks")
  private let state = Mutex(State())

  /// Seconds before the store is read again after a failure.
  private static let storePause = 5.0
  /// Seconds of a lease: four times the timeout of a request.
  static let lease = 60.0
  /// Characters of an answer that are stored as the reason of a rejection.
  private static let keptAnswer = 200

  /// - Parameters:
  ///   - store: the store of the deliveries.
  ///   - transport: the network.
  ///   - time: the clock.
  ///   - metrics: the counters.
  ///   - settled: called when all deliveries of a key were sent, or the first cannot be sent now, with the time of the
  ///     last event that arrived.
  package init(
    store: any StoreDatabase, transport: any WebhookTransport, time: WebhookTime = .live, metrics: WebhookMetrics,
    settled: @escaping @Sendable (OrderingKey, Date?) -> Void = { _, _ in }
  ) {
    self.settled = settled
    self.store = store
    self.transport = transport
    self.time = time
    self.metrics = metrics
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

  /// Adds new deliveries.
  package func noted(_ lanes: [OrderingKey]) {
    guard !lanes.isEmpty else { return }
    queue.async { [self] in
      let now = time.now()
      state.withLock { state in for lane in lanes { state.lanes.add(lane, due: now) } }
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
    for _ in 0..<Int(seconds * 100) where state.withLock({ $0.lanes.busy }) > 0 {
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
      let lanes = try store.read { try WebhookTables.lanes($0) }
      state.withLock { state in for (lane, due) in lanes { state.lanes.reset(lane, due: due) } }
      send()
    } catch {
      metrics.storeFailures.add(1, ordering: .relaxed)
      time.wake(time.now().addingTimeInterval(Self.storePause)) { [weak self] in self?.refresh() }
    }
  }

  private func send() {
    guard isRunning else { return }
    let now = time.now()
    let lanes = state.withLock { $0.lanes.take(at: now) }
    guard !lanes.isEmpty else { return setAlarm() }
    let work: @Sendable (any SQLConnection) throws -> [WebhookTables.Claim] = { database in
      try lanes.map { try WebhookTables.claim($0, at: now, for: Self.lease, database) }
    }
    store.write(work) { [weak self] result in
      self?.queue.async { [weak self] in self?.claimed(result, lanes) }
    }
  }

  private func claimed(_ result: Result<[WebhookTables.Claim], any Error>, _ lanes: [OrderingKey]) {
    guard let claims = try? result.get() else {
      if isRunning { metrics.storeFailures.add(1, ordering: .relaxed) }
      let later = time.now().addingTimeInterval(Self.storePause)
      for lane in lanes { finish(lane, next: later, isStuck: true) }
      return
    }
    for (lane, claim) in zip(lanes, claims) {
      switch claim {
      case .ours(let delivery): if isRunning { send(delivery) } else { release(delivery) }
      case .later(let due): finish(lane, next: due, isStuck: true)
      case .nothing: finish(lane, next: nil)
      }
    }
    // An empty key frees capacity for another.
    send()
  }

  private func send(_ delivery: WebhookTables.Delivery) {
    let now = time.now()
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

  private func received(_ result: Result<HTTPClient.Answer, HTTPError>, to delivery: WebhookTables.Delivery) {
    let now = time.now()
    let outcome: WebhookOutcome
    var problem: String?
    switch result {
    case .success(let answer):
      outcome = .answered(status: answer.status, retryAfter: answer.retryAfter(now: now))
      let words = String(decoding: answer.body, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      problem = "The address answered \(answer.status)" + (words.isEmpty ? "." : ": \(words.prefix(Self.keptAnswer))")
    case .failure(let failure):
      // A request that the shutdown cancelled is not an attempt.
      guard isRunning else { return release(delivery) }
      outcome = .failed(failure.description)
      problem = failure.description
    }
    let verdict = RetryPolicy.verdict(
      on: outcome, attempts: delivery.attempts + 1, written: delivery.written, now: now, random: time.random())
    metrics.count(verdict)
    note(verdict, of: delivery, problem: problem, now)
  }

  /// Stores the result of an attempt. The key stays closed until that is done.
  private func note(_ verdict: RetryPolicy.Decision, of delivery: WebhookTables.Delivery, problem: String?, _ now: Date) {
    let work: @Sendable (any SQLConnection) throws -> Date? = {
      try WebhookTables.note(verdict, of: delivery, problem: problem, at: now, $0)
    }
    store.write(work) { [weak self] result in
      self?.queue.async { [weak self] in
        guard let self else { return }
        switch result {
        case .success(let next):
          if verdict == .delivered { state.withLock { $0.arrived[delivery.lane] = delivery.body } }
          finish(delivery.lane, next: next, isStuck: verdict != .delivered)
          send()
        case .failure where !isRunning: finish(delivery.lane, next: nil)
        case .failure:
          metrics.storeFailures.add(1, ordering: .relaxed)
          time.wake(time.now().addingTimeInterval(Self.storePause)) { [weak self] in
            self?.queue.async { [weak self] in self?.note(verdict, of: delivery, problem: problem, now) }
          }
        }
      }
    }
  }

  private func release(_ delivery: WebhookTables.Delivery) {
    let work: @Sendable (any SQLConnection) throws -> Void = { try WebhookTables.release(delivery, $0) }
    store.write(work) { [weak self] _ in
      self?.queue.async { [weak self] in self?.finish(delivery.lane, next: nil) }
    }
  }

  /// - Parameters:
  ///   - lane: the key, without a delivery in flight.
  ///   - next: when its first delivery is due; `nil`: it has none.
  ///   - isStuck: whether its first delivery could not be sent.
  private func finish(_ lane: OrderingKey, next: Date?, isStuck: Bool = false) {
    let arrived = state.withLock { state in
      state.lanes.finished(lane, next: next)
      return next == nil || isStuck ? state.arrived.removeValue(forKey: lane) : nil
    }
    if next == nil || isStuck { settled(lane, arrived.flatMap(WebhookFormat.time(ofEvent:))) }
    setAlarm()
  }

  /// Sets the timer for the next due key. An early or repeated call has no effect.
  private func setAlarm() {
    let now = time.now()
    let due = state.withLock { state -> Date? in
      guard state.phase == .running, let due = state.lanes.nextDue(after: now) else { return nil }
      if let alarm = state.alarm, alarm > now, alarm <= due { return nil }
      state.alarm = due
      return due
    }
    guard let due else { return }
    time.wake(due) { [weak self] in self?.queue.async { [weak self] in self?.send() } }
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
      "godwit_webhook_deliveries_total", .counter, "Deliveries that ended: acknowledged, or given up.",
      [.init(["result": "delivered"], delivered), .init(["result": "failed"], dead.load(ordering: .relaxed))])
    metrics.counter(
      "godwit_webhook_store_errors_total", "Times that the store failed to answer the sender of webhooks.",
      storeFailures.load(ordering: .relaxed))
    metrics.add(
      "godwit_webhook_deliveries", .gauge, "Deliveries in the store: still tried, or given up and not discarded.",
      [.init(["state": "pending"], pending), .init(["state": "failed"], failed)])
  }

  fileprivate func count(_ verdict: RetryPolicy.Decision) {
    switch verdict {
    case .delivered: sent.add(1, ordering: .relaxed)
    case .again: failed.add(1, ordering: .relaxed)
    case .dead, .gone:
      failed.add(1, ordering: .relaxed)
      dead.add(1, ordering: .relaxed)
    }
  }
}
