import CoreLocation
import Foundation
import Godwit

/// The settings of a walk.
public let walkSettings: Settings = {
  var settings = Settings()
  settings.apply(.adaptive)
  settings.main.minimumDistance = 10
  settings.sendInterval = 60
  return settings
}()

/// What the tracker records and where it sends it.
/// - Parameters:
///   - folder: a folder that the system does not empty.
///   - server: the address of a Godwit server's `/api/overland`.
///   - token: the token of this device.
public func walkConfiguration(in folder: URL, server: URL, token: String) -> Tracker.Configuration {
  Tracker.Configuration(
    journalPath: folder.appendingPathComponent("walk.journal").path,
    endpoints: [Endpoint(id: "home", url: server, token: token)],
    settings: walkSettings)
}

/// Creates the tracker. Call it once for each launch, on the main thread.
@MainActor
public func walkTracker(configuration: Tracker.Configuration) throws -> Tracker {
  try Tracker(configuration: configuration, sensor: LocationSensor(manager: CLLocationManager()))
}
