internal import CoreLocation
public import Foundation

/// What a sensor measured at a moment.
///
/// `@unchecked Sendable`: constants only; subclasses answer for what they add.
open class CMLogItem: NSObject, NSSecureCoding, NSCopying, _CVarArgObject, @unchecked Sendable {
  private let seconds: TimeInterval

  /// Seconds since the start of the machine. Of motion that comes from positions: of their time, since 2001.
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

  /// Itself: an item never changes.
  /// - Parameter zone: not used.
  /// - Returns: the item.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
