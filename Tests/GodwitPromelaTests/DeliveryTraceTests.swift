import TestParts
import Testing

@Suite("The journal and its delivery conform to the model", .timeLimit(.minutes(10)))
struct DeliveryTraceTests {
  private static let model = PromelaModel(name: "delivery")
  private typealias Event = DeliveryScenario.Event

  private static func traces(_ seeds: Range<UInt64>) async throws -> [ModelTrace] {
    var traces: [ModelTrace] = []
    for seed in seeds { traces.append(try await DeliveryScenario(seed: seed).run()) }
    return traces
  }

  @Test(
    "every trace of the code is allowed by the model: kills, power cuts, lost, late and repeated requests, two endpoints",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func traces() async throws {
    try Self.model.expectFollows(
      try await Self.traces(0..<40), DeliveryScenario.settings, events: Event.appended...Event.unanswered)
  }

  @Test(
    "altered traces are not allowed: acknowledged without being stored, a number used twice, a range too wide",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func alterations() async throws {
    var altered: [AlteredTrace] = []
    for (seed, trace) in try await Self.traces(0..<12).enumerated() {
      func add(_ name: String, _ index: Int?, _ change: ((inout [Int]) -> Void)?) {
        guard let index else { return }
        altered.append(AlteredTrace(name: "seed \(seed), \(name)", index: index, trace: trace.altered(at: index, change)))
      }
      let events = trace.events
      func later(_ event: Int, _ condition: ([Int]) -> Bool = { _ in true }) -> Int? {
        events.lastIndex { $0[0] == event && condition($0) }
      }
      // The records are not stored at another time, but the next events depend on them.
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
    try Self.model.expectRejects(altered, DeliveryScenario.settings)
  }
}
