internal import CoreLocation
internal import CoreMotion
internal import Foundation
internal import GodwitModel
internal import GodwitSimulator

/// The phone's motion chip: it reports to the app what the world's chip sees, and counts steps.
struct MotionSenses: Sendable {
  /// Steps a second while walking or running (assumed).
  private static let stepsPerSecond = 1.8

  private let chip: MotionCoprocessor
  private var walkingSince: SimulatedTime?

  init(_ daemon: LocationDaemon) { chip = MotionCoprocessor(chipOf: daemon) }

  /// Whether the app listens to the motion, and is authorized to.
  var isListenedTo: Bool { chip.isListenedTo }

  /// Whether the person lets the app know the motion.
  func allow(_ isAllowed: Bool) { chip.isAllowed = isAllowed }

  /// The app has ended.
  func endApp() { chip.removeListeners() }

  /// The motion is another one now.
  /// - Parameters:
  ///   - motion: what the world's chip sees.
  ///   - clock: the time by the phone's clock.
  ///   - now: the true time.
  ///   - isAppRunning: whether the app is notified.
  mutating func handle(_ motion: Motion, clock: Date, at now: SimulatedTime, isAppRunning: Bool) {
    chip.see(Self.activity(motion, at: clock), isNew: true, tells: isAppRunning)
    if motion.contains(.walking) || motion.contains(.running) {
      walkingSince = walkingSince ?? now
    } else if let since = walkingSince {
      chip.count(steps: Int((now - since) * Self.stepsPerSecond), until: clock)
      walkingSince = nil
    }
  }

  /// Repeats the motion to an app that slept.
  func repeatMotion(_ motion: Motion, clock: Date) { chip.see(Self.activity(motion, at: clock), isNew: false) }

  private static func activity(_ motion: Motion, at time: Date) -> CMMotionActivity {
    CMMotionActivity(
      startDate: time, confidence: .high, unknown: motion.isEmpty, stationary: motion.contains(.stationary),
      walking: motion.contains(.walking), running: motion.contains(.running), automotive: motion.contains(.driving),
      cycling: motion.contains(.cycling))
  }
}
