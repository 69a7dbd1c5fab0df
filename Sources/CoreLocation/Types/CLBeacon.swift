public import Foundation

/// The identity of beacons in an archive.
struct BeaconNumbers: Codable, Hashable {
  var uuid: UUID
  var major: UInt16?
  var minor: UInt16?

  /// An identity of zeros, which no beacon has.
  static let none = BeaconNumbers(uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

/// A set of beacons: all beacons with a UUID, or those that also have certain numbers.
///
/// `@unchecked Sendable`: it has only constants.
open class CLBeaconIdentityConstraint: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private let numbers: BeaconNumbers

  open var uuid: UUID { numbers.uuid }
  /// The major number; `nil`: any.
  open var major: CLBeaconMajorValue? { numbers.major }
  /// The minor number; `nil`: any.
  open var minor: CLBeaconMinorValue? { numbers.minor }

  public init(uuid: UUID) {
    numbers = BeaconNumbers(uuid: uuid)
    super.init()
  }

  public init(uuid: UUID, major: CLBeaconMajorValue) {
    numbers = BeaconNumbers(uuid: uuid, major: major)
    super.init()
  }

  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
    numbers = BeaconNumbers(uuid: uuid, major: major, minor: minor)
    super.init()
  }

  init(_ uuid: UUID, _ major: CLBeaconMajorValue?, _ minor: CLBeaconMinorValue?) {
    numbers = BeaconNumbers(uuid: uuid, major: major, minor: minor)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let numbers = coder.decode(values: BeaconNumbers.self) else { return nil }
    self.numbers = numbers
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: numbers) }
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CLBeaconIdentityConstraint else { return false }
    return uuid == other.uuid && major == other.major && minor == other.minor
  }

  open override var hash: Int { BeaconNumbers(uuid: uuid, major: major, minor: minor).hashValue }
}

/// A region that the device is in while a beacon is near.
///
/// `@unchecked Sendable`: as its superclass. Its own state is constant, or set before the region is passed to a manager.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
  private struct Values: Codable {
    var numbers: BeaconNumbers
    var notifyEntryStateOnDisplay: Bool
  }

  private let constraint: CLBeaconIdentityConstraint

  open var beaconIdentityConstraint: CLBeaconIdentityConstraint { constraint }
  /// Whether the state is reported each time the user turns on the display. On a simulated phone it is reported when the user
  /// opens the app.
  open var notifyEntryStateOnDisplay = false

  public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
    constraint = beaconIdentityConstraint
    super.init(identifier: identifier)
  }

  public init(uuid: UUID, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: uuid)
    super.init(identifier: identifier)
  }

  public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: uuid, major: major)
    super.init(identifier: identifier)
  }

  public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: uuid, major: major, minor: minor)
    super.init(identifier: identifier)
  }

  /// Deprecated on Apple's systems since iOS 13. The same applies to the two below.
  public init(proximityUUID: UUID, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: proximityUUID)
    super.init(identifier: identifier)
  }

  public init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: proximityUUID, major: major)
    super.init(identifier: identifier)
  }

  public init(proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
    constraint = CLBeaconIdentityConstraint(uuid: proximityUUID, major: major, minor: minor)
    super.init(identifier: identifier)
  }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self, forKey: "beacon") else { return nil }
    constraint = CLBeaconIdentityConstraint(values.numbers.uuid, values.numbers.major, values.numbers.minor)
    super.init(coder: coder)
    notifyEntryStateOnDisplay = values.notifyEntryStateOnDisplay
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    let numbers = BeaconNumbers(
      uuid: beaconIdentityConstraint.uuid, major: beaconIdentityConstraint.major, minor: beaconIdentityConstraint.minor)
    coder.encode(values: Values(numbers: numbers, notifyEntryStateOnDisplay: notifyEntryStateOnDisplay), forKey: "beacon")
  }

  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CLBeaconRegion(beaconIdentityConstraint: beaconIdentityConstraint, identifier: identifier)
    copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
    return withNotifications(copy)
  }

  open var uuid: UUID { beaconIdentityConstraint.uuid }
  /// Deprecated on Apple's systems since iOS 13.
  open var proximityUUID: UUID { uuid }
  /// The major number; `nil`: any.
  open var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }
  /// The minor number; `nil`: any.
  open var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

  /// Returns the data with which a device advertises itself as this beacon, under the key that Core Bluetooth expects.
  /// - Parameter measuredPower: the signal strength at 1 m in dBm; `nil`: −59, the usual value of phones.
  /// - Returns: 21 bytes: the UUID, both numbers (0 for any), the power.
  open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
    var data = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    for number in [beaconIdentityConstraint.major ?? 0, beaconIdentityConstraint.minor ?? 0] {
      data += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    data.append(UInt8(truncatingIfNeeded: measuredPower?.intValue ?? -59))
    return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": data])
  }
}

/// A received beacon.
///
/// `@unchecked Sendable`: it has only constants.
open class CLBeacon: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var numbers: BeaconNumbers
    var proximity = CLProximity.unknown.rawValue
    var accuracy = -1.0
    var rssi = 0
    var timestamp = Date()
  }

  private let values: Values

  open var uuid: UUID { values.numbers.uuid }
  open var major: NSNumber { NSNumber(value: values.numbers.major ?? 0) }
  open var minor: NSNumber { NSNumber(value: values.numbers.minor ?? 0) }
  open var proximity: CLProximity { CLProximity(rawValue: values.proximity) ?? .unknown }
  /// The distance in metres; negative: not measured.
  open var accuracy: CLLocationAccuracy { values.accuracy }
  /// The signal strength in dBm; 0: not measured.
  open var rssi: Int { values.rssi }
  open var timestamp: Date { values.timestamp }

  /// Deprecated on Apple's systems since iOS 13.
  open var proximityUUID: UUID { uuid }

  /// Creates a beacon that was not measured, with zeros as its identity.
  public override init() {
    values = Values(numbers: .none)
    super.init()
  }

  package init(
    uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, proximity: CLProximity,
    accuracy: CLLocationAccuracy, rssi: Int, timestamp: Date
  ) {
    values = Values(
      numbers: BeaconNumbers(uuid: uuid, major: major, minor: minor), proximity: proximity.rawValue, accuracy: accuracy,
      rssi: rssi, timestamp: timestamp)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: values) }
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "CLBeacon (uuid: \(uuid), major: \(major), minor: \(minor), proximity: \(proximity), accuracy: \(accuracy), rssi: \(rssi))"
  }
}
