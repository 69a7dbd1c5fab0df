import Foundation
import GodwitSimulator
import Testing

@testable import AccuracyData

@Suite("Fit of a motion chip")
struct MotionChipFitTests {
  private func report(_ seconds: Double, _ report: MotionChipModel.Report) -> MobilityNet.MotionReport {
    MobilityNet.MotionReport(time: Date(timeIntervalSince1970: seconds), report: report)
  }
  private func span(_ start: Double, _ end: Double) -> DateInterval {
    DateInterval(start: Date(timeIntervalSince1970: start), end: Date(timeIntervalSince1970: end))
  }

  @Test("a report is valid until the next one, and a rate is the number of changes divided by the time with the previous report")
  func rates() throws {
    var fit = MotionChipFit()
    let reports = [
      report(0, .stationary), report(1_000, .walking), report(1_800, .walking), report(2_000, .nothing), report(9_000, .driving),
    ]
    fit.add(.walking, span(200, 4_200), reports)
    // A period before the first report is ignored.
    fit.add(.walking, span(-100, 0), [report(50, .driving)])
    let chip = fit.model(name: "made", title: "", source: "")
    #expect(chip.share(of: .stationary, in: .walking) == 0.2 && chip.share(of: .walking, in: .walking) == 0.25)
    #expect(chip.share(of: .nothing, in: .walking) == 0.55)
    let changes = try #require(chip[.walking]?.changes)
    #expect(changes["stationary"] == ["walking": 4.5] && changes["walking"] == ["nothing": 3.6])
    // There is no change from the most frequent report, and the other reports change to it.
    #expect(changes["nothing"] == nil && changes["cycling"] == ["nothing": 60])
    #expect(chip[.driving] == nil)
  }

  @Test("entries of both systems are read, and the periods of a phone have their situations")
  func loader() throws {
    let set = try SyntheticMobilityNet()
    try set.write(
      "ucb-sdb-ios-1/here/background~motion_activity/1000_9001.json",
      [
        ["data": ["ts": 2_100, "write_ts": 3_000, "walking": true, "automotive": false]],
        ["data": ["ts": 2_400.5, "write_ts": 3_000, "automotive": true, "stationary": true]],
      ])
    try set.write(
      "ucb-sdb-android-2/here/background~motion_activity/1000_9001.json",
      [(2_100.0, 3), (2_200, 5), (2_300, 0)].map { time, kind in ["data": ["write_ts": time, "zzbhB": kind, "zzbhC": 90]] })
    try withExtendedLifetime(set) {
      let data = try MobilityNet(folder: set.folder)
      #expect(try data.motionReports(of: "ucb-sdb-ios-1").map(\.report) == [.walking, .standingInTraffic])
      #expect(try data.motionReports(of: "ucb-sdb-ios-1").map(\.time.timeIntervalSince1970) == [2_100, 2_400.5])
      #expect(try data.motionReports(of: "ucb-sdb-android-2").map(\.report) == [.stationary, .driving])
      let situations = try data.situations(of: "ucb-sdb-ios-1")
      #expect(situations.map(\.situation) == [.walking, .driving, .staying, .staying])
      #expect(situations.map { $0.span.duration.rounded() } == [300, 1_700, 760, 4_760])
    }
  }
}
