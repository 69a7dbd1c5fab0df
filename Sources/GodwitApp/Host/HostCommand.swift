internal import GodwitEngine
internal import GodwitModel

/// A command of a screen to the tracker.
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
  /// Stores another list of servers and opens the tracker again.
  case servers(ServerList)
  /// Opens a tracker again that could not be opened or has failed.
  case retry
}
