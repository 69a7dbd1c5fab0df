package import Foundation
package import GodwitStore

/// Schedules the first delivery of each ordering key. Pure: it has no network and no store.
///
/// The keys are in memory; the deliveries are in the store.
package struct DeliveryQueue {
  /// Maximum concurrent deliveries, in total and to one webhook. A slow webhook leaves capacity for others.
  package static let maximumConcurrent = 8
  static let maximumConcurrentPerHost = 4

  /// When each key's first delivery is due.
  private var waiting: [OrderingKey: Date] = [:]
  private var sending: Set<OrderingKey> = []
  private var sendingTo: [Int64: Int] = [:]
  /// Keys that got a delivery while another was in flight.
  private var noted: [OrderingKey: Date] = [:]

  /// Number of keys with a delivery in flight.
  package var busy: Int { sending.count }
  package var isEmpty: Bool { waiting.isEmpty && sending.isEmpty }

  /// Adds a delivery of a key. A delivery that already waits for its time stays due at that time.
  package mutating func add(_ key: OrderingKey, due: Date) {
    if sending.contains(key) {
      noted[key] = due
    } else if waiting[key] == nil {
      waiting[key] = due
    }
  }

  /// Sets the due time of a key from the store, regardless of its former state.
  package mutating func reset(_ key: OrderingKey, due: Date) {
    guard !sending.contains(key) else { return }
    waiting[key] = due
  }

  /// Pops the keys whose first delivery is due, the longest due first. The caller calls ``finished(_:next:)`` for each.
  package mutating func take(at now: Date) -> [OrderingKey] {
    var taken: [OrderingKey] = []
    // A scan for each delivery; few may be in flight, and sorting would cost more.
    while sending.count < Self.maximumConcurrent,
      let key = waiting.lazy.filter({ [sendingTo] in
        $0.value <= now && sendingTo[$0.key.webhook, default: 0] < Self.maximumConcurrentPerHost
      }).min(by: Self.isBefore)?.key
    {
      waiting[key] = nil
      sending.insert(key)
      sendingTo[key.webhook, default: 0] += 1
      taken.append(key)
    }
    return taken
  }

  /// Marks the delivery of a key as finished; its result is in the store.
  /// - Parameters:
  ///   - key: the key.
  ///   - next: when the key's next delivery is due; `nil`: there is none.
  package mutating func finished(_ key: OrderingKey, next: Date?) {
    guard sending.remove(key) != nil else { return }
    if let count = sendingTo[key.webhook] { sendingTo[key.webhook] = count > 1 ? count - 1 : nil }
    let added = noted.removeValue(forKey: key)
    waiting[key] = next ?? added
  }

  /// The next due time of a key after `now`.
  func nextDue(after now: Date) -> Date? { waiting.values.filter { $0 > now }.min() }

  private static func isBefore(_ a: (key: OrderingKey, value: Date), _ b: (key: OrderingKey, value: Date)) -> Bool {
    if a.value != b.value { return a.value < b.value }
    return (a.key.webhook, a.key.device) < (b.key.webhook, b.key.device)
  }
}
