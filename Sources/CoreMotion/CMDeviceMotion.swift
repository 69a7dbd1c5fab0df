internal import CoreLocation
public import Foundation

// Names and values are Apple's (Core Motion's headers). No source on Linux has an attitude: the values are those of a device at rest
// in its reference frame. Subclasses can have other values.

/// A rotation as a quaternion.
public struct CMQuaternion: Sendable {
  public var x: Double
  public var y: Double
  public var z: Double
  public var w: Double
  public init() { (x, y, z, w) = (0, 0, 0, 1) }
  public init(x: Double, y: Double, z: Double, w: Double) { (self.x, self.y, self.z, self.w) = (x, y, z, w) }
}

/// A rotation as a matrix.
public struct CMRotationMatrix: Sendable {
  public var m11 = 1.0
  public var m12 = 0.0
  public var m13 = 0.0
  public var m21 = 0.0
  public var m22 = 1.0
  public var m23 = 0.0
  public var m31 = 0.0
  public var m32 = 0.0
  public var m33 = 1.0
  public init() {}
}

/// The reference frame of an attitude.
public struct CMAttitudeReferenceFrame: OptionSet, Sendable {
  public var rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let xArbitraryZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 0)
  public static let xArbitraryCorrectedZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 1)
  public static let xMagneticNorthZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 2)
  public static let xTrueNorthZVertical = CMAttitudeReferenceFrame(rawValue: 1 << 3)
}

/// The orientation of a device.
///
/// `@unchecked Sendable`: it has no state. A subclass is responsible for its own state.
open class CMAttitude: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  /// The roll in radians.
  open var roll: Double { 0 }
  /// The pitch in radians.
  open var pitch: Double { 0 }
  /// The yaw in radians.
  open var yaw: Double { 0 }
  open var rotationMatrix: CMRotationMatrix { CMRotationMatrix() }
  open var quaternion: CMQuaternion { CMQuaternion() }

  public override init() { super.init() }

  /// Has no effect, because all attitudes are equal.
  open func multiply(byInverseOf attitude: CMAttitude) {}

  open class var supportsSecureCoding: Bool { true }
  public required init?(coder: NSCoder) { super.init() }
  open func encode(with coder: NSCoder) {}
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The motion of a device, computed from its sensors.
open class CMDeviceMotion: CMLogItem, @unchecked Sendable {
  // `@unchecked Sendable`: as its superclass.
  /// The location of the sensors.
  public enum SensorLocation: Int, Sendable {
    case `default` = 0
    case headphoneLeft = 1
    case headphoneRight = 2
  }

  open var attitude: CMAttitude { CMAttitude() }
  open var rotationRate: CMRotationRate { CMRotationRate() }
  open var gravity: CMAcceleration { CMAcceleration(x: 0, y: 0, z: -1) }
  open var userAcceleration: CMAcceleration { CMAcceleration() }
  open var magneticField: CMCalibratedMagneticField { CMCalibratedMagneticField() }
  /// The heading in degrees from north; −1: unknown, as Apple documents.
  open var heading: Double { -1 }
  open var sensorLocation: SensorLocation { .default }
}
