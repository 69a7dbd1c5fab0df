public import Foundation

/// Which beacons are meant: all of a group, or those of it with certain numbers.
///
/// `@unchecked Sendable`: constants only.
public final class CLBeaconIdentityConstraint: NSObject, @unchecked Sendable {
  public let uuid: UUID
  /// `nil`: any.
  public let major: CLBeaconMajorValue?
  /// `nil`: any.
  public let minor: CLBeaconMinorValue?

  public convenience init(uuid: UUID) { self.init(uuid, nil, nil) }
  public convenience init(uuid: UUID, major: CLBeaconMajorValue) { self.init(uuid, major, nil) }
  public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    self.init(uuid, major, minor)
  }

  init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
    self.uuid = uuid
    self.major = major
    self.minor = minor
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLBeaconIdentityConstraint else { return false }
    return uuid == other.uuid && major == other.major && minor == other.minor
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(uuid)
    hasher.combine(major)
    hasher.combine(minor)
    return hasher.finalize()
  }
}

/// The surroundings of beacons.
public final class CLBeaconRegion: CLRegion, @unchecked Sendable {
  // `@unchecked Sendable`: as its superclass; what it adds is constant, or set before a manager gets it.
  public let beaconIdentityConstraint: CLBeaconIdentityConstraint
  /// Whether the state is reported each time the person lights the display: here, when they open the app.
  public var notifyEntryStateOnDisplay = false

  public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
    self.beaconIdentityConstraint = beaconIdentityConstraint
    super.init(identifier: identifier)
  }

  public convenience init(uuid: UUID, identifier: String) {
    self.init(beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid), identifier: identifier)
  }

  public convenience init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major), identifier: identifier)
  }

  public convenience init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
    self.init(
      beaconIdentityConstraint: CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor),
      identifier: identifier)
  }

  /// Deprecated on Apple's systems since iOS 13, as the two below it.
  public convenience init(proximityUUID: UUID, identifier: String) { self.init(uuid: proximityUUID, identifier: identifier) }

  public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    self.init(uuid: proximityUUID, major: major, identifier: identifier)
  }

  public convenience init(
    proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
  ) {
    self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
  }

  public var uuid: UUID { beaconIdentityConstraint.uuid }
  /// Deprecated on Apple's systems since iOS 13.
  public var proximityUUID: UUID { uuid }
  /// `nil`: any.
  public var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }
  /// `nil`: any.
  public var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }
}

/// A beacon that was heard.
///
/// `@unchecked Sendable`: constants only.
public final class CLBeacon: NSObject, @unchecked Sendable {
  public let uuid: UUID
  public let major: NSNumber
  public let minor: NSNumber
  public let proximity: CLProximity
  /// Metres of uncertainty; negative: it could not be measured.
  public let accuracy: CLLocationAccuracy
  /// Strength of its signal in decibels over a milliwatt; 0: it could not be measured.
  public let rssi: Int
  public let timestamp: Date

  /// Deprecated on Apple's systems since iOS 13.
  public var proximityUUID: UUID { uuid }

  package init(
    uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, proximity: CLProximity,
    accuracy: CLLocationAccuracy, rssi: Int, timestamp: Date
  ) {
    self.uuid = uuid
    self.major = NSNumber(value: major)
    self.minor = NSNumber(value: minor)
    self.proximity = proximity
    self.accuracy = accuracy
    self.rssi = rssi
    self.timestamp = timestamp
  }
}
