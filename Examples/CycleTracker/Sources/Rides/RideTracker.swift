public import Foundation
public import Godwit

/// The bicycle tracker. After its start it needs no further action: it waits with the location service that uses the least
/// energy, detects a ride with the motion chip, records it with an accuracy of ten metres, and ends it after a rest.
public final class RideTracker: Sendable {
  public let tracker: Tracker
  public let store: RideStore

  /// The settings with which a tracker records rides.
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
  ///   - sensor: a sensor that reports motion; see `LocationSensor(manager:allowsBackground:motion:)`.
  ///   - endpoints: servers that also receive the rides; none is needed.
  ///   - notifier: shows that a ride began or ended.
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
