import Foundation
import Testing

@testable import AccuracyData

@Suite("Battery of MobilityNet's phones")
struct MobilityNetBatteryTests {
  private let phone = "ucb-sdb-ios-1"

  /// Creates the synthetic set, with the readings of a period and a period at rest.
  private func syntheticSet() throws -> SyntheticMobilityNet {
    let set = try SyntheticMobilityNet()
    let readings = [(900, 100), (1000.9, 99), (2800, 96), (8200.9, 87), (9100, 80)].map { time, percent in
      ["data": ["ts": time, "battery_level_pct": percent]]
    }
    try set.write("\(phone)/train_bus_ebike_mtv_ucb/background~battery/1000_9001.json", readings)
    let setting = ["id": "best_stationary", "config": ["id": "HAHFAO"]] as [String: Any]
    try set.write(
      "shankari@eecs.berkeley.edu/home_stationary_only/config~evaluation_spec/0.json",
      ["data": ["label": ["calibration_tests": [setting]]]])
    let notes = [("START_CALIBRATION_PERIOD", 20_000.0), ("STOP_CALIBRATION_PERIOD", 27_300)].map { name, time in
      ["data": ["trip_id": "best_stationary", "transition": name, "ts": time]]
    }
    try set.write("\(phone)/home_stationary_only/manual~evaluation_transition/0_9.json", notes)
    try set.write(
      "\(phone)/home_stationary_only/background~battery/20000_27300.json",
      [["data": ["ts": 20_010, "battery_level_pct": 80]], ["data": ["ts": 27_210, "battery_level_pct": 74]]])
    return set
  }

  @Test("the energy of a period is that of its readings, and a period at rest has the setting of its test")
  func uses() throws {
    let set = try syntheticSet()
    let uses = try withExtendedLifetime(set) { try MobilityNet(folder: set.folder).batteryUses(of: phone) }
    #expect(uses.map(\.setting) == ["ACCURACY_CONTROL", "HAHFAO"] && uses.map(\.days) == [.trainBusBicycle, .atRest])
    #expect(uses.map(\.percent) == [12, 6] && uses.map(\.hours) == [2, 2])
    #expect(uses.map(\.isApple) == [true, true])
  }

  @Test("a phone without battery readings has no battery use")
  func none() throws {
    let set = try SyntheticMobilityNet()
    let uses = try withExtendedLifetime(set) { try MobilityNet(folder: set.folder).batteryUses(of: "ucb-sdb-android-2") }
    #expect(uses.isEmpty)
  }

  @Test("periods are weighted by their length, and a share excludes the phone's own energy")
  func score() {
    func score(_ values: [(percent: Double, hours: Double)]) -> BatteryScore {
      values.reduce(into: BatteryScore()) { score, value in
        score.add(
          MobilityNet.BatteryUse(
            phone: phone, setting: "", days: .atRest, start: Date(timeIntervalSince1970: 0),
            end: Date(timeIntervalSince1970: value.hours * 3600), percent: value.percent))
      }
    }
    let best = score([(12, 2), (3, 1)])
    #expect(best.rate == 5 && best.rates == [6, 3] && best.hours == 3)
    #expect(score([(6, 2)]).share(of: best, control: score([(1, 1)])) == 0.5)
    #expect(score([(6, 2)]).share(of: best, control: nil) == 0.6)
    #expect(score([(6, 2)]).share(of: best, control: BatteryScore()) == nil)
    #expect(score([(6, 2)]).share(of: score([(1, 1)]), control: score([(1, 1)])) == nil)
    #expect(score([(1, 0)]).rate == nil)
  }
}
