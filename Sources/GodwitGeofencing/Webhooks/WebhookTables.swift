package import Foundation
internal import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// The tables `webhooks` and `letters`, with all statements except those of the hot path.
package enum WebhookTables {
  // MARK: Webhooks

  package static func all(_ db: any SQLConnection) throws -> [Webhook] {
    try db.all("SELECT \(columns) FROM webhooks ORDER BY id", body: Webhook.init).compactMap { $0 }
  }

  package static func webhook(_ id: Int64, _ db: any SQLConnection) throws -> Webhook? {
    try db.first("SELECT \(columns) FROM webhooks WHERE id = ?", id, body: Webhook.init) ?? nil
  }

  private static let columns = "id, options, secret, enabled, disabled_reason, created"

  /// Creates a webhook. - Returns: the webhook with its number.
  package static func add(_ options: WebhookOptions, secret: String, isEnabled: Bool, at now: Date, _ db: any SQLConnection)
    throws
    -> Webhook
  {
    let id = try db.integer(
      "INSERT INTO webhooks (options, secret, enabled, created) VALUES (?, ?, ?, ?) RETURNING id", try json(options), secret,
      isEnabled, now.millisecondsSince1970)
    guard let id else { throw StoreError.missingRow(table: "webhooks") }
    return Webhook(id: id, options: options, secret: secret, isEnabled: isEnabled, created: now)
  }

  /// Updates a webhook. Turning it on clears the reason why it was off.
  package static func change(_ webhook: Webhook, _ db: any SQLConnection) throws {
    try db.run(
      "UPDATE webhooks SET options = ?, secret = ?, enabled = ?, disabled_reason = ? WHERE id = ?", try json(webhook.options),
      webhook.secret,
      webhook.isEnabled, webhook.isEnabled ? nil : webhook.note, webhook.id)
  }

  /// Removes a webhook with its deliveries. - Returns: whether it existed.
  package static func remove(_ id: Int64, _ db: any SQLConnection) throws -> Bool {
    try db.run("DELETE FROM webhooks WHERE id = ?", id) > 0
  }

  private static func json(_ options: WebhookOptions) throws -> String {
    String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
  }

  // MARK: Deliveries

  /// A delivery with everything that is needed to send it.
  package struct Delivery: Sendable {
    package var id: Int64
    package var key: OrderingKey
    /// The end of the lease, in milliseconds since 1970. Another value in the store means that another server has the
    /// lease.
    package var leased: Int64
    package var attempts: Int
    package var written: Date
    package var url: String
    package var format = WebhookFormat.godwit
    package var secret: String
    /// The event's identifier.
    package var event: String
    package var body: String
  }

  /// The first delivery of each key with its due time, except those of webhooks that are off.
  package static func pendingKeys(_ db: any SQLConnection) throws -> [(key: OrderingKey, due: Date)] {
    try db.all(
      """
      SELECT webhook, device, next_attempt FROM webhook_deliveries WHERE id IN (
        SELECT min(id) FROM webhook_deliveries WHERE failed IS NULL AND webhook IN (SELECT id FROM webhooks WHERE enabled = 1)
        GROUP BY webhook, device)
      """
    ) { row in
      try (OrderingKey(webhook: row.integer("webhook"), device: row.integer("device")), row.time("next_attempt"))
    }
  }

  /// The result of claiming a key's first delivery.
  enum Claim: Sendable {
    case ours(Delivery)
    /// It is due then, or another server has the lease until then.
    case later(Date)
    /// There is no delivery, or its webhook is off.
    case nothing
  }

  /// Leases the first delivery of a key for one server.
  /// - Parameters:
  ///   - key: the key.
  ///   - now: the time.
  ///   - lease: seconds of the lease; after that another server may claim it.
  ///   - db: the database.
  static func claim(
    _ key: OrderingKey, at now: Date, for lease: TimeInterval, _ db: any SQLConnection
  ) throws -> Claim {
    guard let (found, due) = try first(of: key, db) else { return .nothing }
    let time = now.millisecondsSince1970
    guard due <= time else { return .later(Date(millisecondsSince1970: due)) }
    let soon = now.addingTimeInterval(1)
    guard found.leased <= time else { return .later(soon) }
    var delivery = found
    delivery.leased = now.addingTimeInterval(lease).millisecondsSince1970
    let isOurs =
      try db.run(
        "UPDATE webhook_deliveries SET leased_until = ?1 WHERE id = ?2 AND leased_until = ?3", delivery.leased, delivery.id,
        found.leased) > 0
    return isOurs ? .ours(delivery) : .later(soon)
  }

  /// Releases the lease of a delivery that was not sent.
  package static func release(_ delivery: Delivery, _ db: any SQLConnection) throws {
    try db.run(
      "UPDATE webhook_deliveries SET leased_until = 0 WHERE id = ? AND leased_until = ?", delivery.id, delivery.leased)
  }

  /// Releases all leases, after the server that had them ended.
  static func releaseAll(_ db: any SQLConnection) throws {
    try db.run("UPDATE webhook_deliveries SET leased_until = 0 WHERE leased_until > 0")
  }

  /// The first delivery of a key and its due time; `nil` if there is none, or its webhook is off.
  private static func first(of key: OrderingKey, _ db: any SQLConnection) throws -> (delivery: Delivery, due: Int64)? {
    try db.first(
      """
      SELECT webhook_deliveries.id, attempts, queued, options, secret, region_events.name, body, leased_until, next_attempt
      FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook JOIN region_events ON region_events.id = webhook_deliveries.event
      WHERE webhook_deliveries.webhook = ? AND webhook_deliveries.device = ? AND failed IS NULL AND enabled = 1 ORDER BY webhook_deliveries.id LIMIT 1
      """, key.webhook, key.device
    ) { row in
      let options = try JSONDecoder().decode(WebhookOptions.self, from: Data(row.text("options").utf8))
      let delivery = try Delivery(
        id: row.integer("id"), key: key, leased: row.integer("leased_until"), attempts: Int(row.integer("attempts")),
        written: row.time("queued"), url: options.url, format: options.format ?? .godwit, secret: row.text("secret"),
        event: row.text("name"), body: row.text("body"))
      return (delivery, try row.integer("next_attempt"))
    }
  }

  /// Stores the result of an attempt. If another server has the lease since, only a success is stored.
  /// - Returns: when the key's next delivery is due; `nil`: there is none.
  static func record(
    _ decision: RetryPolicy.Decision, of delivery: Delivery, problem: String?, at now: Date, _ db: any SQLConnection
  ) throws -> Date? {
    let time = now.millisecondsSince1970
    switch decision {
    case .delivered:
      try db.run("DELETE FROM webhook_deliveries WHERE id = ?", delivery.id)
      try db.run("UPDATE webhooks SET last_delivery = ? WHERE id = ?", time, delivery.key.webhook)
    case .again(let due):
      try db.run(
        "UPDATE webhook_deliveries SET attempts = ?, next_attempt = ?, last_error = ?, leased_until = 0 WHERE id = ? AND leased_until = ?",
        delivery.attempts + 1,
        due.millisecondsSince1970, problem, delivery.id, delivery.leased)
    case .dead, .gone:
      try db.run(
        "UPDATE webhook_deliveries SET attempts = ?, failed = ?, last_error = ?, leased_until = 0 WHERE id = ? AND leased_until = ?",
        delivery.attempts + 1,
        time, problem, delivery.id, delivery.leased)
    }
    if decision == .gone {
      try db.run(
        "UPDATE webhooks SET enabled = 0, disabled_reason = ? WHERE id = ?",
        "The address responded 410 Gone. Disabled \(RFC3339.string(now)).", delivery.key.webhook)
    }
    let due = try db.integer(
      """
      SELECT next_attempt FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_deliveries.webhook
      WHERE webhook_deliveries.webhook = ? AND webhook_deliveries.device = ? AND failed IS NULL AND enabled = 1 ORDER BY webhook_deliveries.id LIMIT 1
      """, delivery.key.webhook, delivery.key.device)
    return due.map { Date(millisecondsSince1970: $0) }
  }

  /// Makes a failed or pending delivery due at once, and resets its attempts.
  /// - Returns: whether the delivery exists.
  package static func retry(_ id: Int64, at now: Date, _ db: any SQLConnection) throws -> Bool {
    try db.run(
      "UPDATE webhook_deliveries SET failed = NULL, attempts = 0, queued = ?, next_attempt = ? WHERE id = ?",
      now.millisecondsSince1970,
      now.millisecondsSince1970, id) > 0
  }

  /// Whether a delivery failed; `nil`: it does not exist.
  package static func isDead(delivery id: Int64, _ db: any SQLConnection) throws -> Bool? {
    try db.first("SELECT failed FROM webhook_deliveries WHERE id = ?", id) { try !$0.isNull("failed") }
  }

  package static func discardDelivery(_ id: Int64, _ db: any SQLConnection) throws {
    try db.run("DELETE FROM webhook_deliveries WHERE id = ?", id)
  }

  /// Numbers of pending and failed deliveries.
  package static func counts(_ db: any SQLConnection) throws -> (waiting: Int, dead: Int) {
    (
      Int(try db.integer("SELECT count(*) FROM webhook_deliveries WHERE failed IS NULL") ?? 0),
      Int(try db.integer("SELECT count(*) FROM webhook_deliveries WHERE failed IS NOT NULL") ?? 0)
    )
  }
}

extension Webhook {
  /// `nil` for a damaged row, which must not prevent storing events.
  fileprivate init?(_ row: any SQLRow) throws {
    let options = try row.text("options")
    guard let options = try? JSONDecoder().decode(WebhookOptions.self, from: Data(options.utf8)) else { return nil }
    self.init(
      id: try row.integer("id"), options: options, secret: try row.text("secret"), isEnabled: try row.integer("enabled") != 0,
      note: try row.optionalText("disabled_reason"), created: try row.time("created"))
  }
}
