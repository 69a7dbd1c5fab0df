/// The battery use of one kind of phone with one setting, over several periods.
package struct BatteryScore: Sendable, Hashable {
  /// Per cent of the battery per hour, one value for each period.
  package private(set) var rates: [Double] = []
  /// The hours of all periods.
  package private(set) var hours = 0.0
  /// The sum of all periods in per cent of the battery.
  package private(set) var percent = 0.0

  package init() {}

  package mutating func add(_ use: MobilityNet.BatteryUse) {
    guard use.hours > 0 else { return }
    rates.append(use.percent / use.hours)
    hours += use.hours
    percent += use.percent
  }

  /// Per cent of the battery per hour over all periods; `nil` without a period.
  package var rate: Double? { hours > 0 ? percent / hours : nil }

  /// The energy of this setting divided by that of the best accuracy, after subtraction of the phone's own energy from both.
  /// - Parameters:
  ///   - best: the best accuracy at all times.
  ///   - control: the phones without location; with `nil` nothing is subtracted.
  /// - Returns: `nil` if one of them has no period, or if `best` uses no energy.
  package func share(of best: BatteryScore, control: BatteryScore?) -> Double? {
    guard let rate, let bestRate = best.rate else { return nil }
    let own = control.map(\.rate) ?? 0
    guard let own, bestRate > own else { return nil }
    return (rate - own) / (bestRate - own)
  }
}
