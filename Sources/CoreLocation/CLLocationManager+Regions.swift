extension CLLocationManager {
  func watch(_ region: CLRegion) {
    guard !(region is CLBeaconRegion) || session.daemon.canDetectBeacons else {
      return failMonitoring(region, "This machine cannot detect beacons; monitor a circle instead.")
    }
    guard let watched = Regions.Region(region), watched.shape != .system else {
      return failMonitoring(region, "A region needs a centre on Earth, or a beacon.")
    }
    session.send { .watch($0, watched) }
  }

  func askState(of region: CLRegion) {
    guard let asked = Regions.Region(region) else {
      return notifyDelegate { $1.locationManager($0, didDetermineState: .unknown, for: region) }
    }
    session.send { .requestedState($0, asked) }
  }

  private func failMonitoring(_ region: CLRegion, _ reason: String) {
    notifyDelegate { manager, delegate in
      let error = CLError(.regionMonitoringFailure, reason: reason)
      delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
    }
  }
}
