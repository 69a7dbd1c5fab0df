internal import CoreLocation
public import Foundation

/// The data of a pedometer.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMPedometerData: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var startDate = Date(timeIntervalSinceReferenceDate: 0)
    var endDate = Date(timeIntervalSinceReferenceDate: 0)
    var numberOfSteps = 0
    var distance: Double?
    var floorsAscended: Int?
    var floorsDescended: Int?
    var currentPace: Double?
    var currentCadence: Double?
    var averageActivePace: Double?
  }

  private let values: Values

  open var startDate: Date { values.startDate }
  open var endDate: Date { values.endDate }
  open var numberOfSteps: NSNumber { NSNumber(value: values.numberOfSteps) }
  /// The distance in metres; `nil`: not measured.
  open var distance: NSNumber? { values.distance.map { NSNumber(value: $0) } }
  open var floorsAscended: NSNumber? { values.floorsAscended.map { NSNumber(value: $0) } }
  open var floorsDescended: NSNumber? { values.floorsDescended.map { NSNumber(value: $0) } }
  /// The current pace in seconds per metre; `nil`: unknown.
  open var currentPace: NSNumber? { values.currentPace.map { NSNumber(value: $0) } }
  /// The current cadence in steps per second; `nil`: unknown.
  open var currentCadence: NSNumber? { values.currentCadence.map { NSNumber(value: $0) } }
  /// The average pace while walking in seconds per metre; `nil`: unknown.
  open var averageActivePace: NSNumber? { values.averageActivePace.map { NSNumber(value: $0) } }

  /// Creates data of an empty period without steps. Apple documents no values.
  public override init() {
    values = Values()
    super.init()
  }

  package init(
    startDate: Date, endDate: Date, numberOfSteps: NSNumber, distance: NSNumber? = nil, floorsAscended: NSNumber? = nil,
    floorsDescended: NSNumber? = nil, currentPace: NSNumber? = nil, currentCadence: NSNumber? = nil,
    averageActivePace: NSNumber? = nil
  ) {
    values = Values(
      startDate: startDate, endDate: endDate, numberOfSteps: numberOfSteps.intValue, distance: distance?.doubleValue,
      floorsAscended: floorsAscended?.intValue, floorsDescended: floorsDescended?.intValue,
      currentPace: currentPace?.doubleValue, currentCadence: currentCadence?.doubleValue,
      averageActivePace: averageActivePace?.doubleValue)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: values) }

  /// Returns the object itself, which is immutable.
  /// - Parameter zone: not used.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The kind of a pedometer event: walking stopped or continued.
public enum CMPedometerEventType: Int, Sendable {
  case pause = 0
  case resume = 1
}

/// An event of a pedometer: walking stopped or continued.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMPedometerEvent: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var type = CMPedometerEventType.pause.rawValue
  }

  private let values: Values

  open var date: Date { values.date }
  open var type: CMPedometerEventType { CMPedometerEventType(rawValue: values.type) ?? .pause }

  /// Creates a pause with the date 2001-01-01 00:00 UTC. Apple documents no values.
  public override init() {
    values = Values()
    super.init()
  }

  package init(date: Date, type: CMPedometerEventType) {
    values = Values(date: date, type: type.rawValue)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: values) }

  /// Returns the event itself, which is immutable.
  /// - Parameter zone: not used.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Receives the data of a pedometer, or an error.
public typealias CMPedometerHandler = (CMPedometerData?, (any Error)?) -> Void
/// Receives an event of a pedometer, or an error.
public typealias CMPedometerEventHandler = (CMPedometerEvent?, (any Error)?) -> Void

/// The pedometer. It is unavailable on Linux: every handler receives ``CMErrorNotAvailable``, as on Apple's devices without a
/// motion chip. A simulated phone has a pedometer that supports only queries of past periods.
open class CMPedometer: NSObject {
  open class func isStepCountingAvailable() -> Bool { MotionCoprocessor.current.isChip }
  open class func isDistanceAvailable() -> Bool { false }
  open class func isFloorCountingAvailable() -> Bool { false }
  open class func isPaceAvailable() -> Bool { false }
  open class func isCadenceAvailable() -> Bool { false }
  open class func isPedometerEventTrackingAvailable() -> Bool { false }
  open class func authorizationStatus() -> CMAuthorizationStatus {
    let chip = MotionCoprocessor.current
    return chip.isChip ? chip.authorization : .restricted
  }

  private var absent: NSError { CMErrorNotAvailable.error("This machine has no pedometer.") }

  open func queryPedometerData(from start: Date, to end: Date, withHandler handler: @escaping CMPedometerHandler) {
    let chip = MotionCoprocessor.current
    guard chip.isChip else { return handler(nil, absent) }
    guard chip.isAllowed else {
      return handler(
        nil, CMErrorMotionActivityNotAuthorized.error("The user does not allow this program to access motion data."))
    }
    let steps = chip.steps(from: start, to: end)
    handler(CMPedometerData(startDate: start, endDate: end, numberOfSteps: NSNumber(value: steps)), nil)
  }

  open func startUpdates(from start: Date, withHandler handler: @escaping CMPedometerHandler) { handler(nil, absent) }
  open func stopUpdates() {}
  open func startEventUpdates(handler: @escaping CMPedometerEventHandler) { handler(nil, absent) }
  open func stopEventUpdates() {}
}
