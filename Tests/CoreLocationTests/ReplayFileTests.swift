import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

/// Stores the position of a replay in a file, as a tracker's journal does.
private final class Positions: ReplayPositions {
  private let state: Mutex<(count: Int, last: Coordinate?)>
  init(_ count: Int = 0, _ last: Coordinate? = nil) { state = Mutex((count, last)) }
  func replayedBefore(first: Fix, isTimed: Bool) -> (count: Int, last: Coordinate?) { state.withLock { $0 } }
  func willReport(_ fixes: [Fix], from position: Int) {
    state.withLock { $0 = (position + fixes.count, fixes.last?.coordinate) }
  }
}

@Suite("Replays of files")
struct ReplayFileTests {
  private func file(_ body: String) throws -> String {
    try RecordedDay.write("<?xml version=\"1.0\"?><gpx version=\"1.1\" creator=\"Xcode\">\(body)</gpx>", "gpx")
  }

  private func replay(_ path: String, _ positions: Positions = Positions()) async throws -> (
    fixes: [Fix], report: ReplaySource.Report?
  ) {
    let reported = Mutex<[Fix]>([])
    let report = Mutex<ReplaySource.Report?>(nil)
    let source = ReplaySource(path: path, pace: .unpaced(digested: {}), positions: positions) { new in
      report.withLock { $0 = new }
    }
    try await source.run { event in
      if case .positions(let fixes) = event { reported.withLock { $0 += fixes } }
    }
    return (reported.withLock { $0 }, report.withLock { $0 })
  }

  // Xcode's sample file has waypoints without times.
  @Test("waypoints without times, as in Xcode's sample, are replayed once a second, with no time in the future")
  func waypoints() async throws {
    let path = try file(#"<wpt lat="54.91148" lon="83.07381"/><wpt lat="54.91150" lon="83.07390"><name>B</name></wpt>"#)
    let (fixes, report) = try await replay(path)
    #expect(fixes.map(\.coordinate.latitude) == [54.91148, 54.9115] && report?.fixes == 2)
    let times = fixes.map(\.time)
    #expect(times.count == 2 && times[1].timeIntervalSince(times[0]) == 1 && times[1] <= Date())
  }

  @Test("waypoints are replayed with their times if all have one; the points of a track have priority over waypoints")
  func timed() async throws {
    let wpt =
      #"<wpt lat="1" lon="2"><time>2020-01-01T00:00:00Z</time></wpt><wpt lat="1.1" lon="2"><time>2020-01-01T00:01:00Z</time></wpt>"#
    #expect(try await replay(file(wpt)).fixes.map(\.time.timeIntervalSince1970) == [1_577_836_800, 1_577_836_860])
    let track = #"<trk><trkseg><trkpt lat="5" lon="6"><time>2020-01-01T00:00:00Z</time></trkpt></trkseg></trk>"#
    #expect(try await replay(file(wpt + track)).fixes.map(\.coordinate.latitude) == [5])
  }

  // Regression test: a file was replayed from its beginning again.
  @Test("a replay continues after any position, and a complete one reports nothing", arguments: [0, 1, 99, 256, 512, 513])
  func resumes(_ count: Int) async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let path = root.appendingPathComponent("GodwitFilesTests/Fixtures/korita-zbevnica.gpx").path
    let all = try await replay(path).fixes
    let (rest, report) = try await replay(path, Positions(count, count > 0 ? all[count - 1].coordinate : nil))
    #expect(rest == Array(all.dropFirst(count)))
    #expect(report?.replayedBefore == count && report?.fixes == 513 - count && report?.problem == nil)
  }

  @Test("a file that was changed or shortened is not continued")
  func changed() async throws {
    let path = try file(#"<wpt lat="1" lon="2"/><wpt lat="1.1" lon="2"/>"#)
    for positions in [Positions(2, Coordinate(latitude: 9, longitude: 9)), Positions(3, nil)] {
      let (fixes, report) = try await replay(path, positions)
      #expect(fixes.isEmpty && report?.problem?.contains("--from-start") == true)
    }
  }

  @Test("a wait of more than an hour is shortened, and the fixes after it keep their recorded intervals")
  func longWait() {
    var schedule = ReplaySchedule()
    let begin = ContinuousClock.now
    func at(_ seconds: Double) -> ContinuousClock.Instant { begin.advanced(by: .seconds(seconds)) }
    let night = Date(timeIntervalSince1970: 1_700_000_000)
    // The first fix, ten hours without a fix, and one each minute.
    #expect(schedule.time(of: night, factor: 1, now: at(0)) == at(0))
    #expect(schedule.time(of: night + 36_000, factor: 1, now: at(0)) == at(3600))
    for minute in 1...5 {
      let seconds = Double(minute) * 60
      #expect(schedule.time(of: night + 36_000 + seconds, factor: 1, now: at(3600)) == at(3600 + seconds))
    }
    #expect(schedule.time(of: night + 36_600, factor: 10, now: at(3600)) == at(3660))
  }
}
