internal import Foundation
package import GodwitHTTP
internal import GodwitStore
package import Synchronization

/// Sends what has just been stored to the pages that show it.
///
/// Each subscriber has a queue of at most `capacity` events. A subscriber that is slower than the events
/// loses them all and gets one `resync` instead, which reports it to read the track again; the loss is counted.
package final class EventBroadcaster: Sendable {
  package init() {}

  /// Events that a subscriber may be behind.
  package static let capacity = 256

  private struct State {
    var subscriptions: [Int: Subscription] = [:]
    var next = 0
    var isOpen = true
  }
  private let state = Mutex(State())
  /// How many subscribers there are: a quick look that costs the store's thread nothing.
  package let subscribers = Atomic<Int>(0)
  package let dropped = Atomic<Int>(0)
  private let isReviewing = Atomic<Bool>(false)

  /// Whether there is a subscriber.
  package var hasSubscribers: Bool { subscribers.load(ordering: .relaxed) > 0 }

  /// What a subscriber may receive.
  package struct Audience: Sendable, Hashable {
    /// The devices whose points are reported; `nil`: all, and what concerns every subscriber.
    package var whole: Set<Int64>?
    /// Devices of which the subscriber learns that they have moved, and not where to.
    package var movements: Set<Int64> = []
    /// The audience of a principal that may see all.
    package static let everybody = Audience(whole: nil)
  }

  /// Subscribes to one device, or to all of them.
  /// - Parameters:
  ///   - device: `nil`: all.
  ///   - audience: what the subscriber may receive.
  ///   - review: called now and then for the current access; `nil`: none any more.
  package func subscribe(
    device: Int64?, audience: Audience = .everybody, review: (@Sendable () -> Audience?)? = nil
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

  /// The event at which a page reads everything again.
  package static let resync = EventQueue.resync

  /// Sends an event to the subscribers of a device that may see it.
  /// - Parameters:
  ///   - event: as it is written.
  ///   - device: its number.
  ///   - movement: the event for subscribers that may know only that the device has moved; `nil`: nothing.
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

  /// A comment line to every subscriber, so that proxies keep the connections and broken ones are detected.
  package func keepAlive() {
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.push(EventQueue.comment) }
  }

  /// Checks the access of each subscriber again, and ends subscriptions without any access.
  package func review() {
    // One at a time: with a slow database the next one is due before the last one has ended.
    guard !isReviewing.exchange(true, ordering: .acquiring) else { return }
    defer { isReviewing.store(false, ordering: .releasing) }
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.refresh() }
  }

  /// Ends every subscription, and every one that comes later.
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

    /// What concerns every subscriber.
    fileprivate func notify(_ event: [UInt8]) {
      if audience.withLock({ $0.whole == nil }) { push(event) }
    }

    /// What concerns a device.
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
