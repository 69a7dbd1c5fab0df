package import Foundation

/// The ordering key of deliveries. Deliveries of one webhook about one device are sequential, so that an exit never arrives before
/// its entry.
package struct OrderingKey: Sendable, Hashable {
  package var webhook: Int64
  package var device: Int64

  package init(webhook: Int64, device: Int64) {
    self.webhook = webhook
    self.device = device
  }
}

/// Writes events and their deliveries in the transaction of the reported change (a transactional outbox).
package protocol EventOutbox: Sendable {
  /// Adds an event, and a delivery for each webhook that subscribes to it. If the event already exists, nothing is added.
  /// - Parameters:
  ///   - event: the event.
  ///   - now: the time.
  ///   - db: in a transaction.
  /// - Returns: the keys with a new delivery, for ``deliver(_:)`` after the commit.
  func add(_ event: ServerEvent, at now: Date, _ db: any SQLConnection) throws -> [OrderingKey]

  /// Sends the new deliveries of these keys. Call it after the commit.
  func deliver(_ keys: [OrderingKey])
}
