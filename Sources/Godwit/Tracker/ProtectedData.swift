internal import Foundation

#if canImport(UIKit) && !os(watchOS)
  internal import UIKit
#endif

extension Tracker {
  /// Whether a phone is unlocked, as closures that a test replaces. Before the first unlock after a restart no file of an app can be read.
  public struct ProtectedData: Sendable {
    /// Whether the phone is unlocked now.
    public var isAvailable: @Sendable () async -> Bool
    /// Returns at the next unlock. - Throws: when the task is cancelled.
    public var becomesAvailable: @Sendable () async throws -> Void

    public init(
      isAvailable: @escaping @Sendable () async -> Bool, becomesAvailable: @escaping @Sendable () async throws -> Void
    ) {
      self.isAvailable = isAvailable
      self.becomesAvailable = becomesAvailable
    }

    /// Returns the values of the device. On a system without UIKit files are always readable.
    public static func live() -> Tracker.ProtectedData {
      #if canImport(UIKit) && !os(watchOS)
        Tracker.ProtectedData(isAvailable: { await isUnlocked() }, becomesAvailable: { try await unlocked() })
      #else
        Tracker.ProtectedData(isAvailable: { true }, becomesAvailable: {})
      #endif
    }

    #if canImport(UIKit) && !os(watchOS)
      @MainActor
      private static func isUnlocked() -> Bool { UIApplication.shared.isProtectedDataAvailable }

      @MainActor
      private static func unlocked() async throws {
        let (unlocks, unlock) = AsyncStream<Void>.makeStream()
        let observations = Observations(.default)
        observations.observe(UIApplication.protectedDataDidBecomeAvailableNotification) { unlock.yield() }
        // The unlock may have happened before the observation began.
        if isUnlocked() { unlock.yield() }
        for await _ in unlocks { return withExtendedLifetime(observations) {} }
        try Task.checkCancellation()
      }
    #endif
  }
}
