public import GodwitModel

/// Slots for beacons: one stands for all beacons of a UUID, which are ranged while the device is near one of them.
extension RegionSelection {
  /// Metres around the place of a beacon in which it may be received (iBeacon advertisements reach 50 to 70 m in the open).
  static let beaconReach: Meters = 100
  /// Minimum radius of the horizon because of beacons, metres. If a building has more UUIDs than slots, no plan can monitor all of them.
  static let smallestBeaconHorizon: Meters = 1000

  /// Returns the UUIDs that get slots: those with a beacon nearby first, then those with the nearest places, then those that were
  /// met most often, then by UUID. At most ``RegionLimits/beaconSlots``, and a quarter of the slots if there are geofences.
  public func beaconUUIDs(in catalogue: RegionCatalogue) -> [ProximityUUID] { chooseBeacons(in: catalogue).chosen }

  /// Returns the chosen UUIDs, and the metres that the device can move before another UUID must be chosen.
  func chooseBeacons(in catalogue: RegionCatalogue) -> (chosen: [ProximityUUID], slack: Meters) {
    let share = catalogue.geofenceCount == 0 ? slots : slots == 1 ? 0 : (slots + 3) / 4
    let room = min(limits.beaconSlots, share)
    let groups = catalogue.uuids.filter { !rejectedBeacons.contains($0.uuid) }
    let ranked = groups.map { group in
      Rank(
        isRanged: ranged.contains(group.uuid), distance: place.flatMap(group.distance) ?? .infinity, met: met[group.uuid] ?? 0,
        uuid: group.uuid)
    }.sorted()
    let chosen = ranked.prefix(max(0, room)).map(\.uuid)
    // The nearest UUID without a slot.
    guard room > 0, let next = ranked.dropFirst(chosen.count).map(\.distance).min(), next < .infinity else {
      return (chosen, .infinity)
    }
    return (chosen, max(next - Self.beaconReach, Self.smallestBeaconHorizon + accuracy + limits.margin))
  }

  private struct Rank: Comparable {
    var isRanged: Bool
    var distance: Meters
    var met: Int
    var uuid: ProximityUUID

    static func < (a: Rank, b: Rank) -> Bool {
      if a.isRanged != b.isRanged { return a.isRanged }
      return (a.distance, -a.met, a.uuid) < (b.distance, -b.met, b.uuid)
    }
  }
}
