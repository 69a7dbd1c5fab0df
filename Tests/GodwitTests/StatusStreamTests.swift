import GodwitEngine
import GodwitModel
import Testing

@testable import Godwit

@Suite("Status streams with many readers", .timeLimit(.minutes(20)))
struct StatusStreamTests {
  /// Returns a status that differs from all others by its number.
  private func status(_ number: Int) -> Tracker.Status {
    Tracker.Status(
      isTracking: true, authorization: .always, motion: [], endpoints: [], invalidFixes: number, thinnedFixes: 0,
      unwritten: 0, lost: 0, quarantined: 0, tripModes: [], rejectedSettings: [], heartbeat: start)
  }

  @Test("readers that end during updates do not block other readers", .timeLimit(.minutes(20)))
  func leaving() async {
    let stream = StatusStream()
    let publisher = Task {
      var number = 0
      while !Task.isCancelled {
        number += 1
        stream.publish(status(number))
        // Without this the loop would occupy a thread that other tests need.
        await Task.yield()
      }
      return number
    }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<5_000 {
            let (seen, sees) = AsyncStream<Void>.makeStream()
            let reader = Task {
              for await _ in stream.subscribe() { sees.finish() }
            }
            for await _ in seen {}
            // The reader continues to receive updates while it is cancelled.
            reader.cancel()
            await reader.value
          }
        }
      }
    }
    publisher.cancel()
    let last = await publisher.value
    #expect(await stream.subscribe().first { _ in true }?.invalidFixes == last)
  }
}
