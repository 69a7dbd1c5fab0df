public import GodwitModel

/// What the system is to monitor, and why that is enough: as long as the device is inside the horizon, it can come into no
/// geofence, and leave none, that is not monitored.
public struct RegionPlan: Sendable, Hashable, Codable {
  /// The position for which it was computed; `nil`: unknown, and all geofences fitted in or none was selected.
  public internal(set) var place: Coordinate?
  /// Metres by which that may be wrong.
  public internal(set) var accuracy: Meters = 0
  /// Leaving this asks for another plan; `nil`: it is good everywhere.
  public internal(set) var horizon: Circle?
  /// Ids of the monitored geofences, those that one is inside of first, then by distance to the edge.
  public internal(set) var geofences: [String] = []
  /// The monitored beacon UUIDs, the most wanted first.
  public internal(set) var beacons: [ProximityUUID] = []
  /// Metres that the device can move before it reaches an unmonitored edge; `nil`: there is no such edge.
  public internal(set) var slack: Meters?
  /// How exact fixes are needed because an edge that nobody monitors is nearer than the smallest horizon that the system sees:
  /// entries and exits are decided by them. `nil`: none are needed.
  public internal(set) var needs: DesiredAccuracy?
  /// All of it as the system is asked for it, the horizon first.
  public internal(set) var monitored: [MonitoredRegion] = []

  /// Nothing.
  init() {}

  /// What has to be done to come from what is monitored to this plan. What stays is not touched; what goes, goes first.
  /// - Parameter monitored: by identifier.
  public func difference(from monitored: [String: MonitoredRegion]) -> (stop: [String], start: [MonitoredRegion]) {
    let wanted = Set(self.monitored.map(\.identifier))
    return (monitored.keys.filter { !wanted.contains($0) }.sorted(), self.monitored.filter { monitored[$0.identifier] != $0 })
  }
}
