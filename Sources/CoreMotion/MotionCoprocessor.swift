public import CoreLocation
internal import Foundation
internal import GodwitModel
internal import Synchronization

/// What the motion chip is on a phone: one for all managers, it reports motion from the positions of a
/// `LocationDaemon` while a listener exists, and stores it for a week. Exists on Linux only.
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
    var isAllowed = true
    var steps: [(end: Date, count: Int)] = []
  }

  private let state = Mutex(State())
  private let daemon: LocationDaemon
  /// Whether it has senses of its own, and receives what they say.
  let isChip: Bool
  /// That of this machine, where the receiver is on it.
  let accelerometer: Accelerometer?

  /// Seconds that activities are remembered (Apple: seven days), and the most of them.
  static let memory = 7 * DayLength.seconds
  static let maximumRemembered = 20_000

  /// Where the receiver is on this machine and the machine has an accelerometer, that reports standing from a receiver's noise.
  /// - Parameter daemon: the daemon whose positions it reads.
  public convenience init(daemon: LocationDaemon) {
    self.init(daemon: daemon, accelerometer: daemon.isReceiverHere ? Accelerometer() : nil)
  }

  init(daemon: LocationDaemon, accelerometer: Accelerometer?) {
    self.daemon = daemon
    self.accelerometer = accelerometer
    isChip = false
  }

  /// A chip with senses of its own, as a phone has it: it receives what they say. Every manager on the daemon is given this
  /// one.
  package init(chipOf daemon: LocationDaemon) {
    self.daemon = daemon
    accelerometer = nil
    isChip = true
    daemon.retained = self
  }

  /// The one of the process.
  private static let system = MotionCoprocessor(daemon: .system)

  /// That of the process, or a new one on the daemon whose `LocationDaemon.serve` runs the code.
  static var current: MotionCoprocessor {
    let daemon = LocationDaemon.current
    if let chip = daemon.retained as? MotionCoprocessor { return chip }
    return daemon === LocationDaemon.system ? system : MotionCoprocessor(daemon: daemon)
  }

  var authorization: CMAuthorizationStatus {
    if isChip { return state.withLock { $0.isAllowed ? .authorized : .denied } }
    // Access to the location includes the motion that is derived from it.
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

  /// Returns when every listener has received what the positions mean.
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

  /// Calls something of the program: on its queue, or when the daemon's host lets it.
  func call(_ queue: OperationQueue, _ body: @escaping @Sendable () -> Void) {
    if isChip { daemon.call(.main, body) } else { queue.addOperation(body) }
  }

  /// Sets the activity that the chip reports from now on.
  /// - Parameters:
  ///   - activity: the activity.
  ///   - isNew: whether it differs from the activity before; `false`: it is reported again to a program that was suspended.
  ///   - tells: whether the program runs and receives the report.
  package func see(_ activity: CMMotionActivity, isNew: Bool, tells: Bool = true) {
    let listeners = state.withLock { state in
      if isNew { remember([activity], &state) }
      guard tells else { return [Listener]() }
      return state.isAllowed ? state.listeners.keys.sorted().compactMap { state.listeners[$0] } : []
    }
    for listener in listeners { call(listener.queue) { listener.handler(activity) } }
  }

  /// Steps that a chip has counted since the last time.
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

  /// Whether the person lets the program know the motion.
  package var isAllowed: Bool {
    get { state.withLock { $0.isAllowed } }
    set { state.withLock { $0.isAllowed = newValue } }
  }

  /// The program has ended, and no listener is left.
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
