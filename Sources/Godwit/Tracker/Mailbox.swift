internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// The queue of events for the tracker. It may be used from any thread and never blocks.
///
/// The queue is bounded, so that a blocked disk cannot exhaust the memory. Successive fixes are merged into one event, whose
/// fixes are handled together. At most ``maximumFixes`` wait; further fixes are dropped, counted and reported to the tracker.
/// Of successive events that report a state only the newest is stored. Commands and awaited events are always accepted: their
/// number is limited by the user, the timers and the uploads.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case event(Event)
    /// Region events wait to be fetched.
    case regionEvents
    /// A continuation that is finished when all items before it have been handled.
    case barrier(AsyncStream<Void>.Continuation)
  }

  /// Maximum waiting fixes: more than a day of them at 1 Hz.
  static let maximumFixes = 100_000
  /// The number of waiting items from which a new event is merged into an older one even if other events lie between them.
  static let maximumItems = 1000

  fileprivate struct State {
    var items: [Item] = []
    var fixes = 0
    /// The number of dropped fixes.
    var overflowed = 0
    /// Whether the tracker has ended. Nothing more is accepted then.
    var isOver = false
  }

  private let state = Mutex(State())
  /// At most one signal is buffered: it means that items wait, not how many.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func post(_ event: Event) {
    state.withLock { state in if !state.isOver { state.add(event) } }
    signal.yield()
  }

  /// Posts an item for region events that wait in the regions' file. One item is enough for all of them.
  func postRegionEvents() {
    state.withLock { state in
      if case .regionEvents? = state.items.last { return }
      guard !state.isOver else { return }
      state.items.append(.regionEvents)
    }
    signal.yield()
  }

  func post(_ barrier: AsyncStream<Void>.Continuation) {
    let isOver = state.withLock { state in
      if !state.isOver { state.items.append(.barrier(barrier)) }
      return state.isOver
    }
    if isOver { barrier.finish() } else { signal.yield() }
  }

  /// Ends the signals. The tracker then handles the items that were posted before.
  func close() { signal.finish() }

  /// Removes all items. Nothing more is accepted afterwards.
  /// - Returns: the barriers among the removed items.
  func end() -> [AsyncStream<Void>.Continuation] {
    let items = state.withLock { state in
      defer { state = State(isOver: true) }
      return state.items
    }
    signal.finish()
    return items.compactMap { if case .barrier(let barrier) = $0 { barrier } else { nil } }
  }

  /// Wakes the tracker even if nothing waits.
  func wake() { signal.yield() }

  /// Removes and returns all waiting items. If fixes were dropped, the last item has their number.
  func take() -> [Item] {
    state.withLock { state in
      defer { state = State() }
      return state.overflowed > 0 ? state.items + [.event(.fixesLost(state.overflowed, .lost))] : state.items
    }
  }
}

extension Mailbox.State {
  mutating func add(_ event: Event) {
    switch event {
    case .fixes(let more): add(more)
    case .fixesLost(let count, let reason):
      // One item for each reason is enough; its position does not matter.
      let waiting = items.indices.last { if case .event(.fixesLost(_, reason)) = items[$0] { true } else { false } }
      if let waiting, case .event(.fixesLost(let before, _)) = items[waiting] {
        items[waiting] = .event(.fixesLost(before + count, reason))
      } else {
        items.append(.event(event))
      }
    case .tick, .contextChanged, .authorizationChanged, .networkChanged, .locationFailed:
      if let waiting = newest(like: event) { items[waiting] = .event(event) } else { items.append(.event(event)) }
    default: items.append(.event(event))
    }
  }

  private mutating func add(_ new: [Fix]) {
    let room = max(0, Mailbox.maximumFixes - fixes)
    overflowed += max(0, new.count - room)
    guard room > 0, !new.isEmpty else { return }
    let taken = new.prefix(room)
    fixes += taken.count
    if let waiting = newest(like: .fixes([])), case .event(.fixes(var joined)) = items[waiting] {
      // The placeholder releases the array's reference to the fixes; otherwise appending would copy them.
      items[waiting] = .event(.tick)
      joined += taken
      items[waiting] = .event(.fixes(joined))
    } else {
      items.append(.event(.fixes(Array(taken))))
    }
  }

  /// Returns the index of the waiting event that a new one is merged into; `nil`: none. It is the last item, so that the order
  /// of events is preserved. If ``Mailbox/maximumItems`` wait, it is the newest event of the same kind.
  private func newest(like event: Event) -> Int? {
    let searched = items.count < Mailbox.maximumItems ? items.suffix(1) : items[...]
    return searched.indices.last { if case .event(let other) = items[$0] { isSameKind(other, event) } else { false } }
  }

  private func isSameKind(_ one: Event, _ other: Event) -> Bool {
    switch (one, other) {
    case (.fixes, .fixes), (.tick, .tick), (.contextChanged, .contextChanged),
      (.authorizationChanged, .authorizationChanged), (.networkChanged, .networkChanged),
      (.locationFailed, .locationFailed):
      true
    default: false
    }
  }
}
