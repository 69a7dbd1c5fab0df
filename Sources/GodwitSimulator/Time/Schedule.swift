/// What is still to happen, in the order in which it will: by time, then by rank, then as it was planned. The order never
/// depends on chance, on addresses or on the history of the heap, so that a run can be repeated.
///
/// Planning and taking cost O(log n); cancelling is a mark that is cleared when its time comes.
public struct Schedule<Event: Sendable>: Sendable {
  /// Names one planned event, to cancel it.
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
  /// The time of the last event taken, or that time passed to otherwise.
  public private(set) var time: SimulatedTime

  public init(from start: SimulatedTime) { time = start }

  /// Events that wait.
  public var count: Int { heap.count - cancelled.count }
  public var isEmpty: Bool { count == 0 }

  /// Plans an event. One for the past happens now: the world has no past to change.
  /// - Parameters:
  ///   - event: what happens.
  ///   - time: when.
  ///   - rank: the order of events at the same time; the smallest is first.
  @discardableResult
  public mutating func plan(_ event: Event, at time: SimulatedTime, rank: Int = 0) -> Ticket {
    planned += 1
    heap.append(Entry(time: max(time, self.time), rank: rank, number: planned, event: event))
    rise(heap.count - 1)
    return Ticket(number: planned)
  }

  /// Takes an event back. The ticket must be of an event that has not been taken.
  public mutating func cancel(_ ticket: Ticket) {
    cancelled.insert(ticket.number)
    // Never more marks than events, or a world that plans and cancels for years would only grow.
    guard cancelled.count > 64, cancelled.count * 2 > heap.count else { return }
    let kept = heap.filter { !cancelled.contains($0.number) }
    cancelled = []
    heap = []
    for entry in kept {
      heap.append(entry)
      rise(heap.count - 1)
    }
  }

  /// When the next event happens; nil if there is none.
  public mutating func nextTime() -> SimulatedTime? {
    dropCancelled()
    return heap.first?.time
  }

  /// Takes the next event not later than `end`, and time passes to it. Nil when there is none: then time passes to `end`.
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

  /// Time passes, without a look at what waits; never back.
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
