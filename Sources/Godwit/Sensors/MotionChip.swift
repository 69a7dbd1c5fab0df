internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The motion chip of a phone, which reports activities and counts steps. Apple's systems end an app that reads either without
/// `NSMotionUsageDescription`. Both are behind this type, so that a sensor that is created without it reads neither.
protocol MotionChip: Sendable {
  /// The reason why no motion is reported, as a sentence; `nil`: no problem.
  var problem: String? { get }
  /// Reports activities from now on, until ``stop()``.
  func start(_ tell: @escaping @Sendable (Event) -> Void)
  func stop()
  /// Reports the activities between two times as `motionHistory`; it is empty if they are unknown.
  func askHistory(from: Date, to: Date, _ tell: @escaping @Sendable (Event) -> Void)
  /// Returns the number of steps between two times; `nil`: there is no pedometer, or no permission.
  func steps(from: Date, to: Date) async -> Int?
}
