package import Foundation
internal import GodwitModel
package import GodwitStore

/// Writes events and their deliveries in the transaction of their records. Used on the store's thread.
///
/// An existing event writes nothing, so that each webhook gets one delivery of each event.
package struct Outbox {
  private let agreed: AgreedTime
  /// The webhooks; `nil`: not yet read in this transaction.
  private var webhooks: [Webhook]?
  /// The time of this transaction; `nil`: not yet read, or the database is not shared.
  private var time: Date?

  /// - Parameter agreed: the clock for the times of deliveries.
  package init(agreed: AgreedTime = .database) { self.agreed = agreed }

  /// Discards the cached webhooks and time. Called when a transaction begins, because both may have changed.
  package mutating func invalidate() { (webhooks, time) = (nil, nil) }

  /// The time of a delivery.
  private mutating func time(_ own: Date, _ db: any SQLConnection) throws -> Int64 {
    if let time { return time.millisecondsSince1970 }
    let now = try agreed.now(own, db)
    if db.dialect.isShared { time = now }
    return now.millisecondsSince1970
  }

  /// - Parameter now: the time of this server.
  /// - Returns: the keys that have a new delivery; `nil`: the event exists already.
  package mutating func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey]? {
    let number = try db.integer(
      "INSERT INTO region_events (device, region, name, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
      event.device.id, event.region, event.name, event.body)
    guard let number else { return nil }
    let known = try webhooks ?? WebhookTables.all(db)
    webhooks = known
    var keys: [OrderingKey] = []
    for webhook in known where webhook.wants(event) {
      let time = try time(now, db)
      try db.run(
        "INSERT INTO webhook_deliveries (event, webhook, device, queued, next_attempt) VALUES (?, ?, ?, ?, ?)", number,
        webhook.id,
        event.device.id, time, time)
      keys.append(OrderingKey(webhook: webhook.id, device: event.device.id))
    }
    return keys
  }
}

/// The outbox of a program other than the server. A running server finds the new deliveries within half a minute.
package struct StoredOutbox: EventOutbox {
  private let agreed: AgreedTime

  /// - Parameter agreed: the clock for the times of deliveries.
  package init(agreed: AgreedTime = .database) { self.agreed = agreed }

  package func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey] {
    var outbox = Outbox(agreed: agreed)
    return try outbox.add(event, at: now, db) ?? []
  }

  package func deliver(_ keys: [OrderingKey]) {}
}

extension WebhookSender: EventOutbox {
  package func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey] {
    try StoredOutbox(agreed: agreed).add(event, at: now, db)
  }
}
