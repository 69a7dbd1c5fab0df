internal import Foundation
internal import GodwitModel

/// Detects whether a device is stationary from measurements of its accelerometer. It is pure.
///
/// A device on a table measures gravity in a constant direction with little noise. The measurements of a device that is carried
/// or driven vary.
struct Stillness: Sendable {
  /// The length of the window in seconds, and the minimum number of measurements in it.
  static let window = 10.0
  static let minimum = 4
  /// The maximum range of the measurements of one axis in m/s²: three times the noise of cheap accelerometers (assumed: 0.1).
  static let noise = 0.3
  /// The speed in m/s below which a reported speed can be noise of the receiver. At a higher speed the accelerometer is ignored,
  /// because the device may be in a smooth ride.
  static let believable = 1.0

  private var measured: [(time: Date, acceleration: Acceleration)] = []

  mutating func add(_ acceleration: Acceleration, at time: Date) {
    // If the clock was set back, the measurements from before are removed too.
    measured.removeAll { !(0..<Self.window).contains(time.timeIntervalSince($0.time)) }
    measured.append((time, acceleration))
  }

  /// Whether the device is stationary; `nil`: unknown.
  var isStill: Bool? {
    guard measured.count >= Self.minimum else { return nil }
    return [\Acceleration.x, \.y, \.z].allSatisfy { axis in
      let values = measured.map { $0.acceleration[keyPath: axis] }
      return (values.max() ?? 0) - (values.min() ?? 0) <= Self.noise
    }
  }

  /// Returns a position with the speed 0 if its speed is noise of the receiver; otherwise the position itself.
  func corrected(_ fix: Fix) -> Fix {
    guard isStill == true, let speed = fix.speed, speed < Self.believable else { return fix }
    var fix = fix
    fix.speed = 0
    return fix
  }
}
