import GodwitPlaces
import Synchronization
import Testing

@Suite("The pace of requests to places")
struct PlacesPacingTests {
  @Test("concurrent requests start one second apart")
  func together() async throws {
    let waits = Mutex<[Double]>([])
    let pacer = RequestPacer(uptime: { 100 }, sleep: { seconds in waits.withLock { $0.append(seconds) } })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<5 { group.addTask { try await pacer.turn() } }
      try await group.waitForAll()
    }
    #expect(waits.withLock { $0.sorted() } == [1, 2, 3, 4])
  }

  @Test("a request after a pause does not wait; an early one waits for the rest of the second")
  func apart() async throws {
    let time = VirtualTime()
    let pacer = time.pacer()
    try await pacer.turn()
    time.advance(5)
    try await pacer.turn()
    time.advance(0.25)
    try await pacer.turn()
    #expect(time.waits == [0.75])
    #expect(time.uptime == 6)
  }

  @Test("the next request gets the turn of a cancelled one")
  func cancelled() async throws {
    let waits = Mutex<[Double]>([])
    let pacer = RequestPacer(
      uptime: { 0 },
      sleep: { seconds in
        let number = waits.withLock { waits in
          waits.append(seconds)
          return waits.count
        }
        if number == 1 { throw CancellationError() }
      })
    try await pacer.turn()
    await #expect(throws: CancellationError.self) { try await pacer.turn() }
    try await pacer.turn()
    #expect(waits.withLock { $0 } == [1, 1])
  }

  @Test("a full queue rejects a request at once, and a rejected request does not lengthen it")
  func full() async throws {
    let pacer = RequestPacer(maximumWait: 2, uptime: { 0 }, sleep: { _ in })
    for _ in 0..<3 { try await pacer.turn() }
    for _ in 0..<2 {
      let error = await #expect(throws: RequestPacer.Busy.self) { try await pacer.turn() }
      #expect(error?.wait == 3)
    }
  }

  @Test("the process has one pacer of one request per second, and its clock does not decrease")
  func process() {
    #expect(RequestPacer.process.interval == 1)
    let first = SteadyClock.uptime()
    #expect(first >= 0 && SteadyClock.uptime() >= first)
  }
}
