internal import CoreLocation
internal import GodwitModel
internal import GodwitSimulator

internal import struct Foundation.Date

/// The compass of a simulated phone. The phone points in the direction of movement; while it rests, in the last direction. The
/// compass has no error, and magnetic north equals true north.
struct PhoneCompass: Sendable {
  /// Seconds between two readings (assumed).
  static let interval = 1.0
  /// The reported accuracy in degrees (assumed).
  private static let accuracy = 10.0

  private(set) var isOn = false
  private var isPlanned = false
  private var direction = 0.0

  /// Turns the compass on or off.
  /// - Returns: whether to schedule a reading now.
  mutating func turn(_ isOn: Bool) -> Bool {
    self.isOn = isOn
    guard isOn, !isPlanned else { return false }
    isPlanned = true
    return true
  }

  /// Returns the current reading; `nil`: the compass is off.
  mutating func read(_ truth: TruthState, clock: Date) -> CompassReading? {
    guard isOn else {
      isPlanned = false
      return nil
    }
    direction = truth.course ?? direction
    return CompassReading(time: clock, magnetic: direction, geographic: direction, accuracy: Self.accuracy)
  }
}

extension SimulatedPhone {
  func readCompass() {
    guard let reading = compass.read(world.truth(), clock: clock) else { return }
    schedule.plan(.compass, at: world.now + PhoneCompass.interval)
    daemon.notify(.heading(reading))
  }
}
