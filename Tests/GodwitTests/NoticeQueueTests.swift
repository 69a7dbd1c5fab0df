import Foundation
import GodwitEngine
import Synchronization
import Testing

@testable import Godwit

@Suite("The queue of notices", .timeLimit(.minutes(20)))
struct NoticeQueueTests {
  @Test("a scheduled notice is shown also after the clock was set back", .timeLimit(.minutes(20)))
  func clockSetBack() async {
    let start = Date(timeIntervalSince1970: 1_800_000_000)
    let clock = Mutex(start)
    let sleeps = Mutex<[Double]>([])
    let queue = NoticeQueue(
      now: { clock.withLock { $0 } },
      sleep: { seconds in
        let count = sleeps.withLock { sleeps in
          sleeps.append(seconds)
          return sleeps.count
        }
        // The clock is set back by an hour during the first sleep.
        clock.withLock { $0 = count == 1 ? start - 3600 : $0 + seconds }
      })
    queue.show(Notice(kind: .trip, title: "Trip", body: "It ended."), at: start + 60)
    let (shown, show) = AsyncStream<Notice.Kind>.makeStream()
    let task = Task {
      await queue.run { step in if case .show(let notice) = step { show.yield(notice.kind) } }
    }
    var kinds = shown.makeAsyncIterator()
    #expect(await kinds.next() == .trip)
    #expect(sleeps.withLock { $0 } == [60, 3660])
    task.cancel()
    _ = await task.result
  }
}
