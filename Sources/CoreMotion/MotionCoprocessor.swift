public import CoreLocation
internal import Foundation
internal import GodwitModel
internal import Synchronization

/// The counterpart of a phone's motion chip. It computes motion from the positions of a `LocationDaemon` while a manager
/// requests updates, and stores the activities for a week. Exists on Linux only.
///
/// Managers that are created without a coprocessor share that of the process.
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
    /// The detected activities, oldest first.
    var history: [CMMotionActivity] = []
    var watch: Int?
    var isAllowed = true
    var steps: [(end: Date, count: Int)] = []
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon
  /// Whether it is a simulated chip, which receives activities and steps instead of computing them from positions.
  let isChip: Bool
  /// The accelerometer of this machine; `nil`: none, or the receiver is not attached to this machine.
  let accelerometer: Accelerometer?

  /// The seconds for which activities are stored (Apple: seven days), and their maximum number.
  static let memory = 7 * DayLength.seconds
  static let maximumRemembered = 20_000

  /// Creates a coprocessor. If the receiver is attached to this machine and the machine has an accelerometer, the accelerometer
  /// is used to distinguish standing from the noise of the receiver.
  /// - Parameter daemon: the daemon whose positions are used.
  public convenience init(daemon: LocationDaemon) {
    self.init(daemon: daemon, accelerometer: daemon.isReceiverHere ? Accelerometer() : nil)
  }

  init(daemon: LocationDaemon, accelerometer: Accelerometer?) {
    self.daemon = daemon
    self.accelerometer = accelerometer
    isChip = false
  }

  /// Creates a simulated chip, which receives activities and steps. Every manager of the daemon uses it.
  package init(chipOf daemon: LocationDaemon) {
    self.daemon = daemon
    accelerometer = nil
    isChip = true
    daemon.retained = self
  }

  /// The coprocessor of the process.
  private static let system = MotionCoprocessor(daemon: .system)

  /// The coprocessor of the current daemon: its simulated chip, that of the process, or a new one for the daemon of
  /// `LocationDaemon.serve`.
  static var current: MotionCoprocessor {
    let daemon = LocationDaemon.current
    if let chip = daemon.retained as? MotionCoprocessor { return chip }
    return daemon === LocationDaemon.system ? system : MotionCoprocessor(daemon: daemon)
  }

  var authorization: CMAuthorizationStatus {
    if isChip { return state.withLock { $0.isAllowed ? .authorized : .denied } }
    // Motion is computed from positions, so the permission for the location applies.
    return switch daemon.authorization {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied: .denied
    case .authorizedAlways, .authorizedWhenInUse: .authorized
    }
  }

  func start(_ listener: Listener) -> Int {
    let isChip = isChip
    let (client, current, isFirst) = state.withLock { state in
      defer { state.next += 1 }
      let isFirst = state.listeners.isEmpty
      state.listeners[state.next] = listener
      let now = isChip ? state.isAllowed ? state.history.last : nil : state.classifier.activity.map(Self.activity)
      return (state.next, now, isFirst)
    }
    if let current { call(listener.queue) { listener.handler(current) } }
    if isFirst, !isChip {
      let watch = daemon.watchMotion { [weak self] fixes in await self?.handle(fixes) }
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

  /// Processes positions. Returns when every handler has been called with the changes.
  private func handle(_ fixes: [Fix]) async {
    let measured = accelerometer?.read()
    let (changes, listeners) = state.withLock { state in
      if let measured, let newest = fixes.last { state.stillness.add(measured, at: newest.time) }
      let changes = fixes.compactMap { state.classifier.handle(state.stillness.corrected($0)).map(Self.activity) }
      remember(changes, &state)
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

  // MARK: Manual control

  /// Calls code of the program: on its queue, or when the daemon's host performs it.
  func call(_ queue: OperationQueue, _ body: @escaping @Sendable () -> Void) {
    if isChip { daemon.call(.main, body) } else { queue.addOperation(body) }
  }

  /// Sets the activity that the chip reports from now on.
  /// - Parameters:
  ///   - activity: the activity.
  ///   - isNew: whether it differs from the activity before; `false`: it is reported again to a program that was suspended.
  ///   - notifies: whether the program runs and receives the report.
  package func setActivity(_ activity: CMMotionActivity, isNew: Bool, notifies: Bool = true) {
    let listeners = state.withLock { state in
      if isNew { remember([activity], &state) }
      guard notifies else { return [Listener]() }
      return state.isAllowed ? state.listeners.keys.sorted().compactMap { state.listeners[$0] } : []
    }
    for listener in listeners { call(listener.queue) { listener.handler(activity) } }
  }

  /// Adds steps that a simulated chip has counted since the last call.
  package func count(steps: Int, until end: Date) {
    guard steps > 0 else { return }
    state.withLock { state in
      state.steps.append((end, steps))
      state.steps.removeFirst(max(0, state.steps.count - Self.maximumRemembered))
    }
  }

  func steps(from start: Date, to end: Date) -> Int {
    state.withLock { state in state.steps.reduce(0) { $1.end > start && $1.end <= end ? $0 + $1.count : $0 } }
  }

  /// Whether the user allows the program to access motion data.
  package var isAllowed: Bool {
    get { state.withLock { $0.isAllowed } }
    set { state.withLock { $0.isAllowed = newValue } }
  }

  /// Removes all handlers, because the program has ended.
  package func removeListeners() { state.withLock { $0.listeners = [:] } }

  package var isListenedTo: Bool { state.withLock { !$0.listeners.isEmpty && $0.isAllowed } }

  private func remember(_ changes: [CMMotionActivity], _ state: inout State) {
    state.history += changes
    guard let last = changes.last else { return }
    let limit = last.startDate.addingTimeInterval(-Self.memory)
    state.history.removeAll { $0.startDate < limit }
    state.history.removeFirst(max(0, state.history.count - Self.maximumRemembered))
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
