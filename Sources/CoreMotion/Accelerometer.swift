internal import Foundation

/// A measured acceleration in m/s², including gravity.
struct Acceleration: Sendable, Hashable {
  var x: Double
  var y: Double
  var z: Double
}

/// An accelerometer of Linux's Industrial I/O subsystem, in `/sys/bus/iio/devices`. Many laptops, tablets and boards have one.
/// It is read on request, which takes some milliseconds and needs no thread.
///
/// Source: https://www.kernel.org/doc/Documentation/ABI/testing/sysfs-bus-iio (in_accel_x_raw, in_accel_scale)
struct Accelerometer: Sendable {
  static let devices = "/sys/bus/iio/devices"

  private struct Axis: Sendable {
    var raw: String
    /// The scale: (raw + offset) · scale is the acceleration in m/s².
    var scale: Double
    var offset: Double
  }

  private let x: Axis
  private let y: Axis
  private let z: Axis

  /// Opens the first accelerometer, by name, that reports three axes; `nil`: there is none.
  /// - Parameter folder: the folder of the devices.
  init?(in folder: String = devices) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let found = names.filter { $0.hasPrefix("iio:device") }.sorted().lazy.compactMap { Accelerometer(device: folder + "/" + $0) }
    guard let first = found.first(where: { $0.read() != nil }) else { return nil }
    self = first
  }

  private init?(device: String) {
    guard let x = Self.axis("x", of: device), let y = Self.axis("y", of: device), let z = Self.axis("z", of: device)
    else { return nil }
    (self.x, self.y, self.z) = (x, y, z)
  }

  /// Returns the current acceleration; `nil`: it cannot be read.
  func read() -> Acceleration? {
    guard let x = Self.value(x), let y = Self.value(y), let z = Self.value(z) else { return nil }
    return Acceleration(x: x, y: y, z: z)
  }

  private static func axis(_ name: String, of device: String) -> Axis? {
    // The scale may be common to all axes or separate for each axis. Without a file of the offset it is 0.
    guard FileManager.default.fileExists(atPath: "\(device)/in_accel_\(name)_raw"),
      let scale = number("\(device)/in_accel_\(name)_scale") ?? number("\(device)/in_accel_scale"), scale > 0
    else { return nil }
    let offset = number("\(device)/in_accel_\(name)_offset") ?? number("\(device)/in_accel_offset") ?? 0
    return Axis(raw: "\(device)/in_accel_\(name)_raw", scale: scale, offset: offset)
  }

  private static func value(_ axis: Axis) -> Double? { number(axis.raw).map { ($0 + axis.offset) * axis.scale } }

  private static func number(_ path: String) -> Double? {
    guard let bytes = FileManager.default.contents(atPath: path) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return Double(text).flatMap { $0.isFinite ? $0 : nil }
  }
}
