internal import CoreLocation
internal import CoreMotion
internal import Foundation
internal import GodwitModel
internal import GodwitSimulator

/// The phone's motion chip. It reports the motion of the simulated chip to the app, and counts steps.
struct MotionSenses: Sendable {
  /// Steps a second while walking or running (assumed).
  private static let stepsPerSecond = 1.8

  private let chip: MotionCoprocessor
  private var walkingSince: SimulatedTime?

  init(_ daemon: LocationDaemon) { chip = MotionCoprocessor(chipOf: daemon) }

  /// Whether the app has requested motion, and is authorized to.
  var isListenedTo: Bool { chip.isListenedTo }

  /// Sets whether the user allows the app to access motion.
  func allow(_ isAllowed: Bool) { chip.isAllowed = isAllowed }

  /// Removes the app's handlers when the app has ended.
  func endApp() { chip.removeListeners() }

  /// Handles a change of the motion.
  /// - Parameters:
  ///   - motion: the new motion.
  ///   - clock: the time of the phone's clock.
  ///   - now: the true time.
  ///   - isAppRunning: whether the app is notified.
  mutating func handle(_ motion: Motion, clock: Date, at now: SimulatedTime, isAppRunning: Bool) {
    chip.setActivity(Self.activity(motion, at: clock), isNew: true, notifies: isAppRunning)
    if motion.contains(.walking) || motion.contains(.running) {
      walkingSince = walkingSince ?? now
    } else if let since = walkingSince {
      chip.count(steps: Int((now - since) * Self.stepsPerSecond), until: clock)
      walkingSince = nil
    }
  }

  /// Reports the current motion to an app that was suspended.
  func repeatMotion(_ motion: Motion, clock: Date) { chip.setActivity(Self.activity(motion, at: clock), isNew: false) }

  private static func activity(_ motion: Motion, at time: Date) -> CMMotionActivity {
    CMMotionActivity(
      startDate: time, confidence: .high, unknown: motion.isEmpty, stationary: motion.contains(.stationary),
      walking: motion.contains(.walking), running: motion.contains(.running), automotive: motion.contains(.driving),
      cycling: motion.contains(.cycling))
  }
}
