package import Foundation
internal import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// The statements that send deliveries.
extension WebhookTables {
  /// A delivery with the values that are needed to send it.
  package struct Delivery: Sendable {
    package var id: Int64
    package var key: OrderingKey
    /// The end of the lease, in milliseconds since 1970 by the database's clock. A different value in the store means that
    /// another server has leased the delivery.
    package var leased: Int64
    package var attempts: Int
    package var written: Date
    /// The event's identifier.
    package var event: String
    /// The stored JSON of the event.
    package var body: String
  }

  /// Returns the seconds until a delivery is due; negative if it is overdue. A due time that was stored while the clock was
  /// ahead does not delay the delivery: the first attempt, and an attempt that is due later than the maximum pause, are due
  /// at once.
  private static func wait(_ row: any SQLRow, at now: Date) throws -> TimeInterval {
    let wait = try row.time("next_attempt").timeIntervalSince(now)
    let isFirst = try row.integer("attempts") == 0
    return isFirst || wait > RetryPolicy.backoff.maximum ? min(wait, 0) : wait
  }

  /// Returns each key with the seconds until its first delivery is due, except the keys of disabled webhooks.
  package static func pendingKeys(at now: Date, _ db: any SQLConnection) throws -> [(key: OrderingKey, wait: TimeInterval)] {
    try db.all(
      """
      SELECT webhook, device, attempts, next_attempt FROM webhook_deliveries WHERE id IN (
        SELECT min(id) FROM webhook_deliveries WHERE failed IS NULL AND webhook IN (SELECT id FROM webhooks WHERE enabled = 1)
        GROUP BY webhook, device)
      """
    ) { row in
      try (OrderingKey(webhook: row.integer("webhook"), device: row.integer("device")), wait(row, at: now))
    }
  }

  /// The deliveries of a request.
  struct Claim: Sendable {
    /// `nil`: the webhook is deleted or disabled.
    var webhook: Webhook?
    /// The deliveries in the order of the keys; those of a key in the order of their identifiers.
    var deliveries: [Delivery] = []
    /// The keys without a delivery that can be sent now, with the seconds until their next delivery is due; `nil`: there is
    /// none; 0: the request is full.
    var others: [(key: OrderingKey, wait: TimeInterval?)] = []
  }

  /// Claims the first deliveries of the keys of a request.
  /// - Parameters:
  ///   - group: the keys.
  ///   - now: the time.
  ///   - lease: seconds for which no other server may claim them; `nil`: there is no other server, and nothing is written.
  ///   - db: the database.
  static func claim(
    _ group: DeliveryQueue.Group, at now: Date, for lease: TimeInterval?, _ db: any SQLConnection
  ) throws -> Claim {
    guard let webhook = try webhook(group.webhook, db), webhook.isEnabled else {
      return Claim(others: group.keys.map { ($0, nil) })
    }
    var claim = Claim(webhook: webhook)
    // The webhook's maximum may be smaller than when the group was formed.
    let maximum = min(group.limit, webhook.options.batchSize)
    for (position, key) in group.keys.enumerated() {
      guard claim.deliveries.count < maximum else {
        claim.others.append((key, 0))
        continue
      }
      // At least one delivery is reserved for each of the following keys.
      let limit = max(1, maximum - claim.deliveries.count - (group.keys.count - position - 1))
      let found = try first(limit, of: key, at: now, db)
      guard !found.deliveries.isEmpty else {
        claim.others.append((key, found.wait))
        continue
      }
      guard let lease else {
        claim.deliveries += found.deliveries
        continue
      }
      let leased = try Self.lease(found.deliveries, until: now.addingTimeInterval(lease), db)
      if leased.isEmpty { claim.others.append((key, busyPause)) }
      claim.deliveries += leased
    }
    return claim
  }

  /// Seconds until a server checks again whether a delivery that another one has leased is free.
  private static let busyPause: TimeInterval = 1

  /// Leases deliveries in their order, and stops at the first one that another server has leased in the meantime.
  private static func lease(_ deliveries: [Delivery], until end: Date, _ db: any SQLConnection) throws -> [Delivery] {
    var leased: [Delivery] = []
    for found in deliveries {
      var delivery = found
      delivery.leased = end.millisecondsSince1970
      let isOurs =
        try db.run(
          "UPDATE webhook_deliveries SET leased_until = ?1 WHERE id = ?2 AND leased_until = ?3", delivery.leased, delivery.id,
          found.leased) > 0
      guard isOurs else { break }
      leased.append(delivery)
    }
    return leased
  }

  /// Releases the leases of deliveries that were not sent.
  package static func release(_ deliveries: [Delivery], _ db: any SQLConnection) throws {
    for delivery in deliveries {
      try db.run(
        "UPDATE webhook_deliveries SET leased_until = 0 WHERE id = ? AND leased_until = ?", delivery.id, delivery.leased)
    }
  }

  /// Releases all leases, after the server that had them ended.
  static func releaseAll(_ db: any SQLConnection) throws {
    try db.run("UPDATE webhook_deliveries SET leased_until = 0 WHERE leased_until > 0")
  }

  /// Returns the first deliveries of a key that are due and not leased. If there are none, `wait` is the seconds until the
  /// first is due, or until its lease is checked again; `nil`: the key has no delivery.
  private static func first(
    _ limit: Int, of key: OrderingKey, at now: Date, _ db: any SQLConnection
  ) throws -> (deliveries: [Delivery], wait: TimeInterval?) {
    var (deliveries, next) = ([Delivery](), TimeInterval?.none)
    try db.query(
      """
      SELECT webhook_deliveries.id, attempts, queued, region_events.name, body, leased_until, next_attempt
      FROM webhook_deliveries JOIN region_events ON region_events.id = webhook_deliveries.event
      WHERE webhook_deliveries.webhook = ? AND webhook_deliveries.device = ? AND failed IS NULL
      ORDER BY webhook_deliveries.id LIMIT ?
      """, with: [key.webhook.argument, key.device.argument, limit.argument]
    ) { row in
      let (wait, leased) = (try wait(row, at: now), try row.integer("leased_until"))
      guard wait <= 0, leased <= now.millisecondsSince1970 else {
        if deliveries.isEmpty { next = wait > 0 ? wait : busyPause }
        return false
      }
      try deliveries.append(
        Delivery(
          id: row.integer("id"), key: key, leased: leased, attempts: Int(row.integer("attempts")), written: row.time("queued"),
          event: row.text("name"), body: row.text("body")))
      return true
    }
    return (deliveries, next)
  }

  /// The result of an attempt to send a delivery.
  struct AttemptResult: Sendable {
    var delivery: Delivery
    var decision: RetryPolicy.Decision
    /// The reason of a failure.
    var problem: String?
  }

  /// Stores the results of the deliveries of a request to a webhook. If another server has leased a delivery in the
  /// meantime, only a success is stored.
  /// - Returns: for each of their keys the seconds until the next delivery is due; `nil`: there is none.
  static func record(
    _ results: [AttemptResult], of webhook: Int64, at now: Date, _ db: any SQLConnection
  ) throws -> [OrderingKey: TimeInterval?] {
    let time = now.millisecondsSince1970
    for result in results { try record(result, time, db) }
    if results.contains(where: { $0.decision == .delivered }) {
      try db.run("UPDATE webhooks SET last_delivery = ? WHERE id = ?", time, webhook)
    }
    if results.contains(where: { $0.decision == .gone }) {
      try db.run(
        "UPDATE webhooks SET enabled = 0, disabled_reason = ? WHERE id = ?",
        "The address responded 410 Gone. Disabled \(RFC3339.string(now)).", webhook)
    }
    var next: [OrderingKey: TimeInterval?] = [:]
    let isEnabled = try db.integer("SELECT enabled FROM webhooks WHERE id = ?", webhook) == 1
    for key in Set(results.map(\.delivery.key)) {
      let wait =
        !isEnabled
        ? nil
        : try db.first(
          "SELECT attempts, next_attempt FROM webhook_deliveries WHERE webhook = ? AND device = ? AND failed IS NULL ORDER BY id LIMIT 1",
          key.webhook, key.device
        ) { try Self.wait($0, at: now) }
      next[key] = .some(wait)
    }
    return next
  }

  private static func record(_ result: AttemptResult, _ time: Int64, _ db: any SQLConnection) throws {
    let delivery = result.delivery
    switch result.decision {
    case .delivered: try db.run("DELETE FROM webhook_deliveries WHERE id = ?", delivery.id)
    case .again(let due):
      try db.run(
        "UPDATE webhook_deliveries SET attempts = ?, next_attempt = ?, last_error = ?, leased_until = 0 WHERE id = ? AND leased_until = ?",
        delivery.attempts + 1, due.millisecondsSince1970, result.problem, delivery.id, delivery.leased)
    case .dead, .gone:
      try db.run(
        "UPDATE webhook_deliveries SET attempts = ?, failed = ?, last_error = ?, leased_until = 0 WHERE id = ? AND leased_until = ?",
        delivery.attempts + 1, time, result.problem, delivery.id, delivery.leased)
    }
  }
}
