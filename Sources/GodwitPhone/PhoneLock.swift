/// Whether the phone is locked.
struct PhoneLock: Sendable {
  /// The lock of a phone that has just started.
  static let restarted = PhoneLock(isUnlocked: false)

  /// Whether the phone was unlocked since its start.
  private(set) var isUnlocked: Bool
  /// Whether the phone is locked. Its screen is off then, also with an app in the foreground.
  private(set) var isLocked = false

  init(isUnlocked: Bool) { self.isUnlocked = isUnlocked }

  /// Unlocks the phone.
  mutating func unlock() { (isUnlocked, isLocked) = (true, false) }
  /// Locks the phone.
  mutating func lock() { isLocked = true }
}
