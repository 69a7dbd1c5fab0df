package import Foundation
internal import GodwitModel
package import GodwitStore

/// Writes events and their deliveries in the transaction of their records. Used on the store's thread.
///
/// An existing event writes nothing, so that each webhook gets one delivery of each event.
package struct Outbox {
  /// The webhooks; `nil`: not yet read in this transaction.
  private var webhooks: [Webhook]?

  package init() {}

  /// Discards the webhooks when another transaction begins, because they may have changed.
  package mutating func invalidate() { webhooks = nil }

  /// - Returns: the keys that have a new delivery; `nil`: the event exists already.
  package mutating func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey]? {
    let number = try db.integer(
      "INSERT INTO region_events (device, region, name, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
      event.device.id, event.region, event.name, event.body)
    guard let number else { return nil }
    let known = try webhooks ?? WebhookTables.all(db)
    webhooks = known
    let time = now.millisecondsSince1970
    var keys: [OrderingKey] = []
    for webhook in known where webhook.wants(event) {
      try db.run(
        "INSERT INTO webhook_deliveries (event, webhook, device, queued, next_attempt) VALUES (?, ?, ?, ?, ?)", number,
        webhook.id,
        event.device.id, time, time)
      keys.append(OrderingKey(webhook: webhook.id, device: event.device.id))
    }
    return keys
  }
}

/// The outbox of a program beside the server: a running server finds new deliveries within half a minute.
package struct StoredOutbox: EventOutbox {
  package init() {}

  package func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey] {
    var outbox = Outbox()
    return try outbox.add(event, at: now, db) ?? []
  }

  package func deliver(_ keys: [OrderingKey]) {}
}

extension WebhookSender: EventOutbox {
  package func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey] {
    try StoredOutbox().add(event, at: now, db)
  }
}
