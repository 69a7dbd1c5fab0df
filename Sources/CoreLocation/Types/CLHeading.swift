public import Foundation

/// The direction in which the device points.
///
/// `@unchecked Sendable`: it has only constants.
open class CLHeading: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private struct Values: Codable {
    var magneticHeading: CLLocationDirection
    var trueHeading: CLLocationDirection
    var headingAccuracy: CLLocationDirection
    var x: CLHeadingComponentValue
    var y: CLHeadingComponentValue
    var z: CLHeadingComponentValue
    var timestamp: Date
  }

  private let values: Values

  /// The heading in degrees clockwise from magnetic north; negative: unknown.
  open var magneticHeading: CLLocationDirection { values.magneticHeading }
  /// The heading in degrees clockwise from true north; negative: invalid.
  open var trueHeading: CLLocationDirection { values.trueHeading }
  /// The maximum error of `magneticHeading` in degrees; negative: invalid.
  open var headingAccuracy: CLLocationDirection { values.headingAccuracy }
  open var x: CLHeadingComponentValue { values.x }
  open var y: CLHeadingComponentValue { values.y }
  open var z: CLHeadingComponentValue { values.z }
  open var timestamp: Date { values.timestamp }

  /// Creates an invalid heading: Apple documents a negative accuracy and a negative true heading as invalid.
  public override init() {
    values = Values(magneticHeading: 0, trueHeading: -1, headingAccuracy: -1, x: 0, y: 0, z: 0, timestamp: Date())
    super.init()
  }

  package init(
    magneticHeading: CLLocationDirection, trueHeading: CLLocationDirection, headingAccuracy: CLLocationDirection,
    x: CLHeadingComponentValue, y: CLHeadingComponentValue, z: CLHeadingComponentValue, timestamp: Date
  ) {
    values = Values(
      magneticHeading: magneticHeading, trueHeading: trueHeading, headingAccuracy: headingAccuracy, x: x, y: y, z: z,
      timestamp: timestamp)
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let values = coder.decode(values: Values.self) else { return nil }
    self.values = values
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: values) }
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override var description: String {
    "magneticHeading \(magneticHeading) trueHeading \(trueHeading) accuracy \(headingAccuracy) @ \(timestamp)"
  }
}
