public import Foundation

/// A floor of a building.
///
/// `@unchecked Sendable`: it has only a constant.
open class CLFloor: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private let stored: Int

  /// The number of the floor; 0 is the ground floor.
  open var level: Int { stored }

  /// Creates the ground floor.
  public override init() {
    stored = 0
    super.init()
  }

  package init(level: Int) {
    stored = level
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let level = coder.decode(values: [Int].self)?.first else { return nil }
    stored = level
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: [level]) }
  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override func isEqual(_ object: Any?) -> Bool { (object as? CLFloor)?.level == level }
  open override var hash: Int { level.hashValue }
}

/// The source of a location.
///
/// `@unchecked Sendable`: it has only constants.
open class CLLocationSourceInformation: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var isSimulated: Bool
    var isAccessory: Bool
  }

  private let values: Values

  /// Whether the location was replayed or simulated.
  open var isSimulatedBySoftware: Bool { values.isSimulated }
  /// Whether the location comes from an external receiver, for example through gpsd.
  open var isProducedByAccessory: Bool { values.isAccessory }

  public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
    values = Values(isSimulated: isSoftware, isAccessory: isAccessory)
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
}
