internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The motion chip of a phone: activities and steps. Apple's systems end an app that reads either without
/// `NSMotionUsageDescription`. Both are behind one type, and a sensor that is created without it reads neither.
protocol MotionChip: Sendable {
  /// Why no motion is reported, as a sentence; `nil`: no problem.
  var problem: String? { get }
  /// Reports activities from now on.
  func start(_ tell: @escaping @Sendable (Event) -> Void)
  func stop()
  /// Reports `motionHistory` of this time; empty if it is unknown.
  func askHistory(from: Date, to: Date, _ tell: @escaping @Sendable (Event) -> Void)
  /// Returns the steps of this time; `nil`: there is no pedometer, or no permission.
  func steps(from: Date, to: Date) async -> Int?
}
