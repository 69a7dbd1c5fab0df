import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

@Suite("Sources of positions")
struct SourceTests {
  @Test("a replay waits until each batch is processed, and reports the times of the file", .timeLimit(.minutes(20)))
  func replay() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("GodwitFilesTests/Fixtures/korita-zbevnica.gpx").path
    let digested = Mutex(0)
    let reports = Mutex<[ReplaySource.Report]>([])
    let source = ReplaySource(path: file, pace: .unpaced { digested.withLock { $0 += 1 } }) { report in
      reports.withLock { $0.append(report) }
    }
    let reported = Mutex<[Fix]>([])
    let batches = Mutex(0)
    let isOver = Mutex(false)
    try await source.run { event in
      switch event {
      case .positions(let fixes):
        #expect(digested.withLock { $0 } == batches.withLock { $0 })
        batches.withLock { $0 += 1 }
        reported.withLock { $0 += fixes }
      case .finished: isOver.withLock { $0 = true }
      case .heading: Issue.record("a file without headings has none")
      case .unavailable(let reason): Issue.record("\(reason)")
      }
    }
    #expect(reported.withLock { $0.count } == 513 && isOver.withLock { $0 })
    #expect(batches.withLock { $0 } >= 1 && digested.withLock { $0 } == batches.withLock { $0 })
    #expect(
      reports.withLock { $0 } == [
        {
          var report = ReplaySource.Report()
          report.fixes = 513
          report.withoutTime = 358
          return report
        }()
      ])
    let middle = reported.withLock { $0[256].time }
    let rest = Mutex(0)
    try await ReplaySource(path: file, pace: .factor(1e9), after: middle).run { event in
      if case .positions(let fixes) = event { rest.withLock { $0 += fixes.count } }
    }
    #expect(rest.withLock { $0 } == 513 - 257)
  }

  @Test("a file without positions is reported as a message, and the replay ends", .timeLimit(.minutes(20)))
  func noFile() async throws {
    let events = Mutex<[PositionEvent]>([])
    try await ReplaySource(path: "/nowhere.gpx", pace: .factor(1)).run { event in events.withLock { $0.append(event) } }
    #expect(events.withLock { $0 } == [.unavailable("/nowhere.gpx: there is no such file."), .finished])
  }
}
