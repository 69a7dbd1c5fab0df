// A Mac has Core Motion without `CMMotionActivityManager`, and no motion chip.
#if !os(macOS)
  internal import CoreMotion
  internal import Foundation
  internal import GodwitEngine
  internal import GodwitModel

  /// The motion chip of Core Motion.
  ///
  /// `@unchecked Sendable`: Core Motion's methods may be called from any thread.
  final class CoreMotionChip: MotionChip, @unchecked Sendable {
    private let activities: CMMotionActivityManager
    /// A serial queue, so that activities arrive in order.
    private let queue = OperationQueue()

    init(_ activities: CMMotionActivityManager) {
      self.activities = activities
      queue.maxConcurrentOperationCount = 1
    }

    var problem: String? {
      guard CMMotionActivityManager.isActivityAvailable() else { return "This device has no motion chip." }
      switch CMMotionActivityManager.authorizationStatus() {
      case .denied, .restricted: return "The system does not allow this program to access motion data."
      case .notDetermined, .authorized: return nil
      @unknown default: return nil
      }
    }

    func start(_ tell: @escaping @Sendable (Event) -> Void) {
      guard CMMotionActivityManager.isActivityAvailable() else { return }
      activities.startActivityUpdates(to: queue) { activity in
        guard let activity else { return }
        tell(.motionChanged(Self.motion(activity), isSure: activity.confidence != .low))
      }
    }

    func stop() {
      if CMMotionActivityManager.isActivityAvailable() { activities.stopActivityUpdates() }
    }

    func askHistory(from: Date, to: Date, _ tell: @escaping @Sendable (Event) -> Void) {
      guard CMMotionActivityManager.isActivityAvailable(), from <= to else { return tell(.motionHistory([])) }
      activities.queryActivityStarting(from: from, to: to, to: queue) { activities, _ in
        tell(.motionHistory((activities ?? []).map { MotionSpan(start: $0.startDate, motion: Self.motion($0)) }))
      }
    }

    func steps(from: Date, to: Date) async -> Int? {
      guard CMPedometer.isStepCountingAvailable(), from < to else { return nil }
      let pedometer = CMPedometer()
      let (stream, continuation) = AsyncStream<Int?>.makeStream()
      pedometer.queryPedometerData(from: from, to: to) { data, _ in
        continuation.yield(data?.numberOfSteps.intValue)
        continuation.finish()
      }
      for await steps in stream { return steps }
      return nil
    }

    /// Converts an activity to the motion of records.
    static func motion(_ activity: CMMotionActivity) -> Motion {
      var motion: Motion = []
      if activity.stationary { motion.insert(.stationary) }
      if activity.walking { motion.insert(.walking) }
      if activity.running { motion.insert(.running) }
      if activity.cycling { motion.insert(.cycling) }
      if activity.automotive { motion.insert(.driving) }
      return motion
    }
  }
#endif
