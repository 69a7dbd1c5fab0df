import TestParts
import Testing

@Suite("The webhook senders conform to the model", .timeLimit(.minutes(10)))
struct LeaseTraceTests {
  private static let model = PromelaModel(name: "webhooks")
  private typealias Event = LeaseScenario.Event

  private static func traces(_ seeds: Range<UInt64>, servers: Int) async throws -> [ModelTrace] {
    var traces: [ModelTrace] = []
    for seed in seeds { traces.append(try await LeaseScenario(seed: seed, servers: servers).run()) }
    return traces
  }

  @Test(
    "every trace of the code is allowed by the model: kills, pauses, late requests, failures, clocks that differ",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"), arguments: [2])
  func traces(servers: Int) async throws {
    try Self.model.expectFollows(
      try await Self.traces(0..<40, servers: servers), LeaseScenario.settings(servers: servers), events: Event.tick...Event.kill)
  }

  @Test(
    "altered traces are not allowed: claimed during a lease, removed without a response, out of order",
    .enabled(if: TestPart.spin.isRun, "\(TestPart.spin.reason)"))
  func alterations() async throws {
    var altered: [AlteredTrace] = []
    for (seed, trace) in try await Self.traces(0..<12, servers: 2).enumerated() {
      func add(_ name: String, _ index: Int?, _ change: ((inout [Int]) -> Void)?) {
        guard let index else { return }
        altered.append(AlteredTrace(name: "seed \(seed), \(name)", index: index, trace: trace.altered(at: index, change)))
      }
      let events = trace.events
      func later(_ event: Int, _ condition: ([Int]) -> Bool = { _ in true }) -> Int? {
        events.lastIndex { $0[0] == event && condition($0) }
      }
      add("claimed by the other server", later(Event.claim)) { $0[1] = 1 - $0[1] }
      add("a lease that is too long", later(Event.claim)) { $0[3] += 100 }
      add("the next delivery first", later(Event.claim) { $0[2] + 1 < LeaseScenario.deliveries }) { $0[2] += 1 }
      add("sent without a claim", later(Event.claim), nil)
      add("recorded without an arrival", later(Event.arrive), nil)
      add("delivered after a failure", later(Event.record) { $0[2] == 0 }) { $0[2] = 1 }
      add("not delivered after a success", later(Event.record) { $0[2] == 1 }) { $0[2] = 0 }
    }
    #expect(altered.count > 60)
    try Self.model.expectRejects(altered, LeaseScenario.settings(servers: 2))
  }
}
