import GodwitSimulator
import Testing

@Suite("The schedule")
struct ScheduleTests {
  @Test("events are sorted by time, then by rank, then by insertion")
  func order() {
    var schedule = Schedule<String>(from: at(0))
    schedule.plan("late", at: at(5))
    schedule.plan("second", at: at(1), rank: 1)
    schedule.plan("third", at: at(1), rank: 1)
    schedule.plan("first", at: at(1), rank: 0)
    schedule.plan("past", at: at(-100))
    var taken: [String] = []
    while let (_, event) = schedule.next(until: at(4)) { taken.append(event) }
    #expect(taken == ["past", "first", "second", "third"])
    #expect(schedule.time == at(4) && schedule.count == 1)
    let next = schedule.nextTime()
    #expect(next == at(5))
  }

  @Test("a cancelled event does not happen")
  func cancel() {
    var schedule = Schedule<Int>(from: at(0))
    let tickets = (0..<1_000).map { schedule.plan($0, at: at(Double(($0 * 37) % 1_000))) }
    for (i, ticket) in tickets.enumerated() where i % 3 != 0 { schedule.cancel(ticket) }
    #expect(schedule.count == 334)
    var taken: [Int] = []
    while let (_, event) = schedule.next(until: at(2_000)) { taken.append(event) }
    #expect(taken == taken.sorted { ($0 * 37) % 1_000 < ($1 * 37) % 1_000 })
    #expect(Set(taken) == Set(stride(from: 0, to: 1_000, by: 3)))
    #expect(schedule.isEmpty)
  }

  @Test("the schedule equals a sorted list for random insertions, removals and cancellations", arguments: seeds)
  func model(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var schedule = Schedule<Int>(from: at(0))
    var model: [(time: SimulatedTime, rank: Int, number: Int, ticket: Schedule<Int>.Ticket)] = []
    for number in 0..<3_000 {
      switch random.next() % 4 {
      case 0, 1:
        let time = schedule.time + (random.uniform() * 20).rounded()
        let rank = Int(random.next() % 3)
        let ticket = schedule.plan(number, at: time, rank: rank)
        model.append((time, rank, number, ticket))
      case 2:
        let end = schedule.time + (random.uniform() * 3).rounded()
        let due = model.filter { $0.time <= end }.min { ($0.time, $0.rank, $0.number) < ($1.time, $1.rank, $1.number) }
        let taken = schedule.next(until: end)?.event
        #expect(taken == due?.number, "seed \(seed)")
        model.removeAll { $0.number == due?.number }
      default:
        guard !model.isEmpty else { continue }
        schedule.cancel(model.remove(at: Int(random.next() % UInt64(model.count))).ticket)
      }
      #expect(schedule.count == model.count)
    }
  }
}
