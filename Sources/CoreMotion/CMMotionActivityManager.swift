public import CoreLocation
public import Foundation

/// The motion chip, over a ``MotionCoprocessor``: it tells motion from the positions that the location daemon has, so
/// it costs the receiver's energy, which a real chip does not.
///
/// `@unchecked Sendable`: everything that changes is under the lock.
public final class CMMotionActivityManager: NSObject, @unchecked Sendable {
  private let coprocessor: MotionCoprocessor
  private let lock = NSLock()
  private var client: Int?

  /// A manager on the process's own daemon.
  public override convenience init() { self.init(coprocessor: .system) }

  /// A manager on a given coprocessor. Linux only.
  public init(coprocessor: MotionCoprocessor) {
    self.coprocessor = coprocessor
    super.init()
  }

  deinit { stopActivityUpdates() }

  /// True: whatever has a receiver has positions.
  public class func isActivityAvailable() -> Bool { true }

  /// Whoever may know the location may know the motion that is told from it.
  public class func authorizationStatus() -> CMAuthorizationStatus {
    switch LocationDaemon.system.authorization {
    case .notDetermined: .notDetermined
    case .restricted: .restricted
    case .denied: .denied
    case .authorizedAlways, .authorizedWhenInUse: .authorized
    }
  }

  /// Calls `handler` with what is true now, as far as that is known, and at every change. A second call takes the place
  /// of the first.
  /// - Parameters:
  ///   - queue: on which `handler` is called.
  ///   - handler: gets the activity.
  public func startActivityUpdates(
    to queue: OperationQueue, withHandler handler: @escaping @Sendable (CMMotionActivity?) -> Void
  ) {
    let new = coprocessor.start(MotionCoprocessor.Listener(queue: queue, handler: handler))
    let old = lock.withLock {
      defer { client = new }
      return client
    }
    if let old { coprocessor.stop(old) }
  }

  /// No more calls, but for those that wait on the queue already.
  public func stopActivityUpdates() {
    let old = lock.withLock {
      defer { client = nil }
      return client
    }
    if let old { coprocessor.stop(old) }
  }

  /// The activities of a time that has passed, oldest first: as far as this program has seen them, and no further back
  /// than seven days.
  /// - Parameters:
  ///   - start: beginning of the time.
  ///   - end: its end.
  ///   - queue: on which `handler` is called.
  ///   - handler: gets the activities that began in that time, or an error.
  public func queryActivityStarting(
    from start: Date, to end: Date, to queue: OperationQueue,
    withHandler handler: @escaping @Sendable ([CMMotionActivity]?, (any Error)?) -> Void
  ) {
    guard start <= end else {
      // 107: CMErrorInvalidParameter.
      queue.addOperation { handler(nil, NSError(domain: "CMErrorDomain", code: 107)) }
      return
    }
    let activities = coprocessor.history(from: start, to: end)
    queue.addOperation { handler(activities, nil) }
  }
}
