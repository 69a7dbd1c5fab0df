public import GodwitModel

public import struct Foundation.Date

/// An input of ``RegionWatch``.
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

  /// The app was launched. `monitored`: the identifiers of the regions that the system monitors for the app; those that do not belong to
  /// the SDK are ignored. `foreign`: the number of other regions of the app, without those that ``RegionLimits/reserved`` counts.
  case launched(monitored: [String], foreign: Int)
  /// From now on another catalogue is passed.
  case catalogueChanged
  case fix(Fix)
  /// The system detected that the device entered a monitored region.
  case entered(String)
  /// The system detected that the device left a monitored region.
  case exited(String)
  /// The response to ``RegionEffect/requestState(_:)``; `nil`: the system does not know the state.
  case state(String, isInside: Bool?)
  /// The system does not monitor this region, although it was requested.
  case monitoringFailed(String)
  /// A result of ranging a UUID. An empty list is also a result.
  case ranged(ProximityUUID, [BeaconSighting])
  /// The time of ``RegionEffect/setTimer(_:)`` has come. A delay does no harm.
  case timer
  /// Whether the app may monitor regions. Until it is reported, the permission is assumed.
  case permission(canMonitor: Bool)
  /// The number of regions of the app that do not belong to the SDK has changed.
  case unmanagedRegions(Int)
  /// The offsets of the time zones. Reported at each launch, and when the time zone of the device or ``RegionCatalogue/timeZones`` changes.
  case zones(RegionZones)
}

/// An action that ``RegionWatch`` requests. Effects are executed in order.
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

  /// Monitor a region. A region with the same identifier is replaced.
  case startMonitoring(MonitoredRegion)
  case stopMonitoring(String)
  /// Report ``RegionInput/state(_:isInside:)``.
  case requestState(String)
  case startRanging(ProximityUUID)
  case stopRanging(ProximityUUID)
  /// Report ``RegionInput/timer`` at this time, which replaces the earlier time; `nil`: do not report it.
  case setTimer(Date?)
  /// Append the event to the journal, in the transaction that stores the state of ``RegionWatch``.
  case report(RegionEvent)
  /// The accuracy of the fixes that are needed from now on; `nil`: none are needed. Other fixes are accepted too.
  case wantsFixes(DesiredAccuracy?)
  /// The result of ``RegionWatch/geofences(in:)`` or ``RegionWatch/beacons(in:)`` has changed.
  case insideChanged
}
