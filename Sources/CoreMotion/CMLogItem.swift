internal import CoreLocation
public import Foundation

/// A measurement of a sensor.
///
/// `@unchecked Sendable`: it has only constants. A subclass is responsible for its own state.
open class CMLogItem: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private let seconds: TimeInterval

  /// The time of the measurement in seconds since the start of the machine. For motion that is computed from positions, it is the
  /// time of the position in seconds since 2001-01-01 00:00 UTC.
  open var timestamp: TimeInterval { seconds }

  public override init() {
    seconds = 0
    super.init()
  }

  init(timestamp: TimeInterval) {
    seconds = timestamp
    super.init()
  }

  open class var supportsSecureCoding: Bool { true }

  public required init?(coder: NSCoder) {
    guard let timestamp = coder.decode(values: [TimeInterval].self, forKey: "timestamp")?.first else { return nil }
    seconds = timestamp
    super.init()
  }

  open func encode(with coder: NSCoder) { coder.encode(values: [timestamp], forKey: "timestamp") }

  /// Returns the item itself, which is immutable.
  /// - Parameter zone: not used.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
