// As on Apple's systems, `import CoreMotion` also imports Foundation.
internal import CoreLocation
@_exported public import Foundation

/// The permission of the program to access motion data.
public enum CMAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorized = 3
}

/// The confidence of a motion chip in an activity.
public enum CMMotionActivityConfidence: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

/// An activity that a motion chip detected. Several properties can be true at once: a car at a traffic light is `automotive` and
/// `stationary`.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMMotionActivity: CMLogItem, @unchecked Sendable {
  private struct Values: Codable {
    var startDate = Date(timeIntervalSinceReferenceDate: 0)
    var confidence = CMMotionActivityConfidence.low.rawValue
    var unknown = false
    var stationary = false
    var walking = false
    var running = false
    var automotive = false
    var cycling = false
  }

  private let values: Values

  open var startDate: Date { values.startDate }
  open var confidence: CMMotionActivityConfidence { CMMotionActivityConfidence(rawValue: values.confidence) ?? .low }
  open var unknown: Bool { values.unknown }
  open var stationary: Bool { values.stationary }
  open var walking: Bool { values.walking }
  open var running: Bool { values.running }
  open var automotive: Bool { values.automotive }
  open var cycling: Bool { values.cycling }

  /// Creates an object without an activity and with low confidence. Apple documents no values.
  public override init() {
    values = Values()
    super.init()
  }

  package init(
    startDate: Date, confidence: CMMotionActivityConfidence, unknown: Bool = false, stationary: Bool = false,
    walking: Bool = false, running: Bool = false, automotive: Bool = false, cycling: Bool = false
  ) {
    values = Values(
      startDate: startDate, confidence: confidence.rawValue, unknown: unknown, stationary: stationary, walking: walking,
      running: running, automotive: automotive, cycling: cycling)
    super.init(timestamp: startDate.timeIntervalSinceReferenceDate)
  }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    self.values = values
    super.init(coder: coder)
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(values: values)
  }
}
