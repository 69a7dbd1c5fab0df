public import Foundation

/// What an archive has of a beacon's identity.
struct BeaconNumbers: Codable, Hashable {
  var uuid: UUID
  var major: UInt16?
  var minor: UInt16?

  /// No beacon has it.
  static let none = BeaconNumbers(uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}

/// Which beacons are meant: all of a group, or those of it with certain numbers.
///
/// `@unchecked Sendable`: constants only.
open class CLBeaconIdentityConstraint: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private let numbers: BeaconNumbers

  open var uuid: UUID { numbers.uuid }
  /// `nil`: any.
  open var major: CLBeaconMajorValue? { numbers.major }
  /// `nil`: any.
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

/// The surroundings of beacons.
///
/// `@unchecked Sendable`: as its superclass; what it adds is constant, or set before a manager gets it.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
  private struct Values: Codable {
    var numbers: BeaconNumbers
    var notifyEntryStateOnDisplay: Bool
  }

  private let constraint: CLBeaconIdentityConstraint

  open var beaconIdentityConstraint: CLBeaconIdentityConstraint { constraint }
  /// Whether the state is reported each time the person lights the display: here, when they open the app.
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

  /// Deprecated on Apple's systems since iOS 13, as the two below it.
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
  /// `nil`: any.
  open var major: NSNumber? { beaconIdentityConstraint.major.map { NSNumber(value: $0) } }
  /// `nil`: any.
  open var minor: NSNumber? { beaconIdentityConstraint.minor.map { NSNumber(value: $0) } }

  /// What a device advertises to be this beacon: the data of an iBeacon, under the key that Core Bluetooth takes.
  /// - Parameter measuredPower: decibels over a milliwatt at a distance of a metre; `nil`: −59, the usual value of phones.
  /// - Returns: 21 bytes: the UUID, both numbers (0 where any is meant), the power.
  open func peripheralData(withMeasuredPower measuredPower: NSNumber?) -> NSMutableDictionary {
    var data = withUnsafeBytes(of: uuid.uuid) { Data($0) }
    for number in [beaconIdentityConstraint.major ?? 0, beaconIdentityConstraint.minor ?? 0] {
      data += [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
    data.append(UInt8(truncatingIfNeeded: measuredPower?.intValue ?? -59))
    return NSMutableDictionary(dictionary: ["kCBAdvDataAppleBeaconKey": data])
  }
}

/// A beacon that was received.
///
/// `@unchecked Sendable`: constants only.
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
  /// Metres of uncertainty; negative: it could not be measured.
  open var accuracy: CLLocationAccuracy { values.accuracy }
  /// Strength of its signal in decibels over a milliwatt; 0: it could not be measured.
  open var rssi: Int { values.rssi }
  open var timestamp: Date { values.timestamp }

  /// Deprecated on Apple's systems since iOS 13.
  open var proximityUUID: UUID { uuid }

  /// A beacon that was not measured, with zeros as its identity.
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
