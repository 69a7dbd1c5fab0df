package import Foundation
internal import GodwitModel
package import GodwitStore

extension WebhookTables {
  /// The state of the deliveries of a webhook.
  package struct Progress: Sendable {
    /// The time of the last acknowledged delivery.
    package var delivered: Date?
    package var pending = 0
    package var failed = 0

    package init(delivered: Date? = nil, pending: Int = 0, failed: Int = 0) {
      self.delivered = delivered
      self.pending = pending
      self.failed = failed
    }
  }

  /// Returns the progress of all webhooks, by identifier.
  package static func progress(_ db: any SQLConnection) throws -> [Int64: Progress] {
    let rows = try db.all(
      """
      SELECT id, last_delivery, (SELECT count(*) FROM webhook_deliveries WHERE webhook = webhooks.id AND failed IS NULL) AS pending,
        (SELECT count(*) FROM webhook_deliveries WHERE webhook = webhooks.id AND failed IS NOT NULL) AS failed
      FROM webhooks
      """
    ) { row in
      let progress = try Progress(
        delivered: row.optionalTime("last_delivery"), pending: Int(row.integer("pending")), failed: Int(row.integer("failed")))
      return (try row.integer("id"), progress)
    }
    return Dictionary(rows) { first, _ in first }
  }

  /// A pending or failed delivery in a list.
  package struct ListedDelivery: Sendable {
    package var id: Int64
    package var webhook: Int64
    package var created: Date
    package var nextAttempt: Date
    package var attempts: Int
    /// The time at which the delivery failed; `nil`: it is pending.
    package var failed: Date?
    package var problem: String?
    /// The event as JSON.
    package var event: String
  }

  /// Returns pending and failed deliveries, newest first.
  /// - Parameters:
  ///   - before: only deliveries with a lower identifier.
  ///   - areFailed: `true`: only failed deliveries, `false`: only pending ones; `nil`: both.
  ///   - webhook: only deliveries of this webhook; `nil`: of all webhooks.
  ///   - limit: the maximum number of deliveries.
  package static func deliveries(
    before: Int64, areFailed: Bool?, webhook: Int64?, limit: Int, _ db: any SQLConnection
  ) throws -> [ListedDelivery] {
    var conditions = "webhook_deliveries.id < ?"
    var arguments: [SQLArgument] = [.integer(before)]
    if let areFailed { conditions += areFailed ? " AND failed IS NOT NULL" : " AND failed IS NULL" }
    if let webhook {
      conditions += " AND webhook_deliveries.webhook = ?"
      arguments.append(.integer(webhook))
    }
    var found: [ListedDelivery] = []
    try db.query(
      """
      SELECT webhook_deliveries.id, webhook_deliveries.webhook, queued, next_attempt, attempts, failed, last_error, body
      FROM webhook_deliveries JOIN region_events ON region_events.id = webhook_deliveries.event
      WHERE \(conditions) ORDER BY webhook_deliveries.id DESC LIMIT ?
      """, with: arguments + [limit.argument]
    ) { row in
      try found.append(
        ListedDelivery(
          id: row.integer("id"), webhook: row.integer("webhook"), created: row.time("queued"),
          nextAttempt: row.time("next_attempt"), attempts: Int(row.integer("attempts")), failed: row.optionalTime("failed"),
          problem: row.optionalText("last_error"), event: row.text("body")))
      return true
    }
    return found
  }
}
