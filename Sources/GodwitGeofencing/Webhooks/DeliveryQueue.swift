package import Foundation

/// The letters of one webhook about one device go one after the other: an exit never arrives before its entry.
package struct OrderingKey: Sendable, Hashable {
  package var webhook: Int64
  package var device: Int64
}

/// Which lane's first letter goes next. Pure: it knows neither the letters nor the network.
///
/// Lanes are kept in memory; what is in them lies in the store.
package struct DeliveryQueue {
  /// Letters on their way at once, and of those to one webhook: a slow one leaves room for others.
  package static let maximumConcurrent = 8
  static let maximumConcurrentPerHost = 4

  /// When each lane's first letter is to be sent.
  private var waiting: [OrderingKey: Date] = [:]
  private var sending: Set<OrderingKey> = []
  private var sendingTo: [Int64: Int] = [:]
  /// Lanes that got a letter while another one was on its way.
  private var noted: [OrderingKey: Date] = [:]

  /// Lanes with a letter on its way.
  package var busy: Int { sending.count }
  package var isEmpty: Bool { waiting.isEmpty && sending.isEmpty }

  /// There is a letter in the lane. One that waits for its time already goes on waiting for it.
  package mutating func add(_ lane: OrderingKey, due: Date) {
    if sending.contains(lane) {
      noted[lane] = due
    } else if waiting[lane] == nil {
      waiting[lane] = due
    }
  }

  /// The lane is as the store says, whatever was known of it.
  package mutating func reset(_ lane: OrderingKey, due: Date) {
    guard !sending.contains(lane) else { return }
    waiting[lane] = due
  }

  /// Takes the lanes whose first letter is to be sent now, the longest due first; the caller says ``finished(_:next:)`` of each.
  package mutating func take(at now: Date) -> [OrderingKey] {
    var taken: [OrderingKey] = []
    // Once through all of them for each letter that goes: there are few that may, and sorting would cost more.
    while sending.count < Self.maximumConcurrent,
      let lane = waiting.lazy.filter({ [sendingTo] in
        $0.value <= now && sendingTo[$0.key.webhook, default: 0] < Self.maximumConcurrentPerHost
      }).min(by: Self.isBefore)?.key
    {
      waiting[lane] = nil
      sending.insert(lane)
      sendingTo[lane.webhook, default: 0] += 1
      taken.append(lane)
    }
    return taken
  }

  /// The letter of a lane is no longer on its way, and what became of it is in the store.
  /// - Parameters:
  ///   - lane: which.
  ///   - next: when the first letter that was in the lane is to be sent; `nil`: there was none.
  package mutating func finished(_ lane: OrderingKey, next: Date?) {
    guard sending.remove(lane) != nil else { return }
    if let count = sendingTo[lane.webhook] { sendingTo[lane.webhook] = count > 1 ? count - 1 : nil }
    let added = noted.removeValue(forKey: lane)
    waiting[lane] = next ?? added
  }

  /// When the next lane becomes due, among those that are not yet.
  func nextDue(after now: Date) -> Date? { waiting.values.filter { $0 > now }.min() }

  private static func isBefore(_ a: (key: OrderingKey, value: Date), _ b: (key: OrderingKey, value: Date)) -> Bool {
    if a.value != b.value { return a.value < b.value }
    return (a.key.webhook, a.key.device) < (b.key.webhook, b.key.device)
  }
}
