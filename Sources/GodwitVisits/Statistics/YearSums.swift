package import GodwitHistory
internal import GodwitModel

/// Totals of a calendar year.
package struct YearSums: Sendable {
  package var year: Int
  package var points: Int64 = 0
  /// Number of days with points.
  package var days = 0
  package var modes: [TravelMode: DayShare] = [:]

  package init(year: Int) { self.year = year }

  /// Returns all years from the first to the last with data, including years without data in between.
  /// - Parameter shares: Sums of local days, in order.
  package static func all(_ shares: [(key: DayShare.Key, share: DayShare)]) -> [YearSums] {
    var years: [Int: YearSums] = [:]
    for (key, share) in shares {
      let year = RFC3339.civil(daysSince1970: Int(key.localDay)).year
      var sums = years[year] ?? YearSums(year: year)
      if let mode = key.mode {
        sums.modes[mode, default: DayShare()].distance += share.distance
        sums.modes[mode, default: DayShare()].seconds += share.seconds
        sums.modes[mode, default: DayShare()].moving += share.moving
      } else {
        sums.points += share.points
        sums.days += 1
      }
      years[year] = sums
    }
    guard let first = years.keys.min(), let last = years.keys.max() else { return [] }
    return (first...last).map { years[$0] ?? YearSums(year: $0) }
  }
}
