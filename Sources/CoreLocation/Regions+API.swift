internal import Foundation
internal import GodwitModel

/// Conversions between the API's regions and beacons and those of the location services.
extension Regions.Region {
  /// Converts a region; `nil`: a circle whose centre is not a valid coordinate.
  init?(_ region: CLRegion) {
    let shape: Regions.Shape
    switch region {
    case let circle as CLCircularRegion:
      guard let center = Coordinate(latitude: circle.center.latitude, longitude: circle.center.longitude) else { return nil }
      shape = .circle(center: center, radius: circle.radius)
    case let beacon as CLBeaconRegion: shape = .beacon(Beacons.Identity(beacon.beaconIdentityConstraint))
    default: shape = .system
    }
    self.init(
      identifier: region.identifier, shape: shape, notifyOnEntry: region.notifyOnEntry, notifyOnExit: region.notifyOnExit)
    notifyOnDisplay = (region as? CLBeaconRegion)?.notifyEntryStateOnDisplay == true
  }

  /// The region as an object for delegates.
  var object: CLRegion {
    let region =
      switch shape {
      case .circle(let center, let radius):
        CLCircularRegion(
          center: CLLocationCoordinate2D(latitude: center.latitude, longitude: center.longitude), radius: radius,
          identifier: identifier)
      case .beacon(let identity):
        CLBeaconRegion(beaconIdentityConstraint: identity.constraint, identifier: identifier)
      case .system: CLRegion(identifier: identifier)
      }
    region.notifyOnEntry = notifyOnEntry
    region.notifyOnExit = notifyOnExit
    (region as? CLBeaconRegion)?.notifyEntryStateOnDisplay = notifyOnDisplay
    return region
  }
}

extension Beacons.Identity {
  init(_ constraint: CLBeaconIdentityConstraint) {
    self.init(uuid: constraint.uuid, major: constraint.major, minor: constraint.minor)
  }

  var constraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(uuid, major, minor) }
}

extension CLBeacon {
  convenience init(_ beacon: Beacons.Ranged) {
    self.init(
      uuid: beacon.uuid, major: beacon.major, minor: beacon.minor,
      proximity: CLProximity(rawValue: beacon.proximity.rawValue) ?? .unknown, accuracy: beacon.accuracy, rssi: beacon.rssi,
      timestamp: beacon.time)
  }
}
