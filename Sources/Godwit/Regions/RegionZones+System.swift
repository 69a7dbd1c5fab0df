internal import Foundation
internal import GodwitEngine

extension RegionZones {
  /// Changes of the UTC offset that are computed for each zone: two a year, and one more.
  private static let changes = 3

  /// Returns the zones as the system's calendar knows them.
  /// - Parameters:
  ///   - names: names of zones; an unknown name is left out.
  ///   - device: the zone of the device.
  ///   - now: the time from which the offsets are valid.
  static func system(_ names: Set<String>, device: TimeZone, from now: Date) -> RegionZones {
    var zones = RegionZones(device: zone(device, from: now))
    for name in names { if let known = TimeZone(identifier: name) { zones.named[name] = zone(known, from: now) } }
    return zones
  }

  private static func zone(_ zone: TimeZone, from now: Date) -> Zone {
    var result = Zone(offset: zone.secondsFromGMT(for: now))
    var time = now
    while result.changes.count < changes, let next = zone.nextDaylightSavingTimeTransition(after: time), next > time {
      result.changes.append(Zone.Change(at: next, offset: zone.secondsFromGMT(for: next)))
      time = next
    }
    return result
  }
}
