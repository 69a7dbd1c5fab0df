internal import GodwitModel

internal import struct Foundation.Date

/// When a region is active, by the clock of the zone that its schedule names.
extension RegionSchedule {
  func isActive(at time: Date, _ zones: RegionZones) -> Bool {
    isActive(at: time, utcOffset: zones.zone(timeZone).offset(at: time))
  }

  /// Returns the first time after `time` at which the region becomes active or inactive; `nil`: never.
  func nextChange(after time: Date, _ zones: RegionZones) -> Date? {
    let zone = zones.zone(timeZone)
    let isActiveNow = isActive(at: time, zones)
    var start = time
    // Each iteration covers the time between two changes of the offset.
    while true {
      let end = zone.nextChange(after: start)
      let change = nextChange(after: start, utcOffset: zone.offset(at: start))
      if let change, change < end ?? .distantFuture { return change }
      guard let end else { return change }
      if isActive(at: end, zones) != isActiveNow { return end }
      start = end
    }
  }
}
