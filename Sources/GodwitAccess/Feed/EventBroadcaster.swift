internal import Foundation
package import GodwitHTTP
internal import GodwitStore
package import Synchronization

/// Sends live events of stored records to subscribers.
///
/// Each subscriber has a queue of at most `capacity` events. If the queue is full, its events are dropped and replaced by
/// one `resync` event, after which the subscriber reloads the track. Dropped events are counted.
package final class EventBroadcaster: Sendable {
  package init() {}

  /// Maximum pending events of a subscriber.
  package static let capacity = 256

  private struct State {
    var subscriptions: [Int: Subscription] = [:]
    var next = 0
    var isOpen = true
  }
  private let state = Mutex(State())
  /// Number of subscribers. Reading it takes no lock.
  package let subscribers = Atomic<Int>(0)
  package let dropped = Atomic<Int>(0)
  private let isReviewing = Atomic<Bool>(false)

  /// Whether there is a subscriber.
  package var hasSubscribers: Bool { subscribers.load(ordering: .relaxed) > 0 }

  /// The events that a subscriber may receive.
  package struct Audience: Sendable, Hashable {
    /// The devices whose points may be sent; `nil`: all devices, and events without a device.
    package var whole: Set<Int64>?
    /// Devices for which only the fact of a movement may be sent, without the position.
    package var movements: Set<Int64> = []
    /// The audience of a principal that may see all.
    package static let all = Audience(whole: nil)
  }

  /// Subscribes to one device, or to all of them.
  /// - Parameters:
  ///   - device: `nil`: all.
  ///   - audience: the events that the subscriber may receive.
  ///   - review: called periodically; returns the current access, or `nil` if there is none any more.
  package func subscribe(
    device: Int64?, audience: Audience = .all, review: (@Sendable () -> Audience?)? = nil
  ) -> Subscription {
    state.withLock { state in
      let subscription = Subscription(id: state.next, device: device, audience: audience, review: review, feed: self)
      state.next += 1
      if state.isOpen {
        state.subscriptions[subscription.id] = subscription
        subscribers.store(state.subscriptions.count, ordering: .relaxed)
      } else {
        subscription.end()
      }
      return subscription
    }
  }

  /// The devices with subscribers; `nil` among them: all.
  package var devices: Set<Int64?> { state.withLock { Set($0.subscriptions.values.map(\.device)) } }

  /// The event after which a page reloads all data.
  package static let resync = EventQueue.resync

  /// Sends an event to the subscribers of a device that may see it.
  /// - Parameters:
  ///   - event: the bytes of the event.
  ///   - device: the number of the device.
  ///   - movement: the event for subscribers that may know only that the device has moved; `nil`: none.
  package func publish(_ event: [UInt8], device: Int64, movement: [UInt8]? = nil) {
    for subscription in state.withLock({ Array($0.subscriptions.values) })
    where subscription.device == nil || subscription.device == device {
      subscription.notify(event, of: device, movement: movement)
    }
  }

  /// Sends an event to every subscriber that may see all devices.
  package func publish(_ event: [UInt8]) {
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.notify(event) }
  }

  /// Sends ``resync`` to every subscriber.
  package func resync() {
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.push(Self.resync) }
  }

  /// Sends a comment line to every subscriber, so that proxies keep the connections open and broken connections are
  /// detected.
  package func keepAlive() {
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.push(EventQueue.comment) }
  }

  /// Checks the access of each subscriber again, and ends subscriptions without any access.
  package func review() {
    // Reviews do not overlap, even if a slow database delays one beyond the next.
    guard !isReviewing.exchange(true, ordering: .acquiring) else { return }
    defer { isReviewing.store(false, ordering: .releasing) }
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.refresh() }
  }

  /// Ends all subscriptions. Later subscriptions end immediately.
  package func close() {
    let all = state.withLock { state in
      state.isOpen = false
      return Array(state.subscriptions.values)
    }
    for subscription in all { subscription.end() }
  }

  fileprivate func remove(_ id: Int) {
    state.withLock { state in
      state.subscriptions[id] = nil
      subscribers.store(state.subscriptions.count, ordering: .relaxed)
    }
  }

  /// One subscriber.
  package final class Subscription: EventSource {
    package let id: Int
    package let device: Int64?
    private let feed: EventBroadcaster
    private let queue: EventQueue
    private let audience: Mutex<Audience>
    private let review: (@Sendable () -> Audience?)?

    fileprivate init(
      id: Int, device: Int64?, audience: Audience, review: (@Sendable () -> Audience?)?, feed: EventBroadcaster
    ) {
      self.id = id
      self.device = device
      self.review = review
      self.feed = feed
      self.audience = Mutex(audience)
      queue = EventQueue(capacity: EventBroadcaster.capacity) { [weak feed] in feed?.remove(id) }
    }

    package var hasNext: Bool { queue.hasNext }
    package func next() -> NextEvents { queue.next() }
    package func onArrival(_ action: @escaping @Sendable () -> Void) { queue.onArrival(action) }
    package func cancel() { queue.cancel() }

    /// Sends an event without a device.
    fileprivate func notify(_ event: [UInt8]) {
      if audience.withLock({ $0.whole == nil }) { push(event) }
    }

    /// Sends an event of a device.
    fileprivate func notify(_ event: [UInt8], of device: Int64, movement: [UInt8]?) {
      let audience = audience.withLock { $0 }
      if audience.whole?.contains(device) ?? true {
        push(event)
      } else if let movement, audience.movements.contains(device) {
        push(movement)
      }
    }

    fileprivate func refresh() {
      guard let review else { return }
      let reviewed = review()
      audience.withLock { $0 = reviewed ?? Audience(whole: []) }
      if reviewed == nil { end() }
    }

    fileprivate func push(_ event: [UInt8]) {
      let dropped = queue.push(event)
      if dropped > 0 { feed.dropped.add(dropped, ordering: .relaxed) }
    }

    fileprivate func end() { queue.end() }
  }
}
