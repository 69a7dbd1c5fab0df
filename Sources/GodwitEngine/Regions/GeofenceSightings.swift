internal import GodwitModel

internal import struct Foundation.Date

/// The reports of the system about the geofences that it monitors, and where they differ from the known state.
struct GeofenceSightings: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case around
    case disputed
    case seen
    case refreshed = "lookedAnew"
  }

  /// Minimum seconds between two refreshes of the monitoring of one geofence.
  private static let pause = 60.0

  /// Ids of the geofences whose monitored circle contains the device according to the system. Only geofences whose area is not that circle.
  private(set) var around: Set<String> = []
  /// Ids of the geofences whose reported state differs from the state that fixes have determined. The system will not report
  /// their next crossing.
  private(set) var disputed: Set<String> = []
  /// The last report of the system about each geofence whose area is the monitored circle, by id.
  private var seen: [String: Bool] = [:]
  /// The time of the last refresh because of a difference, by id.
  private var refreshed: [String: Date] = [:]

  /// Whether the system reports that the device is outside.
  func isOutside(_ id: String) -> Bool { seen[id] == false }

  /// Records a report of the system about an area.
  mutating func record(_ id: String, isInside: Bool) { seen[id] = isInside }

  /// Records a report of the system about the circle around an area.
  /// - Returns: whether the device has entered the circle.
  mutating func recordCircle(_ id: String, isInside: Bool) -> Bool {
    if isInside { return around.insert(id).inserted }
    around.remove(id)
    return false
  }

  /// Handles a launch: the reports of the system must be requested again.
  mutating func relaunch() { (seen, disputed, refreshed) = ([:], [], [:]) }

  /// Discards the reports about a geofence whose monitoring begins or ends.
  mutating func discard(_ id: String) {
    around.remove(id)
    seen[id] = nil
    disputed.remove(id)
    refreshed[id] = nil
  }

  /// Handles a new catalogue.
  mutating func dropDeleted(_ catalogue: RegionCatalogue) {
    around = around.filter { catalogue.geofenceNumber($0) != nil }
    for id in seen.keys.sorted() where catalogue.geofenceNumber(id).map({ catalogue.areas[$0].isSmall != nil }) ?? true {
      // The monitored circle is no longer the area, but contains it.
      if seen.removeValue(forKey: id) == true, catalogue.geofenceNumber(id) != nil { around.insert(id) }
    }
  }

  /// Finds the geofences whose reported state differs from the known state. The system would not report their next crossing, so
  /// their monitoring is refreshed: the system then evaluates its present position. If the report does not change, the geofence
  /// counts as one without a slot.
  mutating func recordDisputes(_ stays: RegionStays, _ system: SystemRegions, _ turn: inout Turn) {
    var now: Set<String> = []
    for (id, isInside) in seen.sorted(by: { $0.key < $1.key }) where isInside != stays.contains(id) {
      if !refresh(id, system, &turn) { now.insert(id) }
    }
    if now != disputed { turn.requestPlan() }
    disputed = now
  }

  /// Refreshes the monitoring of a geofence. - Returns: whether the system will report again.
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
