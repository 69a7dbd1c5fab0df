internal import GodwitEngine
internal import GodwitModel
internal import Synchronization

/// Where events wait for the tracker, from any thread and without waiting.
///
/// It is bounded, because a disk that hangs must not fill the memory: fixes that come while the tracker is busy are joined
/// to one event, so that they are committed together, and there are never more than ``maximumFixes`` of them; of what only
/// tells how things are now the newest is enough. Fixes that cannot be taken are counted, and the tracker is told. What
/// somebody decided, and what somebody waits for, always has room: there is no more of it than people, timers and uploads
/// can make.
final class Mailbox: Sendable {
  enum Item: Sendable {
    case event(Event)
    /// Events of regions wait to be fetched.
    case regionEvents
    /// Finished when everything before it has been handled.
    case barrier(AsyncStream<Void>.Continuation)
  }

  /// Fixes that may wait: more than a day of them at 1 Hz.
  static let maximumFixes = 100_000
  /// Things that may wait until what is new is put to what is old, even if something else lies between them.
  static let maximumItems = 1000

  fileprivate struct State {
    var items: [Item] = []
    var fixes = 0
    /// Fixes that could not be taken.
    var overflowed = 0
  }

  private let state = Mutex(State())
  /// One signal at most waits: it says that there is something, not how much.
  let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  init() { (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  func post(_ event: Event) {
    state.withLock { $0.add(event) }
    signal.yield()
  }

  /// Events of regions wait. Once is enough.
  func postRegionEvents() {
    state.withLock { state in
      if case .regionEvents? = state.items.last { return }
      state.items.append(.regionEvents)
    }
    signal.yield()
  }

  func post(_ barrier: AsyncStream<Void>.Continuation) {
    state.withLock { $0.items.append(.barrier(barrier)) }
    signal.yield()
  }

  /// Wakes the tracker although nothing may wait.
  func wake() { signal.yield() }

  /// Takes everything that waits; last of all how many fixes could not be taken.
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
      // Of each reason one is enough, wherever it waits.
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
      // Out of the list first, or appending would copy all that is there.
      items[waiting] = .event(.tick)
      joined += taken
      items[waiting] = .event(.fixes(joined))
    } else {
      items.append(.event(.fixes(Array(taken))))
    }
  }

  /// The waiting event of the same kind that a new one is put to: only the last of all, so that the order stays; when very
  /// many wait, the newest of its kind.
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
