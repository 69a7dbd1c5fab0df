internal import CoreLocation
public import Foundation

// Names and values are Apple's (Core Motion's headers).

/// An acceleration including gravity, in multiples of 9.80665 m/s². A device that lies on its back has z = −1.
public struct CMAcceleration: Sendable {
  public var x: Double
  public var y: Double
  public var z: Double
  public init() { (x, y, z) = (0, 0, 0) }
  public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A rotation rate in radians per second around each axis.
public struct CMRotationRate: Sendable {
  public var x: Double
  public var y: Double
  public var z: Double
  public init() { (x, y, z) = (0, 0, 0) }
  public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// A magnetic field in microteslas along each axis.
public struct CMMagneticField: Sendable {
  public var x: Double
  public var y: Double
  public var z: Double
  public init() { (x, y, z) = (0, 0, 0) }
  public init(x: Double, y: Double, z: Double) { (self.x, self.y, self.z) = (x, y, z) }
}

/// The accuracy of the calibration of a magnetometer.
public enum CMMagneticFieldCalibrationAccuracy: Int32, Sendable {
  case uncalibrated = -1
  case low = 0
  case medium = 1
  case high = 2
}

/// A magnetic field without the field of the device itself.
public struct CMCalibratedMagneticField: Sendable {
  public var field: CMMagneticField
  public var accuracy: CMMagneticFieldCalibrationAccuracy
  public init() { (field, accuracy) = (CMMagneticField(), .uncalibrated) }
  public init(field: CMMagneticField, accuracy: CMMagneticFieldCalibrationAccuracy) {
    (self.field, self.accuracy) = (field, accuracy)
  }
}

/// A measurement of an accelerometer.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMAccelerometerData: CMLogItem, @unchecked Sendable {
  private let values: [Double]

  open var acceleration: CMAcceleration { CMAcceleration(x: values[0], y: values[1], z: values[2]) }

  public override init() {
    values = [0, 0, 0]
    super.init()
  }

  init(_ acceleration: CMAcceleration, timestamp: TimeInterval) {
    values = [acceleration.x, acceleration.y, acceleration.z]
    super.init(timestamp: timestamp)
  }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: [Double].self), values.count == 3 else { return nil }
    self.values = values
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(values: values)
  }
}

/// A measurement of an accelerometer that a sensor recorder stored.
open class CMRecordedAccelerometerData: CMAccelerometerData, @unchecked Sendable {
  // `@unchecked Sendable`: as its superclass.
  open var identifier: UInt64 { 0 }
  open var startDate: Date { Date(timeIntervalSinceReferenceDate: timestamp) }
}

/// A measurement of a gyroscope. The values are 0, except in subclasses.
open class CMGyroData: CMLogItem, @unchecked Sendable {
  // `@unchecked Sendable`: as its superclass.
  open var rotationRate: CMRotationRate { CMRotationRate() }
}

/// A measurement of a magnetometer. The values are 0, except in subclasses.
open class CMMagnetometerData: CMLogItem, @unchecked Sendable {
  // `@unchecked Sendable`: as its superclass.
  open var magneticField: CMMagneticField { CMMagneticField() }
}
