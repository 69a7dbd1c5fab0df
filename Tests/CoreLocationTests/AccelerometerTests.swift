import CoreLocation
import Foundation
import GodwitModel
import Testing

@testable import CoreMotion

/// A temporary folder with device files in the layout of the kernel's IIO subsystem.
private final class Devices {
  let path: String

  init(_ files: [String: String]) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-iio-\(UUID().uuidString)")
    path = folder.path
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try write(name, text) }
  }

  func write(_ name: String, _ text: String) throws {
    let file = URL(fileURLWithPath: path).appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite("The accelerometer")
struct AccelerometerTests {
  private static let raw = [
    "iio:device1/in_accel_x_raw": "-10\n", "iio:device1/in_accel_y_raw": "20\n", "iio:device1/in_accel_z_raw": "1000\n",
  ]

  @Test(
    "a device with three axes and a scale is read in metres per second²",
    arguments: [
      (["iio:device1/in_accel_scale": "0.01\n"], Acceleration(x: -0.1, y: 0.2, z: 10)),
      (["iio:device1/in_accel_scale": "0.01\n", "iio:device1/in_accel_offset": "10\n"], Acceleration(x: 0, y: 0.3, z: 10.1)),
      (
        [
          "iio:device1/in_accel_x_scale": "1", "iio:device1/in_accel_y_scale": "2", "iio:device1/in_accel_z_scale": "0.01",
          "iio:device0/in_temp_raw": "5", "iio:device0/in_accel_scale": "1", "trigger0/in_accel_x_raw": "1",
        ], Acceleration(x: -10, y: 40, z: 10)
      ),
    ])
  func reads(_ more: [String: String], _ expected: Acceleration) throws {
    let devices = try Devices(Self.raw.merging(more) { $1 })
    let read = try #require(Accelerometer(in: devices.path)?.read())
    #expect(abs(read.x - expected.x) < 1e-9 && abs(read.y - expected.y) < 1e-9 && abs(read.z - expected.z) < 1e-9)
  }

  @Test(
    "a device that is not an accelerometer is rejected",
    arguments: [
      [:], ["iio:device1/in_accel_scale": "0"], ["iio:device1/in_accel_scale": "much"],
      ["iio:device1/in_accel_scale": "1", "iio:device1/in_accel_z_raw": ""],
      ["iio:device1/in_accel_scale": "1", "iio:device1/in_accel_z_raw": "nan"],
    ])
  func isNone(_ more: [String: String]) throws {
    let devices = try Devices(Self.raw.merging(more) { $1 })
    #expect(Accelerometer(in: devices.path) == nil)
    #expect(Accelerometer(in: devices.path + "/nowhere") == nil)
  }

  @Test("an accelerometer whose value is empty has no reading")
  func stops() throws {
    let devices = try Devices(Self.raw.merging(["iio:device1/in_accel_scale": "0.01"]) { $1 })
    let accelerometer = try #require(Accelerometer(in: devices.path))
    try devices.write("iio:device1/in_accel_y_raw", "")
    #expect(accelerometer.read() == nil)
  }

  private static let start = Date(timeIntervalSince1970: 1_800_000_000)

  /// Returns a `Stillness` after measurements once a second.
  private func stillness(_ values: [Double]) -> Stillness {
    var stillness = Stillness()
    for (second, value) in values.enumerated() {
      stillness.add(Acceleration(x: 0, y: value, z: 9.8), at: Self.start.addingTimeInterval(Double(second)))
    }
    return stillness
  }

  @Test(
    "constant readings for some seconds mean that the device is still",
    arguments: [
      ([0, 0.1, 0], nil), ([0, 0.1, 0, 0.2], true), ([0, 0.1, 0, 0.5], false), ([3, 0, 0, 0, 0], false),
      ([3] + [Double](repeating: 0, count: 10), true),
    ] as [([Double], Bool?)])
  func still(_ values: [Double], _ isStill: Bool?) {
    #expect(stillness(values).isStill == isStill)
  }

  @Test("setting the clock back restarts the measurement")
  func setBack() {
    var stillness = stillness([0, 0, 0, 0])
    stillness.add(Acceleration(x: 0, y: 0, z: 9.8), at: Self.start.addingTimeInterval(-3600))
    #expect(stillness.isStill == nil)
  }

  @Test(
    "a still accelerometer means stationary, unless the receiver reports a ride",
    arguments: [(true, 0.9, 0), (true, 1.1, 1.1), (true, nil, nil), (false, 0.9, 0.9)] as [(Bool, Double?, Double?)])
  func corrected(_ isStill: Bool, _ speed: Double?, _ expected: Double?) throws {
    let place = try #require(Coordinate(latitude: 45, longitude: 14))
    let fix = Fix(time: Self.start, coordinate: place, speed: speed)
    #expect(stillness([0, 0, 0, isStill ? 0 : 2]).corrected(fix).speed == expected)
  }

  /// A stationary receiver: three minutes of noise between 0.5 and 0.9 m/s.
  private struct Noise: PositionSource {
    var isSimulated: Bool { false }
    func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
      guard let place = Coordinate(latitude: 45, longitude: 14) else { return }
      for second in 0..<180 {
        let time = AccelerometerTests.start.addingTimeInterval(Double(second))
        await tell(.positions([Fix(time: time, coordinate: place, speed: second.isMultiple(of: 2) ? 0.5 : 0.9)]))
      }
      await tell(.finished)
    }
  }

  @Test("receiver noise is reported as walking without an accelerometer, and as stationary with one", arguments: [false, true])
  func motion(_ hasAccelerometer: Bool) async throws {
    let devices = try Devices(Self.raw.merging(["iio:device1/in_accel_scale": "0.01"]) { $1 })
    let daemon = LocationDaemon(source: Noise(), beacons: nil, authorization: .authorizedAlways)
    let coprocessor = MotionCoprocessor(
      daemon: daemon, accelerometer: hasAccelerometer ? Accelerometer(in: devices.path) : nil)
    let client = coprocessor.start(MotionCoprocessor.Listener(queue: OperationQueue()) { _ in })
    await daemon.finished()
    coprocessor.stop(client)
    let last = try #require(coprocessor.history(from: .distantPast, to: .distantFuture).last)
    #expect(last.stationary == hasAccelerometer && last.walking == !hasAccelerometer)
  }
}
