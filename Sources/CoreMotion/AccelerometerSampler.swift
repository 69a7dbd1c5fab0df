internal import Foundation
internal import Synchronization

/// Reads an accelerometer periodically on its own queue until it is stopped.
final class AccelerometerSampler: Sendable {
  /// The minimum time between two measurements in seconds, because each measurement reads three files.
  static let shortest = 0.01
  private static let standardGravity = 9.80665

  private let accelerometer: Accelerometer
  private let interval: TimeInterval
  private let receive: @Sendable (CMAccelerometerData) -> Void
  private let state = Mutex<(latest: CMAccelerometerData?, isStopped: Bool)>((nil, false))
  private let queue = DispatchQueue(label: "CoreMotion.accelerometer")

  init(
    _ accelerometer: Accelerometer, every interval: TimeInterval, _ receive: @escaping @Sendable (CMAccelerometerData) -> Void
  ) {
    self.accelerometer = accelerometer
    self.interval = interval >= Self.shortest ? min(interval, 3600) : Self.shortest
    self.receive = receive
  }

  var latest: CMAccelerometerData? { state.withLock { $0.latest } }

  func start() { queue.async { self.sample() } }
  func stop() { state.withLock { $0.isStopped = true } }

  private func sample() {
    guard !state.withLock({ $0.isStopped }) else { return }
    // The sign differs: Apple reports the direction of gravity, Linux the opposite direction.
    if let measured = accelerometer.read() {
      let acceleration = CMAcceleration(
        x: -measured.x / Self.standardGravity, y: -measured.y / Self.standardGravity, z: -measured.z / Self.standardGravity)
      let data = CMAccelerometerData(acceleration, timestamp: ProcessInfo.processInfo.systemUptime)
      state.withLock { $0.latest = data }
      receive(data)
    }
    queue.asyncAfter(deadline: .now() + interval) { [weak self] in self?.sample() }
  }
}
