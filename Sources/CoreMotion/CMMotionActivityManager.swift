public import CoreLocation
public import Foundation

/// Gets what is true now; never `nil` here.
public typealias CMMotionActivityHandler = (CMMotionActivity?) -> Void
/// Gets what was, or why that is not known.
public typealias CMMotionActivityQueryHandler = ([CMMotionActivity]?, (any Error)?) -> Void

/// The motion chip, over a ``MotionCoprocessor``: it reports motion from the positions that the location daemon has, so
/// it costs the receiver's energy, which a real chip does not.
///
/// `@unchecked Sendable`: everything that changes is under the lock; subclasses answer for what they add.
open class CMMotionActivityManager: NSObject, @unchecked Sendable {
  private let coprocessor: MotionCoprocessor
  private let lock = NSLock()
  private var client: Int?

  /// A manager on the process's own daemon, or on that of `LocationDaemon.serve`.
  public override init() {
    coprocessor = .current
    super.init()
  }

  /// A manager on a given coprocessor. Linux only.
  public init(coprocessor: MotionCoprocessor) {
    self.coprocessor = coprocessor
    super.init()
  }

  deinit { stop() }

  /// True: whatever has a receiver has positions.
  open class func isActivityAvailable() -> Bool { true }

  /// Access to the location includes the motion that is derived from it. On a simulated phone what its person decided.
  open class func authorizationStatus() -> CMAuthorizationStatus { MotionCoprocessor.current.authorization }

  /// Calls `handler` with the current activity, as far as it is known, and at every change. A second call replaces the first.
  /// - Parameters:
  ///   - queue: on which `handler` is called.
  ///   - handler: gets the activity.
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

  /// No more calls, but for those that wait on the queue already.
  open func stopActivityUpdates() { stop() }

  private func stop() {
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

  /// The activities of a time that has passed, oldest first: as far as this program has seen them, and no further back
  /// than seven days.
  /// - Parameters:
  ///   - start: beginning of the time.
  ///   - end: its end.
  ///   - queue: not used; there is nothing to be called.
  /// - Returns: the activities that began in that time.
  /// - Throws: ``CMErrorInvalidParameter`` for a time that ends before it begins, ``CMErrorMotionActivityNotAuthorized``.
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

  /// `@unchecked Sendable`: called on the queue that its owner named for it, one activity after the other.
  private struct ActivityHandler: @unchecked Sendable { var call: CMMotionActivityHandler }

  /// `@unchecked Sendable`: called once, on the queue that its owner named for it.
  private struct QueryHandler: @unchecked Sendable { var call: CMMotionActivityQueryHandler }
}
