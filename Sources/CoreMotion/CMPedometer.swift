public import Foundation

/// What a pedometer counted.
///
/// `@unchecked Sendable`: constants only.
public final class CMPedometerData: NSObject, @unchecked Sendable {
  public let startDate: Date
  public let endDate: Date
  public let numberOfSteps: NSNumber
  /// Metres; `nil`: not measured.
  public let distance: NSNumber?
  public let floorsAscended: NSNumber?
  public let floorsDescended: NSNumber?
  /// Seconds a metre, now; `nil`: not known.
  public let currentPace: NSNumber?
  /// Steps a second, now; `nil`: not known.
  public let currentCadence: NSNumber?
  /// Seconds a metre, of the whole time that was walked; `nil`: not known.
  public let averageActivePace: NSNumber?

  package init(
    startDate: Date, endDate: Date, numberOfSteps: NSNumber, distance: NSNumber? = nil, floorsAscended: NSNumber? = nil,
    floorsDescended: NSNumber? = nil, currentPace: NSNumber? = nil, currentCadence: NSNumber? = nil,
    averageActivePace: NSNumber? = nil
  ) {
    self.startDate = startDate
    self.endDate = endDate
    self.numberOfSteps = numberOfSteps
    self.distance = distance
    self.floorsAscended = floorsAscended
    self.floorsDescended = floorsDescended
    self.currentPace = currentPace
    self.currentCadence = currentCadence
    self.averageActivePace = averageActivePace
  }
}

/// Whether walking stopped or continued.
public enum CMPedometerEventType: Int, Sendable {
  case pause = 0
  case resume = 1
}

/// Walking stopped or continued.
///
/// `@unchecked Sendable`: constants only.
public final class CMPedometerEvent: NSObject, @unchecked Sendable {
  public let date: Date
  public let type: CMPedometerEventType

  package init(date: Date, type: CMPedometerEventType) {
    self.date = date
    self.type = type
  }
}

/// Gets what was counted, or why nothing was.
public typealias CMPedometerHandler = (CMPedometerData?, (any Error)?) -> Void
/// Gets what happened, or why nothing can.
public typealias CMPedometerEventHandler = (CMPedometerEvent?, (any Error)?) -> Void

/// The pedometer. Machines that run Linux have none, and this says so: every handler gets ``CMErrorNotAvailable``, as on
/// Apple's devices without the chip. A simulated phone has one, for questions about the past.
public final class CMPedometer: NSObject {
  public class func isStepCountingAvailable() -> Bool { MotionCoprocessor.current.isChip }
  public class func isDistanceAvailable() -> Bool { false }
  public class func isFloorCountingAvailable() -> Bool { false }
  public class func isPaceAvailable() -> Bool { false }
  public class func isCadenceAvailable() -> Bool { false }
  public class func isPedometerEventTrackingAvailable() -> Bool { false }
  public class func authorizationStatus() -> CMAuthorizationStatus {
    let chip = MotionCoprocessor.current
    return chip.isChip ? chip.authorization : .restricted
  }

  private var absent: NSError { CMErrorNotAvailable.error("This machine has no pedometer.") }

  public func queryPedometerData(from start: Date, to end: Date, withHandler handler: @escaping CMPedometerHandler) {
    let chip = MotionCoprocessor.current
    guard chip.isChip else { return handler(nil, absent) }
    guard chip.isAllowed else {
      return handler(
        nil, CMErrorMotionActivityNotAuthorized.error("The user does not allow this program to access motion data."))
    }
    let steps = chip.steps(from: start, to: end)
    handler(CMPedometerData(startDate: start, endDate: end, numberOfSteps: NSNumber(value: steps)), nil)
  }

  public func startUpdates(from start: Date, withHandler handler: @escaping CMPedometerHandler) { handler(nil, absent) }
  public func stopUpdates() {}
  public func startEventUpdates(handler: @escaping CMPedometerEventHandler) { handler(nil, absent) }
  public func stopEventUpdates() {}
}
