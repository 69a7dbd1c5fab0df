/// What one kind of phone took from its battery with one setting, over several periods.
package struct BatteryScore: Sendable, Hashable {
  /// Per cent of the battery an hour, a value for each period.
  package private(set) var rates: [Double] = []
  /// Hours of all periods.
  package private(set) var hours = 0.0
  /// Per cent of the battery that all periods took together.
  package private(set) var percent = 0.0

  package init() {}

  package mutating func add(_ use: MobilityNet.BatteryUse) {
    guard use.hours > 0 else { return }
    rates.append(use.percent / use.hours)
    hours += use.hours
    percent += use.percent
  }

  /// Per cent of the battery an hour over all periods; `nil` without one.
  package var rate: Double? { hours > 0 ? percent / hours : nil }

  /// The share of the best accuracy's energy that this setting takes, the phone's own energy taken off both.
  /// - Parameters:
  ///   - best: The best accuracy at all times.
  ///   - control: The phones that did not locate; `nil` takes nothing off.
  /// - Returns: `nil` if one of them has no period, or best takes nothing.
  package func share(of best: BatteryScore, control: BatteryScore?) -> Double? {
    guard let rate, let bestRate = best.rate else { return nil }
    let own = control.map(\.rate) ?? 0
    guard let own, bestRate > own else { return nil }
    return (rate - own) / (bestRate - own)
  }
}
