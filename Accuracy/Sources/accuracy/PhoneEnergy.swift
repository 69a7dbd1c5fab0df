import AccuracyData
import Foundation

/// The battery that MobilityNet's phones used with each setting.
enum PhoneEnergy {
  /// The settings with the best accuracy at all times.
  static let best: Set<String> = ["ACCURACY_CONTROL", "HAHFAO"]
  /// The setting without any location.
  static let control = "POWER_CONTROL"

  static func printTable(of data: MobilityNet) throws {
    let uses = try data.phones.flatMap(data.batteryUses)
    print(
      "Per cent of the battery an hour. Net: without that of the phones that did not locate; relative to the best accuracy at all times.\n"
    )
    print("| phone | days | setting | periods | hours | % an hour | lowest, highest | net | relative |")
    print("|---|---|---|---|---|---|---|---|---|")
    for isApple in [true, false] {
      for days in MobilityNet.Days.allCases {
        printRows(
          scores(of: uses.filter { $0.isApple == isApple && $0.days == days }),
          name: "\(MobilityNet.model(isApple: isApple)) | \(days.rawValue)")
      }
    }
  }

  /// Returns a title of a setting. Filters are metres on an iPhone and seconds on the other phones.
  static func title(of setting: String) -> String {
    switch setting {
    case "ACCURACY_CONTROL", "HAHFAO": "best, all the time"
    case "POWER_CONTROL": "no location"
    case "HAHFDC": "best, filter 1, duty-cycled"
    case "HAMFDC": "best, filter 30, duty-cycled"
    case "MAHFDC": "100 m or balanced, filter 1, duty-cycled"
    case "MAMFDC": "100 m or balanced, filter 30, duty-cycled"
    case "HAMFAO": "best, filter 30"
    case "TMBAHFAO": "10 m or balanced, filter 1"
    case "HLPAHFAO": "100 m or low power, filter 1"
    case "MAMFAO": "100 m or balanced, filter 30"
    default: setting
    }
  }

  /// Returns the scores by setting.
  static func scores(of uses: [MobilityNet.BatteryUse]) -> [String: BatteryScore] {
    uses.reduce(into: [:]) { $0[$1.setting, default: BatteryScore()].add($1) }
  }

  /// Returns the energy of a setting divided by that of the best accuracy, without the phone's own energy.
  static func share(of setting: String, in scores: [String: BatteryScore]) -> Double? {
    guard let best = scores.first(where: { best.contains($0.key) })?.value else { return nil }
    return scores[setting]?.share(of: best, control: scores[control])
  }

  private static func printRows(_ scores: [String: BatteryScore], name: String) {
    let own = scores[control]?.rate
    for (setting, score) in scores.sorted(by: { $0.key < $1.key }) {
      guard let rate = score.rate, let lowest = score.rates.min(), let highest = score.rates.max() else { continue }
      let net = own.map { String(format: "%.2f", rate - $0) } ?? "–"
      let relative = share(of: setting, in: scores).map { String(format: "%.0f %%", 100 * $0) } ?? "–"
      let cells = [
        name, title(of: setting), String(score.rates.count), String(format: "%.0f", score.hours),
        String(format: "%.2f", rate), String(format: "%.2f, %.2f", lowest, highest), net, relative,
      ]
      print("| " + cells.joined(separator: " | ") + " |")
    }
  }
}
