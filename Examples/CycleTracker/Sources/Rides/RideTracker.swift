public import Foundation
public import Godwit

/// The bicycle tracker: after its start it needs no further action. It waits with the cheapest location that
/// the system has, detects a ride by the motion chip, records it exactly, and ends it after a rest.
public final class RideTracker: Sendable {
  public let tracker: Tracker
  public let store: RideStore

  /// What makes a tracker of any kind one of rides.
  public static var settings: Settings {
    var settings = Settings()
    settings.tripMode = .bicycle
    settings.startsTripsByMotion = true
    settings.recordsOnlyTrips = true
    settings.tripRest = 300
    settings.notifies = true
    // Waiting: cells and wifi only, never paused, and started again by the system after a significant change.
    settings.main.trackingMode = .both
    settings.main.desiredAccuracy = .threeKilometers
    settings.main.pausesAutomatically = false
    // Riding: ten metres are enough, and a point every ten metres.
    settings.trip.desiredAccuracy = .tenMeters
    settings.trip.minimumDistance = 10
    settings.trip.activityType = .fitness
    return settings
  }

  /// - Parameters:
  ///   - folder: for the rides.
  ///   - journal: the journal's file; `nil`: in the same folder.
  ///   - sensor: must know motion: see `LocationSensor(manager:allowsBackground:motion:)`.
  ///   - endpoints: servers that get the rides as well; none is needed.
  ///   - notifier: says that a ride began or ended.
  ///   - environment: clock and network.
  public init(
    folder: URL, journal: URL? = nil, sensor: any Sensor, endpoints: [Endpoint] = [], notifier: (any Notifier)? = nil,
    environment: TrackerEnvironment = .live()
  ) throws {
    let store = try RideStore(folder: folder)
    var configuration = Tracker.Configuration(
      journalPath: (journal ?? folder.appendingPathComponent("journal")).path, endpoints: endpoints, settings: Self.settings,
      environment: environment)
    configuration.notifier = notifier
    configuration.recorded = { store.add($0) }
    self.store = store
    tracker = try Tracker(configuration: configuration, sensor: sensor)
  }
}
