import AccuracyData
import Foundation
import GodwitSimulator

/// The models of motion chips, computed from MobilityNet's phones.
enum MotionChips {
  /// Prints the table of `Sources/GodwitSimulator/Phones/motion-chips.json`.
  static func printModels(of data: MobilityNet) throws {
    let chips = try [("ios", "ios-2014", "iPhone 6 with iOS 12"), ("android", "android-2014", "Nexus 6 with Android 6")].map {
      system, name, title in
      var fit = MotionChipFit()
      // The fourth phone of each kind had no location, and its chip reported rarely.
      for phone in data.phones where phone.contains("-\(system)-") && !phone.hasSuffix("4") {
        let reports = try data.motionReports(of: phone)
        for (situation, span) in try data.situations(of: phone) { fit.add(situation, span, reports) }
      }
      return fit.model(
        name: name, title: "\(title), carried in the San Francisco Bay Area in 2019 and 2020",
        source: "MobilityNet, background~motion_activity beside the noted trips; computed by `accuracy motion-chips`")
    }
    FileHandle.standardOutput.write(Data(try MotionChipModel.json(of: chips)))
  }

  /// Prints the shares of time of each report of the chips in each true situation.
  static func printTable() {
    print(
      "| chip | true | hours | " + MotionChipModel.Report.allCases.map(\.rawValue).joined(separator: " | ")
        + " | changes an hour |")
    print("|---|---|---|" + String(repeating: "---|", count: MotionChipModel.Report.allCases.count + 1))
    for chip in MotionChipModel.all {
      for situation in MotionChipModel.Situation.allCases {
        guard let rates = chip[situation] else { continue }
        let shares = MotionChipModel.Report.allCases.map { chip.share(of: $0, in: situation) }
        let changes = MotionChipModel.Report.allCases.reduce(0.0) {
          $0 + chip.share(of: $1, in: situation) * (rates.changes[$1.rawValue]?.values.reduce(0, +) ?? 0)
        }
        let cells =
          [chip.name, situation.rawValue, String(format: "%.0f", rates.hours)]
          + shares.map { String(format: "%.0f %%", 100 * $0) } + [String(format: "%.1f", changes)]
        print("| " + cells.joined(separator: " | ") + " |")
      }
    }
  }
}
