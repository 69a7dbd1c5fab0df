internal import GodwitEngine
internal import GodwitModel

/// What a screen wants of the tracker.
enum HostCommand: Sendable, Hashable {
  case startTracking
  case stopTracking
  case sendNow
  case startTrip(TripMode?)
  case stopTrip
  case set([DesiredSetting])
  case syncRegions
  /// Deletes all waiting records.
  case purge
  /// Another list of servers: the tracker is opened again.
  case servers(ServerList)
  /// A tracker that could not be opened, or has failed, is opened again.
  case retry
}
