/// The actions of the code as events of a model in Promela. Each event has a kind and six numbers.
struct ModelTrace: Sendable {
  private(set) var events: [[Int]] = []

  /// The kind of the event that ends a trace of the model.
  let end: Int

  /// - Parameter end: the kind of the event that ends a trace of the model.
  init(end: Int) { self.end = end }

  mutating func add(_ kind: Int, _ numbers: Int...) {
    events.append([kind] + numbers + Array(repeating: 0, count: max(0, 6 - numbers.count)))
  }

  /// Returns the trace with an event changed or removed.
  /// - Parameters:
  ///   - index: the index of the event.
  ///   - change: changes the numbers of the event; `nil`: the event is removed.
  func altered(at index: Int, _ change: ((inout [Int]) -> Void)?) -> ModelTrace {
    var altered = self
    if let change { change(&altered.events[index]) } else { altered.events.remove(at: index) }
    return altered
  }

  /// The trace with the event that ends it.
  var whole: [[Int]] { events + [[end, 0, 0, 0, 0, 0, 0]] }
}
