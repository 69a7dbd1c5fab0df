public import Foundation

/// What a pedometer counted.
///
/// `@unchecked Sendable`: constants only.
public final class CMPedometerData: NSObject, @unchecked Sendable {
  public let startDate: Date
  public let endDate: Date
  public let numberOfSteps: NSNumber

  package init(startDate: Date, endDate: Date, numberOfSteps: NSNumber) {
    self.startDate = startDate
    self.endDate = endDate
    self.numberOfSteps = numberOfSteps
  }
}

/// The pedometer. Machines that run Linux have none, and this says so.
public final class CMPedometer: NSObject {
  public class func isStepCountingAvailable() -> Bool { false }
  public class func authorizationStatus() -> CMAuthorizationStatus { .restricted }
  /// Tells an error where ``isStepCountingAvailable()`` is false, as on Apple's devices without the chip.
  public func queryPedometerData(
    from start: Date, to end: Date, withHandler handler: @escaping @Sendable (CMPedometerData?, (any Error)?) -> Void
  ) {
    handler(nil, NSError(domain: "CMErrorDomain", code: 109))
  }
}
