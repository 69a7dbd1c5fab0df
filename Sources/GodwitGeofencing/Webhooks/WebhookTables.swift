package import Foundation
internal import GodwitModel
internal import GodwitSQLite
package import GodwitStore

/// The tables `webhooks` and `webhook_deliveries`, with all statements except those of the hot path.
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

  /// Updates a webhook. Enabling a webhook clears the reason why it was disabled.
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

  /// Returns the numbers of pending and failed deliveries.
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
