internal import CoreLocation
internal import GodwitModel
internal import GodwitSimulator

internal import struct Foundation.Date

/// The compass of a simulated phone, which is held in the direction of the way, and while it rests as it was held last. It is exact,
/// and magnetic north is where north is.
struct PhoneCompass: Sendable {
  /// Seconds between two readings (assumed).
  static let interval = 1.0
  /// Degrees (assumed).
  private static let accuracy = 10.0

  private(set) var isOn = false
  private var isPlanned = false
  private var direction = 0.0

  /// - Returns: whether a reading is to be planned now.
  mutating func turn(_ isOn: Bool) -> Bool {
    self.isOn = isOn
    guard isOn, !isPlanned else { return false }
    isPlanned = true
    return true
  }

  /// - Returns: what it reads; `nil`: it is off.
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
