package import GodwitStore

/// Schedules the first pending delivery of each ordering key, in groups: each group is one request to one webhook. It uses
/// neither the network nor the store.
///
/// The keys are in memory; the deliveries are in the store. All times are times of the clock's `uptime`, so that a change of
/// the date does not delay a delivery.
package struct DeliveryQueue {
  /// Keys of one webhook whose deliveries are sent in one request. No key is in two groups in flight, so that the events of
  /// a device stay in order.
  package struct Group: Sendable, Equatable {
    package var webhook: Int64
    /// At least one.
    package var keys: [OrderingKey]
    /// Maximum deliveries of the request, ≥ the number of keys.
    package var limit: Int
  }

  /// Maximum concurrent requests, in total and to one webhook. The second limit leaves capacity for others if a webhook is
  /// slow.
  package static let maximumConcurrent = 8
  static let maximumConcurrentPerHost = 4

  /// The due time of each key's first delivery. This is authoritative: `later` and `ready` may contain outdated entries,
  /// which are skipped.
  private var waiting: [OrderingKey: Duration] = [:]
  /// Keys that are not yet due.
  private var later = DueKeys()
  /// Keys that are due, by webhook, in the order in which they became due.
  private var ready: [Int64: ReadyKeys] = [:]
  /// Keys in flight.
  private var sending: Set<OrderingKey> = []
  /// Requests in flight, in total and by webhook.
  private var requests = 0
  private var requestsTo: [Int64: Int] = [:]
  /// Keys that received a new delivery while they were in flight, with its due time.
  private var noted: [OrderingKey: Duration] = [:]
  /// Maximum deliveries of a request, by webhook. Webhooks with a maximum of 1 are absent.
  private var batches: [Int64: Int] = [:]
  /// Maximum deliveries of a request with a key, after a larger request was rejected.
  private var limits: [OrderingKey: Int] = [:]

  package init() {}

  /// Number of requests in flight.
  package var busy: Int { requests }
  package var isEmpty: Bool { waiting.isEmpty && sending.isEmpty }

  /// Sets the maximum deliveries of a request by webhook; others have 1.
  package mutating func set(batches: [Int64: Int]) { self.batches = batches }

  /// Adds a delivery of a key. If the key is already scheduled, its due time does not change.
  package mutating func add(_ key: OrderingKey, due: Duration) {
    if sending.contains(key) {
      noted[key] = due
    } else if waiting[key] == nil {
      wait(key, until: due)
    }
  }

  /// Maximum time by which the due time of the same delivery may differ when it is computed again from the store.
  private static let tolerance = Duration.milliseconds(500)

  /// Sets the due time of a key from the store. Has no effect while the key is in flight.
  package mutating func reset(_ key: OrderingKey, due: Duration) {
    guard !sending.contains(key) else { return }
    if let known = waiting[key], max(known, due) - min(known, due) < Self.tolerance { return }
    wait(key, until: due)
  }

  private mutating func wait(_ key: OrderingKey, until due: Duration) {
    waiting[key] = due
    later.insert(DueKey(due: due, key: key))
  }

  /// Moves the keys that have become due from `later` to `ready`.
  private mutating func advance(to now: Duration) {
    while let first = later.first, first.due <= now || waiting[first.key] != first.due {
      later.removeFirst()
      if waiting[first.key] == first.due { ready[first.key.webhook, default: ReadyKeys()].append(first) }
    }
  }

  /// Pops the keys whose first delivery is due, those due for the longest time first. The caller must call
  /// ``finished(_:next:)`` for each key, and then ``finished(_:)`` for each group.
  package mutating func take(at now: Duration) -> [Group] {
    advance(to: now)
    var groups: [Group] = []
    while requests < Self.maximumConcurrent, let webhook = nextWebhook() {
      guard let group = popGroup(of: webhook) else { continue }
      requests += 1
      requestsTo[webhook, default: 0] += 1
      groups.append(group)
    }
    return groups
  }

  /// The webhook that may get another request, and whose first key has been due for the longest time.
  private func nextWebhook() -> Int64? {
    var next: DueKey?
    for (webhook, keys) in ready where requestsTo[webhook, default: 0] < Self.maximumConcurrentPerHost {
      guard let first = keys.first else { continue }
      next = next.map { min($0, first) } ?? first
    }
    return next?.key.webhook
  }

  /// Pops the keys of one request; `nil` if no key of the webhook is due.
  private mutating func popGroup(of webhook: Int64) -> Group? {
    guard var keys = ready.removeValue(forKey: webhook) else { return nil }
    var group = Group(webhook: webhook, keys: [], limit: batches[webhook] ?? 1)
    while let first = keys.first {
      guard waiting[first.key] == first.due else {
        keys.removeFirst()
        continue
      }
      let limit = min(group.limit, limits[first.key] ?? group.limit)
      // A key with a smaller limit starts the next request.
      guard group.keys.count < limit else { break }
      keys.removeFirst()
      group.limit = limit
      group.keys.append(first.key)
      waiting[first.key] = nil
      sending.insert(first.key)
    }
    if keys.first != nil { ready[webhook] = keys }
    return group.keys.isEmpty ? nil : group
  }

  /// Marks the deliveries of a key as finished; the result is in the store.
  /// - Parameters:
  ///   - key: the key.
  ///   - next: when the key's next delivery is due; `nil`: there is none.
  package mutating func finished(_ key: OrderingKey, next: Duration?) {
    guard sending.remove(key) != nil else { return }
    let added = noted.removeValue(forKey: key)
    if let due = next ?? added { wait(key, until: due) }
  }

  /// Marks the request of a group as finished.
  package mutating func finished(_ group: Group) {
    guard let count = requestsTo[group.webhook] else { return }
    requests -= 1
    requestsTo[group.webhook] = count > 1 ? count - 1 : nil
  }

  /// Sets the maximum deliveries of requests with a key, after a request was rejected; `nil`: the webhook's maximum
  /// applies.
  package mutating func limit(_ key: OrderingKey, to count: Int?) { limits[key] = count }

  /// The next due time of a key after `now`.
  package mutating func nextDue(after now: Duration) -> Duration? {
    advance(to: now)
    return later.first?.due
  }
}

/// A key and when its first delivery is due.
private struct DueKey: Comparable {
  var due: Duration
  var key: OrderingKey

  static func < (a: DueKey, b: DueKey) -> Bool {
    (a.due, a.key.webhook, a.key.device) < (b.due, b.key.webhook, b.key.device)
  }
}

/// A binary heap whose first element is the smallest.
private struct DueKeys {
  private var entries: [DueKey] = []

  var first: DueKey? { entries.first }

  mutating func insert(_ entry: DueKey) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child] < entries[(child - 1) / 2] {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard entries.count > 1 else { return entries.removeAll() }
    entries[0] = entries.removeLast()
    var parent = 0
    while 2 * parent + 1 < entries.count {
      let (left, right) = (2 * parent + 1, 2 * parent + 2)
      let child = right < entries.count && entries[right] < entries[left] ? right : left
      guard entries[child] < entries[parent] else { return }
      entries.swapAt(child, parent)
      parent = child
    }
  }
}

/// A queue of keys that are due.
private struct ReadyKeys {
  private var entries: [DueKey] = []
  private var head = 0

  var first: DueKey? { head < entries.count ? entries[head] : nil }

  mutating func append(_ entry: DueKey) { entries.append(entry) }

  mutating func removeFirst() {
    head += 1
    // Amortized constant time: each entry is moved at most once on average.
    if head > 64, head * 2 > entries.count {
      entries.removeFirst(head)
      head = 0
    }
  }
}
