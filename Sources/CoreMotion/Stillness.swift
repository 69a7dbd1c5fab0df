internal import Foundation
internal import GodwitModel

/// Whether a device lies still, from single measurements of its accelerometer. Pure.
///
/// What lies on a table measures gravity and a little noise, always from the same side; what is carried or driven does not
/// measure the same twice.
struct Stillness: Sendable {
  /// Seconds of the window, and how many measurements in it are needed.
  static let window = 10.0
  static let minimum = 4
  /// What the measurements of one axis may differ by, metres per second²: three times the noise of cheap accelerometers
  /// (assumed: 0.1).
  static let noise = 0.3
  /// Slower than this, metres per second, a receiver may report a device that lies still; faster it may not, and the accelerometer is
  /// ignored: a smooth ride.
  static let believable = 1.0

  private var measured: [(time: Date, acceleration: Acceleration)] = []

  mutating func add(_ acceleration: Acceleration, at time: Date) {
    // A clock that was set back restarts.
    measured.removeAll { !(0..<Self.window).contains(time.timeIntervalSince($0.time)) }
    measured.append((time, acceleration))
  }

  /// `nil`: not known.
  var isStill: Bool? {
    guard measured.count >= Self.minimum else { return nil }
    return [\Acceleration.x, \.y, \.z].allSatisfy { axis in
      let values = measured.map { $0.acceleration[keyPath: axis] }
      return (values.max() ?? 0) - (values.min() ?? 0) <= Self.noise
    }
  }

  /// A position whose speed is the receiver's noise stands.
  func corrected(_ fix: Fix) -> Fix {
    guard isStill == true, let speed = fix.speed, speed < Self.believable else { return fix }
    var fix = fix
    fix.speed = 0
    return fix
  }
}
