internal import GodwitEngine
internal import GodwitLocks
internal import GodwitModel

/// The queue of events for the tracker. It may be used from any thread and never blocks.
///
/// It is bounded, so that a blocked disk cannot exhaust the memory. Waiting fixes are merged into one event, which is
/// committed at once, up to ``maximumFixes``. Of events that report a state only the newest is stored. Rejected fixes
/// are counted and reported to the tracker. Commands and awaited events are always accepted: users, timers and uploads
/// limit their number.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case event(Event)
    /// Region events wait to be fetched.
    case regionEvents
    /// Finished when everything before it has been handled.
    case barrier(AsyncStream<Void>.Continuation)
  }

  /// Maximum waiting fixes: more than a day of them at 1 Hz.
  static let maximumFixes = 100_000
  /// Maximum waiting items; beyond it a new event is merged into an older one even if other events lie between them.
  static let maximumItems = 1000

  fileprivate struct State {
    var items: [Item] = []
    var fixes = 0
    /// The number of rejected fixes.
    var overflowed = 0
    /// The tracker has ended: nothing more is accepted.
    var isOver = false
  }

  private let state = Mutex(State())
  /// At most one signal is buffered: it says that there is work, not how much.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func post(_ event: Event) {
    state.withLock { state in if !state.isOver { state.add(event) } }
    signal.yield()
  }

  /// Reports that region events wait. One item is enough.
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

  /// Ends the signals: what was posted before is the last.
  func close() { signal.finish() }

  /// Accepts nothing more.
  /// - Returns: the waiting barriers.
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

  /// Removes and returns all waiting items; the last is the number of rejected fixes.
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
      // One item for each reason is enough, at any position.
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
      // Taken out of the array first, because appending would otherwise copy it.
      items[waiting] = .event(.tick)
      joined += taken
      items[waiting] = .event(.fixes(joined))
    } else {
      items.append(.event(.fixes(Array(taken))))
    }
  }

  /// The waiting event that a new one is merged into: only the last item, so that the order stays. If very many wait,
  /// the newest of its kind.
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
