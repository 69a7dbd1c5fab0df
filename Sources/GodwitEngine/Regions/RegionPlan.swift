public import GodwitModel

/// The regions that the system is to monitor. As long as the device is inside the horizon, it cannot enter or leave an
/// unmonitored geofence.
public struct RegionPlan: Sendable, Hashable, Codable {
  /// The position for which the plan was computed; `nil`: unknown. Then all geofences fit, or none was selected.
  public internal(set) var place: Coordinate?
  /// The accuracy of that position, metres.
  public internal(set) var accuracy: Meters = 0
  /// The circle in which the plan is valid; `nil`: it is valid everywhere.
  public internal(set) var horizon: Circle?
  /// Ids of the monitored geofences: those that contain the place first, then by distance to the edge.
  public internal(set) var geofences: [String] = []
  /// The monitored beacon UUIDs, in descending priority.
  public internal(set) var beacons: [ProximityUUID] = []
  /// Metres that the device can move before it reaches an unmonitored edge; `nil`: there is no such edge.
  public internal(set) var slack: Meters?
  /// The accuracy of the fixes that are needed, because an unmonitored edge is nearer than the smallest horizon that the system
  /// can monitor. The fixes determine entries and exits. `nil`: none are needed.
  public internal(set) var needs: DesiredAccuracy?
  /// All regions that the system is requested to monitor, the horizon first.
  public internal(set) var monitored: [MonitoredRegion] = []

  /// Creates an empty plan.
  init() {}

  /// Returns the changes from the monitored regions to this plan. Unchanged regions stay; regions are stopped before others start.
  /// - Parameter monitored: the monitored regions, by identifier.
  public func difference(from monitored: [String: MonitoredRegion]) -> (stop: [String], start: [MonitoredRegion]) {
    let wanted = Set(self.monitored.map(\.identifier))
    return (monitored.keys.filter { !wanted.contains($0) }.sorted(), self.monitored.filter { monitored[$0.identifier] != $0 })
  }
}
