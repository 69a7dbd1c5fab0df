internal import GodwitModel

internal import struct Foundation.Date

/// What the system says of the geofences that it monitors, and where that is something else than what is known.
struct GeofenceSightings: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case around
    case disputed
    case seen
    case refreshed = "lookedAnew"
  }

  /// Seconds between two times that the system is made to look again at one geofence.
  private static let pause = 60.0

  /// Ids of those in whose monitored circle the system has seen the device, where that circle is not the area.
  private(set) var around: Set<String> = []
  /// Ids of those of which it says something else than fixes have decided: it will not tell their next crossing.
  private(set) var disputed: Set<String> = []
  /// What the system said last of those whose circle it monitors, by id.
  private var seen: [String: Bool] = [:]
  /// When the system was last made to look again at one because of that, by id.
  private var refreshed: [String: Date] = [:]

  /// Whether the system says that the device is outside.
  func isOutside(_ id: String) -> Bool { seen[id] == false }

  /// The system says where the device is with regard to an area.
  mutating func record(_ id: String, isInside: Bool) { seen[id] = isInside }

  /// It says where the device is with regard to the circle round an area.
  /// - Returns: whether it has come into it.
  mutating func recordCircle(_ id: String, isInside: Bool) -> Bool {
    if isInside { return around.insert(id).inserted }
    around.remove(id)
    return false
  }

  /// The program was launched: what the system says has to be asked for.
  mutating func relaunch() { (seen, disputed, refreshed) = ([:], [], [:]) }

  /// The system begins to monitor it, or does not any more.
  mutating func discard(_ id: String) {
    around.remove(id)
    seen[id] = nil
    disputed.remove(id)
    refreshed[id] = nil
  }

  /// There are other geofences now.
  mutating func dropDeleted(_ catalogue: RegionCatalogue) {
    around = around.filter { catalogue.geofenceNumber($0) != nil }
    for id in seen.keys.sorted() where catalogue.geofenceNumber(id).map({ catalogue.areas[$0].isSmall != nil }) ?? true {
      // The circle that the system monitors may have become the one round polygons.
      if seen.removeValue(forKey: id) == true, catalogue.geofenceNumber(id) != nil { around.insert(id) }
    }
  }

  /// Where the system says something else than what is known, it would not tell the next crossing: it is made to look again, by
  /// the place that it knows now. As long as it stays with what it said, the geofence counts as one without a slot.
  mutating func recordDisputes(_ stays: RegionStays, _ system: SystemRegions, _ turn: inout Turn) {
    var now: Set<String> = []
    for (id, isInside) in seen.sorted(by: { $0.key < $1.key }) where isInside != stays.contains(id) {
      if !refresh(id, system, &turn) { now.insert(id) }
    }
    if now != disputed { turn.requestPlan() }
    disputed = now
  }

  /// - Returns: whether the system will say something new.
  private mutating func refresh(_ id: String, _ system: SystemRegions, _ turn: inout Turn) -> Bool {
    if let before = refreshed[id], abs(turn.time.timeIntervalSince(before)) < Self.pause { return false }
    guard turn.canMonitor, let number = turn.catalogue.geofenceNumber(id) else { return false }
    let region = MonitoredRegion(geofence: id, circle: turn.catalogue.circle(of: number))
    guard system.monitors(region.identifier) else { return false }
    refreshed[id] = turn.time
    seen[id] = nil
    turn.effects += [.stopMonitoring(region.identifier), .startMonitoring(region), .requestState(region.identifier)]
    return true
  }
}
