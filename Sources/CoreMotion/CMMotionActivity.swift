// Code that imports Core Motion on Apple's systems gets Foundation with it; here too.
internal import CoreLocation
@_exported public import Foundation

/// Whether the person allows motion to be read.
public enum CMAuthorizationStatus: Int, Sendable {
  case notDetermined = 0
  case restricted = 1
  case denied = 2
  case authorized = 3
}

/// How sure a motion chip is.
public enum CMMotionActivityConfidence: Int, Sendable {
  case low = 0
  case medium = 1
  case high = 2
}

/// What a motion chip saw. Several can be true at once: a car at a light is `automotive` and `stationary`.
///
/// `@unchecked Sendable`: constants only; subclasses answer for what they add.
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

  /// No activity, with low confidence. Apple documents no values.
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
