public import Foundation

// Devices that only Apple's systems have. Here each reports that it is unavailable.

/// A delegate for the connection of headphones with sensors. Its methods are never called on Linux.
public protocol CMHeadphoneMotionManagerDelegate: NSObjectProtocol {
  func headphoneMotionManagerDidConnect(_ manager: CMHeadphoneMotionManager)
  func headphoneMotionManagerDidDisconnect(_ manager: CMHeadphoneMotionManager)
}

extension CMHeadphoneMotionManagerDelegate {
  public func headphoneMotionManagerDidConnect(_ manager: CMHeadphoneMotionManager) {}
  public func headphoneMotionManagerDidDisconnect(_ manager: CMHeadphoneMotionManager) {}
}

/// The sensors of headphones, which are unavailable on Linux.
open class CMHeadphoneMotionManager: NSObject {
  open weak var delegate: (any CMHeadphoneMotionManagerDelegate)?
  open class func authorizationStatus() -> CMAuthorizationStatus { .restricted }
  open var isDeviceMotionAvailable: Bool { false }
  open var isDeviceMotionActive: Bool { false }
  open var deviceMotion: CMDeviceMotion? { nil }
  open func startDeviceMotionUpdates() {}
  open func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler) {
    AbsentDevice.report(CMErrorNotAvailable.error("This machine has no headphones with sensors."), on: queue) { handler(nil, $0) }
  }
  open func stopDeviceMotionUpdates() {}
}

/// The recorded data of a sensor recorder: always empty.
open class CMSensorDataList: NSObject, Sequence {
  public func makeIterator() -> IndexingIterator<[CMRecordedAccelerometerData]> { [CMRecordedAccelerometerData]().makeIterator() }
}

/// The sensor recorder of watches, which is unavailable on Linux.
open class CMSensorRecorder: NSObject {
  open class func isAccelerometerRecordingAvailable() -> Bool { false }
  open class func authorizationStatus() -> CMAuthorizationStatus { .restricted }
  open func recordAccelerometer(forDuration duration: TimeInterval) {}
  open func accelerometerData(from fromDate: Date, to toDate: Date) -> CMSensorDataList? { nil }
}
