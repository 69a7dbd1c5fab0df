/// A queue of planned events, ordered by time, then by rank, then by the order of planning. The order does not depend on
/// randomness, memory addresses or the history of the heap, so that a run can be repeated.
///
/// Adding and removing cost O(log n). A cancelled event is marked, and removed when its time comes.
public struct Schedule<Event: Sendable>: Sendable {
  /// Identifies a planned event for cancellation.
  public struct Ticket: Sendable, Hashable {
    fileprivate let number: UInt64
  }

  private struct Entry: Sendable {
    var time: SimulatedTime
    var rank: Int
    var number: UInt64
    var event: Event

    func isBefore(_ other: Entry) -> Bool {
      if time != other.time { return time < other.time }
      if rank != other.rank { return rank < other.rank }
      return number < other.number
    }
  }

  private var heap: [Entry] = []
  private var cancelled: Set<UInt64> = []
  private var planned: UInt64 = 0
  /// The current time: that of the last removed event, or the time of the last advance.
  public private(set) var time: SimulatedTime

  public init(from start: SimulatedTime) { time = start }

  /// Number of pending events.
  public var count: Int { heap.count - cancelled.count }
  public var isEmpty: Bool { count == 0 }

  /// Adds an event. An event in the past happens now.
  /// - Parameters:
  ///   - event: The event.
  ///   - time: Time of the event.
  ///   - rank: Order of events at the same time; the smallest is first.
  @discardableResult
  public mutating func plan(_ event: Event, at time: SimulatedTime, rank: Int = 0) -> Ticket {
    planned += 1
    heap.append(Entry(time: max(time, self.time), rank: rank, number: planned, event: event))
    rise(heap.count - 1)
    return Ticket(number: planned)
  }

  /// Cancels an event. The event must not have been removed from the queue.
  public mutating func cancel(_ ticket: Ticket) {
    cancelled.insert(ticket.number)
    // Limits the number of marks to half the number of events, so that memory stays bounded.
    guard cancelled.count > 64, cancelled.count * 2 > heap.count else { return }
    let kept = heap.filter { !cancelled.contains($0.number) }
    cancelled = []
    heap = []
    for entry in kept {
      heap.append(entry)
      rise(heap.count - 1)
    }
  }

  /// Returns the time of the next event; `nil` if there is none.
  public mutating func nextTime() -> SimulatedTime? {
    dropCancelled()
    return heap.first?.time
  }

  /// Removes the next event not later than `end` and advances to its time. Without such an event returns `nil` and advances to
  /// `end`.
  public mutating func next(until end: SimulatedTime) -> (time: SimulatedTime, event: Event)? {
    dropCancelled()
    guard let first = heap.first, first.time <= end else {
      time = max(time, end)
      return nil
    }
    removeFirst()
    time = first.time
    return (first.time, first.event)
  }

  /// Advances the time without regard to pending events. Never moves it back.
  public mutating func advance(to timestamp: SimulatedTime) { time = max(time, timestamp) }

  private mutating func dropCancelled() {
    while !cancelled.isEmpty, let first = heap.first, cancelled.remove(first.number) != nil { removeFirst() }
  }

  private mutating func removeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var first = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[first]) {
        first = child
      }
      if first == parent { return }
      heap.swapAt(parent, first)
      parent = first
    }
  }

  private mutating func rise(_ index: Int) {
    var child = index
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }
}
