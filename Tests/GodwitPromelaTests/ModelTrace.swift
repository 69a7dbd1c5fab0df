/// What the code did, as events of a model in Promela: each has a kind and six numbers.
struct ModelTrace: Sendable {
  private(set) var events: [[Int]] = []

  /// The model's event that ends a trace.
  let end: Int

  /// - Parameter end: the number of the model's event that ends a trace.
  init(end: Int) { self.end = end }

  mutating func add(_ kind: Int, _ numbers: Int...) {
    events.append([kind] + numbers + Array(repeating: 0, count: max(0, 6 - numbers.count)))
  }

  /// The trace with a changed event, or without it.
  /// - Parameters:
  ///   - index: of the event.
  ///   - change: changes its numbers; `nil`: the event is removed.
  func altered(at index: Int, _ change: ((inout [Int]) -> Void)?) -> ModelTrace {
    var altered = self
    if let change { change(&altered.events[index]) } else { altered.events.remove(at: index) }
    return altered
  }

  /// The trace with the event that ends it.
  var whole: [[Int]] { events + [[end, 0, 0, 0, 0, 0, 0]] }
}
