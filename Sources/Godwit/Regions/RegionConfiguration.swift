internal import Foundation
public import GodwitDelivery
public import GodwitEngine
internal import GodwitWire

/// The configuration of geofences and beacons of a ``Tracker``: their source and how they are monitored.
///
///     configuration.regions = RegionConfiguration(beside: home, choice: RegionSync.Choice(tags: ["shops"]))
///     let sensor = LocationSensor(manager: CLLocationManager(), regions: CLLocationManager())
///
/// The sensor needs a separate location manager for regions, unless the regions are forwarded or replayed.
public struct RegionConfiguration: Sendable {
  /// The server that the regions are copied from; `nil`: none, and the program passes the regions to ``RegionManager/replaceRegions(_:)``.
  public var server: SyncCoordinator.Configuration?
  /// The filter of regions among those that the server offers the device.
  public var choice = RegionSync.Choice()
  /// The maximum share of the system's monitoring that regions may use.
  public var limits = RegionLimits()
  /// The path of the copy, in a folder that the system does not empty; `nil`: beside the journal.
  public var path: String?
  /// Whether the app owns the location manager and forwards its delegate's calls; the tracker only records and sends the events.
  public var isForwarded = false
  /// Whether the tracker's positions come from a recorded file. Region events have the times of the file and are computed
  /// from its positions alone: nothing is monitored and no beacon is ranged. If a file is replayed from its beginning again,
  /// its known positions are not evaluated again.
  public var isReplayed = false
  /// Whether the regions are monitored and synced also while tracking is off.
  public var isIndependent = false

  /// - Parameters:
  ///   - server: the source of the copy; its environment is replaced by the tracker's.
  ///   - choice: the filter of regions.
  public init(server: SyncCoordinator.Configuration? = nil, choice: RegionSync.Choice = RegionSync.Choice()) {
    self.server = server
    self.choice = choice
  }

  /// Uses the regions of a server that the tracker sends to. `nil`: the address of the endpoint has no `/api/`.
  /// - Parameters:
  ///   - endpoint: an endpoint of a Godwit server. Regions are requested from the same server, with the same token.
  ///   - choice: the filter of regions.
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

extension RegionConfiguration {
  /// The error of a tracker whose configuration has regions and whose sensor cannot monitor them.
  static let missingSensor = GodwitError(
    .missingRegionSensor,
    """
    The configuration has regions, and the sensor cannot monitor them. Create it with a location manager for them: \
    LocationSensor(manager: …, regions: CLLocationManager()).
    """)
}
