import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator

@Suite("Motion chips as recorded")
struct MotionChipTests {
  private typealias Report = MotionChipModel.Report
  private typealias Situation = MotionChipModel.Situation

  /// Returns all reports of a chip in a day, with the seconds after midnight.
  private func reports(
    _ truth: Truth, _ chip: MotionChipModel?, seed: UInt64 = 1, hazards: HazardScript = HazardScript(), until end: Double = 86_400
  ) -> [(seconds: Double, motion: Motion)] {
    var world = World(truth: truth, phone: .usual, seed: seed, hazards: hazards, motionChip: chip, from: midnight)
    var reports: [(Double, Motion)] = []
    while let event = world.next(until: at(end)) {
      if case .motion(let motion) = event { reports.append((world.now - midnight, motion)) }
    }
    return reports
  }

  /// Returns the share of a time range in which this report is the current one.
  private func share(_ report: Report, of reports: [(seconds: Double, motion: Motion)], from start: Double, to end: Double)
    -> Double
  {
    var seconds = 0.0
    for (index, one) in reports.enumerated() where Report(one.motion) == report {
      let next = index + 1 < reports.count ? reports[index + 1].seconds : end
      seconds += max(0, min(next, end) - max(one.seconds, start))
    }
    return seconds / (end - start)
  }

  @Test("the table has both chips, with every situation, and round-trips")
  func table() throws {
    #expect(MotionChipModel.all.map(\.name) == ["ios-2014", "android-2014"])
    #expect(MotionChipModel.named("ios-2040") == nil)
    for chip in MotionChipModel.all {
      for situation in Situation.allCases {
        let rates = try #require(chip[situation])
        #expect(rates.hours > 5 && abs(Report.allCases.reduce(0) { $0 + chip.share(of: $1, in: situation) } - 1) < 0.01)
      }
      // A walk is mostly reported as walking; a phone at rest is rarely reported as walking.
      #expect(chip.share(of: .walking, in: .walking) > 0.5 && chip.share(of: .walking, in: .resting) < 0.01)
    }
    #expect(try MotionChipModel.read(MotionChipModel.json(of: MotionChipModel.all)) == MotionChipModel.all)
  }

  @Test("the same seed gives the same reports, and another seed gives others")
  func seeds() throws {
    let truth = try ordinaryDay()
    for chip in MotionChipModel.all {
      let first = reports(truth, chip)
      let again = reports(truth, chip)
      #expect(first.map(\.seconds) == again.map(\.seconds) && first.map(\.motion) == again.map(\.motion))
      #expect(reports(truth, chip, seed: 2).map(\.seconds) != first.map(\.seconds))
    }
  }

  @Test("without a model the chip detects each motion after its delay")
  func ideal() throws {
    let found = reports(try ordinaryDay(), nil)
    #expect(found.prefix(2).map(\.motion) == [.stationary, .walking] && found.contains { $0.motion == .driving })
    #expect(found.dropFirst().first?.seconds == 28_805)
  }

  @Test("over a long time a chip reports each motion for the recorded share", arguments: ["ios-2014", "android-2014"])
  func shares(name: String) throws {
    let chip = try #require(MotionChipModel.named(name))
    let drive = straight(from: 3_600, seconds: 40_000, speed: 15)
    let truth = try Truth(days: [[sample(0)] + drive + [sample(86_400, north: 600_000)]])
    let found = reports(truth, chip)
    for report in [Report.driving, .nothing, .stationary] {
      let simulated = share(report, of: found, from: 5_000, to: 43_000)
      // Forty thousand seconds contain several hundred changes.
      #expect(abs(simulated - chip.share(of: report, in: .driving)) < 0.12, "\(report): \(simulated)")
    }
    #expect(found.count > 200)
  }

  @Test("a night of rest has nearly no changes")
  func rest() throws {
    for chip in MotionChipModel.all {
      let found = reports(try stationaryTruth(.indoors), chip)
      #expect(found.count < 40 && share(.stationary, of: found, from: 3_600, to: 86_400) > 0.7)
    }
  }

  @Test("a flicker of the script lasts for its time, and the chip continues afterwards")
  func flicker() throws {
    let chip = try #require(MotionChipModel.named("ios-2014"))
    let script = try HazardScript(text: "+1h flicker cycling 300s")
    let found = reports(try stationaryTruth(.indoors), chip, hazards: script)
    let start = try #require(found.firstIndex { $0.motion == .cycling })
    #expect(found[start].seconds == 3_600)
    #expect(found[start + 1].seconds >= 3_900 && found[start + 1].motion != .cycling)
  }

  @Test("runners are reported as running where walkers are reported as walking")
  func running() throws {
    let run = straight(from: 3_600, seconds: 20_000, speed: 3)
    let found = reports(try Truth(days: [[sample(0)] + run]), MotionChipModel.named("ios-2014"), until: 23_600)
    #expect(share(.running, of: found, from: 5_000, to: 23_600) > 0.5)
    #expect(share(.walking, of: found, from: 5_000, to: 23_600) < 0.1)
  }

  @Test(
    "the situation depends on the motion, and at rest on its duration",
    arguments: [
      (Motion.walking, 60.0, "walking"), (.running, 60, "walking"), (.cycling, 60, "cycling"), (.driving, 60, "driving"),
      ([.driving, .stationary], 9_999, "driving"), (.stationary, 599, "waiting"), (.stationary, 600, "staying"),
      (.stationary, 14_400, "resting"), ([], .infinity, "resting"),
    ] as [(Motion, Double, String)])
  func situation(motion: Motion, seconds: Double, expected: String) {
    #expect(Situation(motion, lasting: seconds).rawValue == expected)
  }

  @Test("every report round-trips through its motion")
  func words() {
    for report in Report.allCases { #expect(Report(report.motion) == report) }
    #expect(Report([.walking, .running]) == .running)
  }

  @Test(
    "an invalid table is rejected with the chip and a remedy",
    arguments: [
      (["driving"], "walking", 1.0, "the situation walking is missing"),
      (Situation.allCases.map(\.rawValue), "flying", 1, "flying is not a report"),
      (Situation.allCases.map(\.rawValue), "walking", 0.5, "the shares must add up to 1"),
      (Situation.allCases.map(\.rawValue), "walking", -1, "shares and rates of 0"),
      (Situation.allCases.map(\.rawValue) + ["flying"], "walking", 1, "flying is not a situation"),
    ])
  func wrong(situations: [String], report: String, share: Double, expected: String) throws {
    let rates = ["hours": 1, "shares": [report: share], "changes": [String: Any]()] as [String: Any]
    let chip =
      [
        "name": "made", "title": "t", "source": "s",
        "situations": Dictionary(uniqueKeysWithValues: situations.map { ($0, rates) }),
      ] as [String: Any]
    let json = Array(try JSONSerialization.data(withJSONObject: ["chips": [chip]]))
    let error = #expect(throws: PhoneProfile.TableError.self) { try MotionChipModel.read(json) }
    #expect(
      error?.description.contains(expected) == true && error?.description.contains("made") == true, "\(String(describing: error))"
    )
  }
}
