import TestParts
import Testing

@Suite("The journal and its delivery do what the model allows", .timeLimit(.minutes(10)))
struct DeliveryTraceTests {
  private static let model = PromelaModel(name: "delivery")
  private typealias Event = DeliveryScenario.Event

  private static func traces(_ seeds: Range<UInt64>) async throws -> [ModelTrace] {
    var traces: [ModelTrace] = []
    for seed in seeds { traces.append(try await DeliveryScenario(seed: seed).run()) }
    return traces
  }

  @Test(
    "every trace of the code is one of the model: kills, power cuts, lost, late and repeated requests, two endpoints",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func traces() async throws {
    let traces = try await Self.traces(0..<40)
    let result = try Self.model.replay(traces, DeliveryScenario.settings)
    #expect(result.errors == 0, "\(result.output)")
    for (seed, trace) in traces.enumerated() {
      #expect(result.followed[seed] == trace.events.count, "seed \(seed): \(Self.place(trace, result.followed[seed]))")
    }
    for event in Event.appended...Event.unanswered {
      #expect(traces.contains { $0.events.contains { $0[0] == event } }, "no trace has event \(event)")
    }
  }

  @Test(
    "altered traces are none of the model: acknowledged without being stored, a number used twice, a range too wide",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func alterations() async throws {
    var altered: [(name: String, index: Int, trace: ModelTrace)] = []
    for (seed, trace) in try await Self.traces(0..<12).enumerated() {
      func add(_ name: String, _ index: Int?, _ change: ((inout [Int]) -> Void)?) {
        guard let index else { return }
        altered.append(("seed \(seed), \(name)", index, trace.altered(at: index, change)))
      }
      let events = trace.events
      func later(_ event: Int, _ condition: ([Int]) -> Bool = { _ in true }) -> Int? {
        events.lastIndex { $0[0] == event && condition($0) }
      }
      // Its records are not stored at another time: the next events say that they are.
      add("not stored", later(Event.stored) { $0[4] > 0 }, nil)
      add("a number twice", later(Event.sent) { $0[2] > 1 }) {
        $0[2] -= 1
        $0[5] -= 1
      }
      add("another record", later(Event.sent)) { $0[4] <<= 1 }
      add("a range too wide", later(Event.sent)) { $0[5] += 1 }
      add("a range that was not received", later(Event.stored)) { $0[5] |= 1 << (DeliveryScenario.maximumRecords + 1) }
      add("stored once more", later(Event.stored)) { $0[4] += 1 }
      add("a cursor too far", later(Event.acknowledged)) { $0[2] += 1 }
      add("a sent record lost by a power cut", later(Event.cut) { $0[2] > 0 }) { $0[1] = $0[2] - 1 }
      add("a number lost by a kill", later(Event.killed) { $0[1] > 0 }) { $0[1] -= 1 }
    }
    #expect(altered.count > 80)
    let result = try Self.model.replay(altered.map(\.trace), DeliveryScenario.settings)
    for (number, one) in altered.enumerated() {
      #expect(result.followed[number] < one.trace.events.count, "\(one.name) is accepted")
      #expect(result.followed[number] >= one.index, "\(one.name): \(Self.place(one.trace, result.followed[number]))")
    }
  }

  private static func place(_ trace: ModelTrace, _ followed: Int) -> String {
    "the model does not follow event \(followed): \(trace.events[max(0, followed - 6)...].prefix(9))"
  }
}
