public import Foundation
public import GodwitDelivery
public import GodwitEngine

/// Geofences and beacons for a ``Tracker``: where they come from, and who watches over them.
public struct RegionConfiguration: Sendable {
  /// Where they are copied from; `nil`: from nowhere, the program gives them to ``RegionManager/replaceRegions(_:)``.
  public var server: SyncCoordinator.Configuration?
  /// Which are wanted, of those that the server lets the device have.
  public var choice = RegionSync.Choice()
  /// How much of the system's monitoring they may use.
  public var limits = RegionLimits()
  /// The file of the copy, in a folder that the system does not empty; `nil`: beside the journal.
  public var path: String?
  /// The app owns the location manager and forwards its delegate's calls; the tracker only keeps and sends what happens.
  public var isForwarded = false
  /// The tracker's positions come from a recorded file: what happens at the edges has the times of the file, and is decided by
  /// its positions alone. Nothing is monitored and no beacon is heard, because this machine was not there. A file that is told
  /// again from its beginning goes on where it was.
  public var isReplayed = false
  /// Whether they are watched over and synced also while tracking is off.
  public var isIndependent = false

  /// - Parameters:
  ///   - server: where they are copied from; the environment in it is replaced by the tracker's.
  ///   - choice: which are wanted.
  public init(server: SyncCoordinator.Configuration? = nil, choice: RegionSync.Choice = RegionSync.Choice()) {
    self.server = server
    self.choice = choice
  }

  /// Regions of the server that the tracker sends to.
  /// - Parameters:
  ///   - endpoint: of Godwit's server; the regions are beside its `/api/overland`, with the same token.
  ///   - choice: which are wanted.
  public init?(beside endpoint: Endpoint, choice: RegionSync.Choice = RegionSync.Choice()) {
    guard let url = endpoint.address.filled(with: nil), var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return nil }
    let path = parts.path
    guard let api = path.range(of: "/api/", options: .backwards) else { return nil }
    parts.path = String(path[..<api.lowerBound])
    parts.query = nil
    guard let base = parts.url else { return nil }
    var server = SyncCoordinator.Configuration(server: base, token: endpoint.token, headers: endpoint.headers)
    server.trust = endpoint.trust
    self.init(server: server, choice: choice)
  }
}

/// A tracker whose configuration has regions, with a sensor that cannot watch over them.
public struct RegionSensorMissing: Error, CustomStringConvertible, LocalizedError {
  public let description =
    "The configuration has regions, and the sensor has nothing that watches over them. Make it with a location manager for them: LocationSensor(manager: …, regions: CLLocationManager())."
  public var errorDescription: String? { description }
}
