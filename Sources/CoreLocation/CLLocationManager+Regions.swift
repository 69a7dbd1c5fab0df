extension CLLocationManager {
  /// True for circles, and for beacons if they can be detected.
  public class func isMonitoringAvailable(for regionClass: AnyClass) -> Bool {
    regionClass == CLCircularRegion.self || (regionClass == CLBeaconRegion.self && LocationDaemon.current.hearsBeacons)
  }

  /// Metres of the largest region.
  public var maximumRegionMonitoringDistance: CLLocationDistance { Regions.largest }

  /// What is watched for the app, whichever of its managers asked for it, in this launch or an earlier one. At most twenty.
  public var monitoredRegions: Set<CLRegion> { Set(daemon.regions.map(\.object)) }

  /// Entry and exit of a circle, or of the surroundings of beacons. A region with the same identifier is replaced. What cannot
  /// be watched is reported to the delegate: circles that are none, beacons without a source, and the twenty-first region.
  public func startMonitoring(for region: CLRegion) {
    guard !(region is CLBeaconRegion) || daemon.hearsBeacons else {
      return failMonitoring(region, "This machine cannot detect beacons; monitor a circle instead.")
    }
    guard let watched = Regions.Region(region), watched.shape != .system else {
      return failMonitoring(region, "A region needs a centre on Earth, or a beacon.")
    }
    send { .watch($0, watched) }
  }

  public func stopMonitoring(for region: CLRegion) { send { .stopWatching($0, identifier: region.identifier) } }

  /// Reports where the device is with regard to a region, whether or not it is watched, as far as the last known position says.
  public func requestState(for region: CLRegion) {
    guard let asked = Regions.Region(region) else {
      return notifyDelegate { $1.locationManager($0, didDetermineState: .unknown, for: region) }
    }
    send { .requestedState($0, asked) }
  }

  private func failMonitoring(_ region: CLRegion, _ reason: String) {
    notifyDelegate { manager, delegate in
      let error = CLError(.regionMonitoringFailure, reason: reason)
      delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
    }
  }
}
