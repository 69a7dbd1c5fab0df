package import Foundation
internal import GodwitModel
package import GodwitStore

/// Writes events and the letters about them, in the transaction that stores what they come from. Belongs to the store's thread.
///
/// An event that is there already writes nothing: so each webhook has one letter of each event, ever.
package struct Outbox {
  /// The webhooks; `nil`: not read yet in this transaction.
  private var webhooks: [Webhook]?

  package init() {}

  /// Another transaction begins: the webhooks may have changed.
  package mutating func forget() { webhooks = nil }

  /// - Returns: the lanes that have a new letter; `nil`: the event was there already.
  package mutating func add(_ event: GeofenceEvent, at now: Date, in database: any SQLConnection) throws -> [OrderingKey]? {
    let number = try database.integer(
      "INSERT INTO region_events (device, region, name, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
      event.device.id, event.region, event.name, event.body)
    guard let number else { return nil }
    let known = try webhooks ?? WebhookTables.all(database)
    webhooks = known
    let time = now.millisecondsSince1970
    var lanes: [OrderingKey] = []
    for webhook in known where webhook.wants(event) {
      try database.run(
        "INSERT INTO letters (event, webhook, device, written, due) VALUES (?, ?, ?, ?, ?)", number, webhook.id,
        event.device.id, time, time)
      lanes.append(OrderingKey(webhook: webhook.id, device: event.device.id))
    }
    return lanes
  }
}
