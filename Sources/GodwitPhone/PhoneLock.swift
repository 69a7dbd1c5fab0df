/// Whether the phone is locked.
struct PhoneLock: Sendable {
  /// Of a phone that has just started.
  static let restarted = PhoneLock(isUnlocked: false)

  /// Whether it was unlocked since its start.
  private(set) var isUnlocked: Bool
  /// Whether the screen is off whatever is in front.
  private(set) var isLocked = false

  init(isUnlocked: Bool) { self.isUnlocked = isUnlocked }

  /// The person unlocks it.
  mutating func unlock() { (isUnlocked, isLocked) = (true, false) }
  /// The person locks it.
  mutating func lock() { isLocked = true }
}
