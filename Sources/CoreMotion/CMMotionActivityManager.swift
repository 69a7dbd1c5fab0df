public import CoreLocation
public import Foundation

/// Receives the current activity, which is never `nil` on Linux.
public typealias CMMotionActivityHandler = (CMMotionActivity?) -> Void
/// Receives past activities, or an error.
public typealias CMMotionActivityQueryHandler = ([CMMotionActivity]?, (any Error)?) -> Void

/// The manager of motion activities, implemented with a ``MotionCoprocessor``. Motion is computed from the positions of the
/// location daemon, so unlike a real motion chip it uses the energy of the receiver.
///
/// `@unchecked Sendable`: the lock protects the mutable state. A subclass is responsible for its own state.
open class CMMotionActivityManager: NSObject, @unchecked Sendable {
  private let coprocessor: MotionCoprocessor
  private let lock = NSLock()
  private var client: Int?

  /// Creates a manager that uses the daemon of the process, or the daemon of `LocationDaemon.serve`.
  public override init() {
    coprocessor = .current
    super.init()
  }

  /// Creates a manager that uses a given coprocessor. Linux only.
  public init(coprocessor: MotionCoprocessor) {
    self.coprocessor = coprocessor
    super.init()
  }

  deinit { stop() }

  /// Always true, because motion is computed from positions.
  open class func isActivityAvailable() -> Bool { true }

  /// The permission to access motion data. It is the permission for the location, from which motion is computed; on a simulated
  /// phone it is the user's separate permission.
  open class func authorizationStatus() -> CMAuthorizationStatus { MotionCoprocessor.current.authorization }

  /// Calls `handler` with the current activity, if it is known, and at every change. A second call replaces the first.
  /// - Parameters:
  ///   - queue: the queue on which `handler` is called.
  ///   - handler: receives the activity.
  open func startActivityUpdates(
    to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityHandler
  ) {
    let handler = ActivityHandler(call: handler)
    let new = coprocessor.start(MotionCoprocessor.Listener(queue: queue) { handler.call($0) })
    let old = lock.withLock {
      defer { client = new }
      return client
    }
    if let old { coprocessor.stop(old) }
  }

  /// Stops the updates. Calls that already wait on the queue are still made.
  open func stopActivityUpdates() { stop() }

  private func stop() {
    let old = lock.withLock {
      defer { client = nil }
      return client
    }
    if let old { coprocessor.stop(old) }
  }

  /// Reports the activities of a past period, oldest first. Only activities of the last seven days that this program has detected
  /// are known.
  /// - Parameters:
  ///   - start: the beginning of the period.
  ///   - end: the end of the period.
  ///   - queue: the queue on which `handler` is called.
  ///   - handler: receives the activities that began in the period, or an error.
  open func queryActivityStarting(
    from start: Date, to end: Date, to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityQueryHandler
  ) {
    let handler = QueryHandler(call: handler)
    let response = respond(from: start, to: end)
    coprocessor.call(queue) {
      switch response {
      case .success(let activities): handler.call(activities, nil)
      case .failure(let error): handler.call(nil, error)
      }
    }
  }

  /// Returns the activities of a past period, oldest first. Only activities of the last seven days that this program has detected
  /// are known.
  /// - Parameters:
  ///   - start: the beginning of the period.
  ///   - end: the end of the period.
  ///   - queue: not used.
  /// - Returns: the activities that began in the period.
  /// - Throws: ``CMErrorInvalidParameter`` for a period that ends before it begins; ``CMErrorMotionActivityNotAuthorized``.
  open func queryActivityStarting(
    from start: Date, to end: Date, to queue: OperationQueue
  ) async throws -> [CMMotionActivity] {
    try respond(from: start, to: end).get()
  }

  private func respond(from start: Date, to end: Date) -> Result<[CMMotionActivity], any Error> {
    guard start <= end else {
      return .failure(CMErrorInvalidParameter.error("The time ends at \(end), before it begins at \(start)."))
    }
    let status = coprocessor.authorization
    guard status == .authorized || status == .notDetermined else {
      return .failure(
        CMErrorMotionActivityNotAuthorized.error("The user does not allow this program to access motion data."))
    }
    return .success(coprocessor.history(from: start, to: end))
  }

  /// `@unchecked Sendable`: it is called on the queue that was passed with it, one activity after the other.
  private struct ActivityHandler: @unchecked Sendable { var call: CMMotionActivityHandler }

  /// `@unchecked Sendable`: it is called once, on the queue that was passed with it.
  private struct QueryHandler: @unchecked Sendable { var call: CMMotionActivityQueryHandler }
}
