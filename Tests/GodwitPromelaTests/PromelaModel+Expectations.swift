import Testing

/// A trace that was altered, so that the model must not follow it to its end.
struct AlteredTrace: Sendable {
  /// The seed of the trace and what was altered.
  var name: String
  /// The index of the altered event. The model follows the events before it.
  var index: Int
  var trace: ModelTrace
}

extension PromelaModel {
  /// Expects that the model follows each trace to its end.
  /// - Parameters:
  ///   - traces: the traces, by seed.
  ///   - events: the kinds of events that must occur in the traces.
  func expectFollows(_ traces: [ModelTrace], _ settings: [String], events: ClosedRange<Int>) throws {
    let result = try replay(traces, settings)
    #expect(result.errors == 0, "\(result.output)")
    for (seed, trace) in traces.enumerated() {
      #expect(result.followed[seed] == trace.events.count, "seed \(seed): \(Self.place(trace, result.followed[seed]))")
    }
    for event in events {
      #expect(traces.contains { $0.events.contains { $0[0] == event } }, "no trace has event \(event)")
    }
  }

  /// Expects that the model follows each trace at least up to its altered event, and not to its end.
  func expectRejects(_ altered: [AlteredTrace], _ settings: [String]) throws {
    let result = try replay(altered.map(\.trace), settings)
    for (number, one) in altered.enumerated() {
      #expect(result.followed[number] < one.trace.events.count, "\(one.name) is accepted")
      #expect(result.followed[number] >= one.index, "\(one.name): \(Self.place(one.trace, result.followed[number]))")
    }
  }

  private static func place(_ trace: ModelTrace, _ followed: Int) -> String {
    "the model does not follow event \(followed): \(trace.events[max(0, followed - 6)...].prefix(9))"
  }
}
