internal import CoreLocation
public import Foundation

/// Gets a change of the altitude, or why there is none.
public typealias CMAltitudeHandler = (CMAltitudeData?, (any Error)?) -> Void
/// Gets an altitude, or why there is none.
public typealias CMAbsoluteAltitudeHandler = (CMAbsoluteAltitudeData?, (any Error)?) -> Void

/// A change of the altitude since updates began.
///
/// `@unchecked Sendable`: constants only; subclasses answer for what they add.
open class CMAltitudeData: CMLogItem, @unchecked Sendable {
  /// Metres.
  open var relativeAltitude: NSNumber { 0 }
  /// Kilopascals.
  open var pressure: NSNumber { 0 }
}

/// An altitude.
///
/// `@unchecked Sendable`: constants only; subclasses answer for what they add.
open class CMAbsoluteAltitudeData: CMLogItem, @unchecked Sendable {
  /// Metres above mean sea level.
  open var altitude: Double { 0 }
  /// Metres of uncertainty.
  open var accuracy: Double { 0 }
  /// Metres.
  open var precision: Double { 0 }
}

/// The barometer. No machine, file or simulated phone here has one: handlers get ``CMErrorNotAvailable`` once.
///
/// `@unchecked Sendable`: nothing is stored; subclasses answer for what they add.
open class CMAltimeter: NSObject, @unchecked Sendable {
  open class func isRelativeAltitudeAvailable() -> Bool { false }
  open class func isAbsoluteAltitudeAvailable() -> Bool { false }
  open class func authorizationStatus() -> CMAuthorizationStatus { .restricted }

  private var absent: NSError { CMErrorNotAvailable.error("This machine has no barometer.") }

  open func startRelativeAltitudeUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAltitudeHandler) {
    handler(nil, absent)
  }
  open func stopRelativeAltitudeUpdates() {}
  open func startAbsoluteAltitudeUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAbsoluteAltitudeHandler) {
    handler(nil, absent)
  }
  open func stopAbsoluteAltitudeUpdates() {}
}
