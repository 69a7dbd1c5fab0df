internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The motion chip of a phone: activities and steps. Apple's systems end an app that reads either of them without
/// `NSMotionUsageDescription`, so both are behind one type, and a sensor that is made without it reads neither.
protocol MotionChip: Sendable {
  /// Why no motion comes, as a sentence; `nil`: nothing is wrong.
  var problem: String? { get }
  /// Reports activities from now on.
  func start(_ tell: @escaping @Sendable (Event) -> Void)
  func stop()
  /// Reports `motionHistory` of this time; empty when nothing is known.
  func askHistory(from: Date, to: Date, _ tell: @escaping @Sendable (Event) -> Void)
  /// Returns the steps of this time; `nil`: there is no pedometer, or it may not be read.
  func steps(from: Date, to: Date) async -> Int?
}
