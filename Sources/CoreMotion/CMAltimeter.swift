internal import CoreLocation
public import Foundation

/// Receives a change of the altitude, or an error.
public typealias CMAltitudeHandler = (CMAltitudeData?, (any Error)?) -> Void
/// Receives an altitude, or an error.
public typealias CMAbsoluteAltitudeHandler = (CMAbsoluteAltitudeData?, (any Error)?) -> Void

/// A change of the altitude since updates began.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMAltitudeData: CMLogItem, @unchecked Sendable {
  /// The change of the altitude in metres.
  open var relativeAltitude: NSNumber { 0 }
  /// The air pressure in kilopascals.
  open var pressure: NSNumber { 0 }
}

/// An altitude.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMAbsoluteAltitudeData: CMLogItem, @unchecked Sendable {
  /// The altitude in metres above mean sea level.
  open var altitude: Double { 0 }
  /// The uncertainty of the altitude in metres.
  open var accuracy: Double { 0 }
  /// The precision of the altitude in metres.
  open var precision: Double { 0 }
}

/// The barometer. It is unavailable on Linux and on a simulated phone: handlers receive ``CMErrorNotAvailable`` once.
///
/// `@unchecked Sendable`: it has no state. A subclass is responsible for its own state.
open class CMAltimeter: NSObject, @unchecked Sendable {
  open class func isRelativeAltitudeAvailable() -> Bool { false }
  open class func isAbsoluteAltitudeAvailable() -> Bool { false }
  open class func authorizationStatus() -> CMAuthorizationStatus { .restricted }

  private var absent: NSError { CMErrorNotAvailable.error("This machine has no barometer.") }

  open func startRelativeAltitudeUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAltitudeHandler) {
    AbsentDevice.report(absent, on: queue) { handler(nil, $0) }
  }
  open func stopRelativeAltitudeUpdates() {}
  open func startAbsoluteAltitudeUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAbsoluteAltitudeHandler) {
    AbsentDevice.report(absent, on: queue) { handler(nil, $0) }
  }
  open func stopAbsoluteAltitudeUpdates() {}
}
