public import CoreLocation
internal import Foundation
internal import GodwitModel
internal import Synchronization

/// What the motion chip is on a phone: one for all managers, it tells motion from the positions of a
/// ``CoreLocation/LocationDaemon`` while somebody listens, and remembers it for a week. Exists on Linux only.
///
/// Managers that are made without one share that of the process.
public final class MotionCoprocessor: Sendable {
  struct Listener: Sendable {
    var queue: OperationQueue
    var handler: @Sendable (CMMotionActivity?) -> Void
  }

  private struct State {
    var classifier = MotionClassifier()
    var stillness = Stillness()
    var listeners: [Int: Listener] = [:]
    var next = 1
    /// Oldest first.
    var history: [CMMotionActivity] = []
    var watch: Int?
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon
  private let accelerometer: Accelerometer?

  /// Seconds that activities are remembered (Apple: seven days), and the most of them.
  static let memory = 7 * 86400.0
  static let mostRemembered = 20_000

  /// Where the receiver is on this machine and the machine has an accelerometer, that tells standing from a receiver's noise.
  /// - Parameter daemon: whose positions it reads.
  public convenience init(daemon: LocationDaemon) {
    self.init(daemon: daemon, accelerometer: daemon.isReceiverHere ? Accelerometer() : nil)
  }

  init(daemon: LocationDaemon, accelerometer: Accelerometer?) {
    self.daemon = daemon
    self.accelerometer = accelerometer
  }

  /// The one of the process.
  private static let system = MotionCoprocessor(daemon: .system)

  /// That of the process, or a new one on the daemon whose `LocationDaemon.serve` runs the code.
  static var current: MotionCoprocessor {
    let daemon = LocationDaemon.current
    return daemon === LocationDaemon.system ? system : MotionCoprocessor(daemon: daemon)
  }

  var authorization: CLAuthorizationStatus { daemon.authorization }

  func start(_ listener: Listener) -> Int {
    let (client, current, isFirst) = state.withLock { state in
      defer { state.next += 1 }
      let isFirst = state.listeners.isEmpty
      state.listeners[state.next] = listener
      return (state.next, state.classifier.activity.map(Self.activity), isFirst)
    }
    if let current { listener.queue.addOperation { listener.handler(current) } }
    if isFirst {
      let watch = daemon.watchMotion { [weak self] fixes in await self?.take(fixes) }
      let old = state.withLock { state in
        defer { state.watch = watch }
        return state.watch
      }
      if let old { daemon.stopWatchingMotion(old) }
    }
    return client
  }

  func stop(_ client: Int) {
    let watch = state.withLock { state in
      state.listeners[client] = nil
      guard state.listeners.isEmpty else { return Int?.none }
      defer { state.watch = nil }
      return state.watch
    }
    if let watch { daemon.stopWatchingMotion(watch) }
  }

  func history(from start: Date, to end: Date) -> [CMMotionActivity] {
    state.withLock { $0.history.filter { $0.startDate >= start && $0.startDate <= end } }
  }

  /// Returns when every listener has been told what the positions mean.
  private func take(_ fixes: [Fix]) async {
    let measured = accelerometer?.read()
    let (changes, listeners) = state.withLock { state in
      if let measured, let newest = fixes.last { state.stillness.take(measured, at: newest.time) }
      let changes = fixes.compactMap { state.classifier.take(state.stillness.corrected($0)).map(Self.activity) }
      state.history += changes
      if let last = changes.last {
        let limit = last.startDate.addingTimeInterval(-Self.memory)
        state.history.removeAll { $0.startDate < limit }
        state.history.removeFirst(max(0, state.history.count - Self.mostRemembered))
      }
      return (changes, Array(state.listeners.values))
    }
    for change in changes {
      for listener in listeners {
        await withCheckedContinuation { continuation in
          listener.queue.addOperation {
            listener.handler(change)
            continuation.resume()
          }
        }
      }
    }
  }

  private static func activity(_ activity: MotionClassifier.Activity) -> CMMotionActivity {
    let confidence: CMMotionActivityConfidence =
      switch activity.confidence {
      case .low: .low
      case .medium: .medium
      case .high: .high
      }
    return CMMotionActivity(
      startDate: activity.start, confidence: confidence, unknown: activity.kind == .unknown,
      stationary: activity.kind == .stationary || activity.isStill, walking: activity.kind == .walking,
      running: activity.kind == .running, automotive: activity.kind == .automotive,
      cycling: activity.kind == .cycling)
  }
}
