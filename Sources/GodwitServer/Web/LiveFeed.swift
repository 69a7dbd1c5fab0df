internal import Foundation
internal import Synchronization

/// What has just been stored, told to everybody who is looking at it.
///
/// Each subscriber has a queue of at most `capacity` events. A subscriber that is slower than the events
/// loses them all and gets one `resync` instead, which tells it to read the track anew; the loss is counted.
package final class LiveFeed: Sendable {
  package init() {}

  /// Events that a subscriber may be behind.
  static let capacity = 256

  private struct State {
    var subscriptions: [Int: Subscription] = [:]
    var next = 0
    var isOpen = true
  }
  private let state = Mutex(State())
  /// How many subscribers there are: a quick look that costs the store's thread nothing.
  let subscribers = Atomic<Int>(0)
  let dropped = Atomic<Int>(0)

  /// Whether anybody looks.
  package var hasSubscribers: Bool { subscribers.load(ordering: .relaxed) > 0 }

  /// Subscribes to one device, or to all of them.
  package func subscribe(device: Int64?) -> Subscription {
    state.withLock { state in
      let subscription = Subscription(id: state.next, device: device, feed: self)
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

  /// The devices that somebody looks at; `nil` among them: all.
  var devices: Set<Int64?> { state.withLock { Set($0.subscriptions.values.map(\.device)) } }

  /// What tells a looker-on to read everything anew.
  static let resync = Array("event: resync\ndata: {}\n\n".utf8)

  /// Tells all who want to know of this device.
  package func publish(_ event: [UInt8], device: Int64) {
    for subscription in state.withLock({ Array($0.subscriptions.values) })
    where subscription.device == nil || subscription.device == device {
      subscription.push(event)
    }
  }

  /// Tells everybody.
  func publish(_ event: [UInt8]) {
    for subscription in state.withLock({ Array($0.subscriptions.values) }) { subscription.push(event) }
  }

  /// A comment line to everybody, so that proxies keep the connections and dead ones are noticed.
  func keepAlive() { publish(Array(": \n\n".utf8)) }

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

  /// One looker-on.
  package final class Subscription: Sendable {
    enum Next {
      case event([UInt8])
      case nothing
      case ended
    }
    private struct Queue {
      var events: [[UInt8]] = []
      var hasEnded = false
      var arrival: (@Sendable () -> Void)?
    }
    let id: Int
    let device: Int64?
    private let feed: LiveFeed
    private let queue = Mutex(Queue())

    fileprivate init(id: Int, device: Int64?, feed: LiveFeed) {
      self.id = id
      self.device = device
      self.feed = feed
      queue.withLock { $0.events = [Array("retry: 2000\n: godwit\n\n".utf8)] }
    }

    /// Called, from any thread, whenever there is something to read.
    func onArrival(_ action: @escaping @Sendable () -> Void) { queue.withLock { $0.arrival = action } }

    var hasNews: Bool { queue.withLock { !$0.events.isEmpty || $0.hasEnded } }

    /// Takes everything that waits, as one piece of text.
    func next() -> Next {
      queue.withLock { queue in
        if !queue.events.isEmpty {
          defer { queue.events.removeAll(keepingCapacity: true) }
          return .event(Array(queue.events.joined()))
        }
        return queue.hasEnded ? .ended : .nothing
      }
    }

    func cancel() { feed.remove(id) }

    fileprivate func push(_ event: [UInt8]) {
      let arrival = queue.withLock { queue in
        if queue.events.count >= LiveFeed.capacity {
          feed.dropped.add(queue.events.count, ordering: .relaxed)
          queue.events = [LiveFeed.resync]
        } else {
          queue.events.append(event)
        }
        return queue.arrival
      }
      arrival?()
    }

    fileprivate func end() {
      let arrival = queue.withLock { queue in
        queue.hasEnded = true
        return queue.arrival
      }
      arrival?()
    }
  }
}
