internal import GodwitLocks

/// A cache of responses with a limited capacity. A new response replaces the least recently used one.
final class ResponseCache<Key: Hashable & Sendable, Response: Sendable>: Sendable {
  private struct Entry {
    var response: Response
    /// Uptime until which the response is valid.
    var end: Double
    var lastUse: Int
  }
  private struct State {
    var entries: [Key: Entry] = [:]
    var uses = 0
  }

  private let state = Mutex(State())
  private let capacity: Int
  private let lifetime: Double
  private let uptime: @Sendable () -> Double

  /// - Parameters:
  ///   - lifetime: Seconds in which a response is valid; 0 disables the cache.
  ///   - uptime: Seconds of a monotonic clock.
  init(capacity: Int = 256, lifetime: Double, uptime: @escaping @Sendable () -> Double) {
    self.capacity = capacity
    self.lifetime = lifetime
    self.uptime = uptime
  }

  subscript(prompt: Key) -> Response? {
    let now = uptime()
    return state.withLock { state in
      guard var entry = state.entries[prompt] else { return nil }
      guard now < entry.end else {
        state.entries[prompt] = nil
        return nil
      }
      state.uses += 1
      entry.lastUse = state.uses
      state.entries[prompt] = entry
      return entry.response
    }
  }

  func store(_ response: Response, for prompt: Key) {
    guard lifetime > 0, capacity > 0 else { return }
    let end = uptime() + lifetime
    state.withLock { state in
      if state.entries[prompt] == nil, state.entries.count >= capacity,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
      }
      state.uses += 1
      state.entries[prompt] = Entry(response: response, end: end, lastUse: state.uses)
    }
  }
}
