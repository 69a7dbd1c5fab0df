internal import GodwitModel

internal import struct Foundation.Date

/// When a region counts.
extension RegionSchedule {
  private static let (day, week) = (86_400.0, 604_800.0)

  /// Whether it counts at a moment.
  func isActive(at time: Date, _ zones: RegionZones) -> Bool {
    isActive(secondOfWeek: Self.secondOfWeek(time, zones.zone(timeZone)))
  }

  /// The first moment after this one at which it begins or ceases to count; nothing where that never happens.
  func nextChange(after time: Date, _ zones: RegionZones) -> Date? {
    let zone = zones.zone(timeZone)
    var start = time
    let isActiveNow = isActive(at: time, zones)
    // Each round is a stretch of time between two changes of the clocks.
    for _ in 0...zone.changes.count {
      let end = zone.nextChange(after: start)
      if let change = boundary(after: start, zone, isActiveNow), change < end ?? .distantFuture { return change }
      guard let end else { return nil }
      if isActive(at: end, zones) != isActiveNow { return end }
      start = end
    }
    return nil
  }

  /// The first moment after this one at which it is otherwise, with clocks that stay as they are.
  private func boundary(after time: Date, _ zone: RegionZones.Zone, _ isActiveNow: Bool) -> Date? {
    let now = Self.secondOfWeek(time, zone)
    var ways: [Double] = []
    for (start, length) in stretches {
      for edge in [start, start + length] {
        let way = (edge - now).truncatingRemainder(dividingBy: Self.week)
        ways.append(way > 0 ? way : way + Self.week)
      }
    }
    // Edges are whole seconds; what a sum of fractions adds or takes away is no part of them.
    return ways.sorted().first { isActive(secondOfWeek: (now + $0).rounded()) != isActiveNow }
      .map { Date(timeIntervalSince1970: (time.timeIntervalSince1970 + $0).rounded()) }
  }

  private func isActive(secondOfWeek second: Double) -> Bool {
    stretches.contains { start, length in
      let since = (second - start).truncatingRemainder(dividingBy: Self.week)
      return (since < 0 ? since + Self.week : since) < length
    }
  }

  /// Beginnings in seconds since Monday's midnight, and lengths.
  private var stretches: [(start: Double, length: Double)] {
    windows.flatMap { window in
      let length = Double(window.to > window.from ? window.to - window.from : window.to + 1440 - window.from) * 60
      return window.days.map { (Double($0.rawValue - 1) * Self.day + Double(window.from) * 60, length) }
    }
  }

  /// Seconds since Monday's midnight by the zone's clocks.
  private static func secondOfWeek(_ time: Date, _ zone: RegionZones.Zone) -> Double {
    // The first of January 1970 was a Thursday.
    let local = time.timeIntervalSince1970 + Double(zone.offset(at: time)) + 3 * day
    let second = local.truncatingRemainder(dividingBy: week)
    return second < 0 ? second + week : second
  }
}
