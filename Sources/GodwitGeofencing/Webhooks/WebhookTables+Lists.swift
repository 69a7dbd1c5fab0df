package import Foundation
internal import GodwitModel
package import GodwitStore

extension WebhookTables {
  /// What has become of the deliveries of a webhook.
  package struct Progress: Sendable {
    /// The last success.
    package var delivered: Date?
    package var pending = 0
    package var failed = 0

    package init(delivered: Date? = nil, pending: Int = 0, failed: Int = 0) {
      self.delivered = delivered
      self.pending = pending
      self.failed = failed
    }
  }

  /// The progress of all webhooks, by their ids.
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

  /// A delivery that has not arrived, as a list shows it.
  package struct ListedDelivery: Sendable {
    package var id: Int64
    package var webhook: Int64
    package var created: Date
    package var nextAttempt: Date
    package var attempts: Int
    /// When it was given up.
    package var failed: Date?
    package var problem: String?
    /// The event as JSON.
    package var event: String
  }

  /// Pending and failed deliveries, the newest first.
  /// - Parameters:
  ///   - before: only those with a lower id.
  ///   - areFailed: only failed ones, or only pending ones; `nil`: all.
  ///   - webhook: only those of a webhook; `nil`: of all.
  ///   - limit: as many at most.
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
