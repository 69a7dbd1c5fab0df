public import GodwitModel

public import struct Foundation.Date

/// Something that the watch over the regions learns.
public enum RegionInput: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case launched
    case catalogueChanged
    case fix
    case entered
    case exited
    case state
    case monitoringFailed
    case ranged
    case timer
    case permission
    case unmanagedRegions = "foreignRegions"
    case zones
  }

  /// The app runs (again). With the identifiers of what the system monitors for it of ours (others in the list are skipped),
  /// and the number of regions that are not ours; those that ``RegionLimits/reserved`` counts are not in that number.
  case launched(monitored: [String], foreign: Int)
  /// The catalogue that is given from now on is another one.
  case catalogueChanged
  case fix(Fix)
  /// The system has seen the device come into a monitored region.
  case entered(String)
  /// The system has seen the device leave one.
  case exited(String)
  /// Answer to ``RegionEffect/requestState(_:)``; `nil`: the system does not know.
  case state(String, isInside: Bool?)
  /// The system does not monitor this region.
  case monitoringFailed(String)
  /// What ranging a UUID has heard, each time: an empty list is news too.
  case ranged(ProximityUUID, [BeaconSighting])
  /// The time of ``RegionEffect/setTimer(_:)`` has come. Coming late does no harm.
  case timer
  /// Whether the app may monitor regions at all; it is assumed until reported otherwise.
  case permission(canMonitor: Bool)
  /// The number of regions of the app that are not ours is another one.
  case unmanagedRegions(Int)
  /// What the clocks show; reported at each launch and when the device's time zone, or ``RegionCatalogue/timeZones``, changes.
  case zones(RegionZones)
}

/// Something that the watch over the regions wants done. Effects are carried out in order.
public enum RegionEffect: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case startMonitoring
    case stopMonitoring
    case requestState
    case startRanging
    case stopRanging
    case setTimer
    case report = "tell"
    case wantsFixes
    case insideChanged
  }

  /// One of the same identifier is replaced.
  case startMonitoring(MonitoredRegion)
  case stopMonitoring(String)
  /// Tell ``RegionInput/state(_:isInside:)``.
  case requestState(String)
  case startRanging(ProximityUUID)
  case stopRanging(ProximityUUID)
  /// Tell ``RegionInput/timer`` at this time, and not at the one said before; `nil`: not at all.
  case setTimer(Date?)
  /// Append the event to the journal, in the transaction in which the watch is kept.
  case report(RegionEvent)
  /// How exact fixes are needed from now on; `nil`: none are needed, and whatever comes is taken.
  case wantsFixes(DesiredAccuracy?)
  /// ``RegionWatch/geofences(in:)`` or ``RegionWatch/beacons(in:)`` gives something else than before.
  case insideChanged
}
