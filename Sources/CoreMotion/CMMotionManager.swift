public import Foundation

/// Receives a measurement of an accelerometer, or an error.
public typealias CMAccelerometerHandler = (CMAccelerometerData?, (any Error)?) -> Void
/// Receives a measurement of a gyroscope, or an error.
public typealias CMGyroHandler = (CMGyroData?, (any Error)?) -> Void
/// Receives a measurement of a magnetometer, or an error.
public typealias CMMagnetometerHandler = (CMMagnetometerData?, (any Error)?) -> Void
/// Receives the motion of the device, or an error.
public typealias CMDeviceMotionHandler = (CMDeviceMotion?, (any Error)?) -> Void

/// The motion sensors. The accelerometer is that of Linux's Industrial I/O subsystem, if the machine has one. The gyroscope, the
/// magnetometer and the device motion are unavailable: their handlers receive ``CMErrorNotAvailable`` once.
///
/// `@unchecked Sendable`: the lock protects the mutable state.
open class CMMotionManager: NSObject, @unchecked Sendable {
  private struct State {
    /// The interval in seconds. Apple documents no default; samples of its documentation use 50 to 100 updates a second.
    var accelerometerInterval = 0.01
    var gyroInterval = 0.01
    var magnetometerInterval = 0.01
    var deviceMotionInterval = 0.01
    var showsDeviceMovementDisplay = false
    var sampler: AccelerometerSampler?
  }

  private let accelerometer: Accelerometer?
  private let lock = NSLock()
  private var state = State()

  /// Creates a manager for the sensors of this machine. If the location daemon has a receiver that is not attached to this
  /// machine, no sensor is available.
  public override init() {
    accelerometer = MotionCoprocessor.current.accelerometer
    super.init()
  }

  init(accelerometer: Accelerometer?) {
    self.accelerometer = accelerometer
    super.init()
  }

  deinit { state.sampler?.stop() }

  private subscript<Value>(_ path: WritableKeyPath<State, Value>) -> Value {
    get { lock.withLock { state[keyPath: path] } }
    set { lock.withLock { state[keyPath: path] = newValue } }
  }

  private func absent(_ sensor: String) -> NSError { CMErrorNotAvailable.error("This machine has no \(sensor).") }

  // MARK: Accelerometer

  /// The time between two measurements in seconds, at least 0.01. A change applies from the next start.
  open var accelerometerUpdateInterval: TimeInterval {
    get { self[\.accelerometerInterval] }
    set { self[\.accelerometerInterval] = newValue }
  }

  open var isAccelerometerAvailable: Bool { accelerometer != nil }
  open var isAccelerometerActive: Bool { self[\.sampler] != nil }
  /// The newest measurement; `nil`: none yet.
  open var accelerometerData: CMAccelerometerData? { self[\.sampler]?.latest }

  open func startAccelerometerUpdates() { startSampler { _ in } }

  open func startAccelerometerUpdates(to queue: OperationQueue, withHandler handler: @escaping CMAccelerometerHandler) {
    guard isAccelerometerAvailable else { return AbsentDevice.report(absent("accelerometer"), on: queue) { handler(nil, $0) } }
    let handler = Handler(call: handler)
    startSampler { data in queue.addOperation { handler.call(data, nil) } }
  }

  open func stopAccelerometerUpdates() { replaceSampler(nil) }

  private func startSampler(_ receive: @escaping @Sendable (CMAccelerometerData) -> Void) {
    guard let accelerometer else { return }
    replaceSampler(AccelerometerSampler(accelerometer, every: accelerometerUpdateInterval, receive))
  }

  private func replaceSampler(_ new: AccelerometerSampler?) {
    let old = lock.withLock {
      defer { state.sampler = new }
      return state.sampler
    }
    old?.stop()
    new?.start()
  }

  /// `@unchecked Sendable`: it is called on the queue that was passed with it, one measurement after the other.
  private struct Handler: @unchecked Sendable { var call: CMAccelerometerHandler }

  // MARK: Gyroscope

  open var gyroUpdateInterval: TimeInterval {
    get { self[\.gyroInterval] }
    set { self[\.gyroInterval] = newValue }
  }

  open var isGyroAvailable: Bool { false }
  open var isGyroActive: Bool { false }
  open var gyroData: CMGyroData? { nil }
  open func startGyroUpdates() {}
  open func startGyroUpdates(to queue: OperationQueue, withHandler handler: @escaping CMGyroHandler) {
    AbsentDevice.report(absent("gyroscope"), on: queue) { handler(nil, $0) }
  }
  open func stopGyroUpdates() {}

  // MARK: Magnetometer

  open var magnetometerUpdateInterval: TimeInterval {
    get { self[\.magnetometerInterval] }
    set { self[\.magnetometerInterval] = newValue }
  }

  open var isMagnetometerAvailable: Bool { false }
  open var isMagnetometerActive: Bool { false }
  open var magnetometerData: CMMagnetometerData? { nil }
  open func startMagnetometerUpdates() {}
  open func startMagnetometerUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMagnetometerHandler) {
    AbsentDevice.report(absent("magnetometer"), on: queue) { handler(nil, $0) }
  }
  open func stopMagnetometerUpdates() {}

  // MARK: Device motion

  open var deviceMotionUpdateInterval: TimeInterval {
    get { self[\.deviceMotionInterval] }
    set { self[\.deviceMotionInterval] = newValue }
  }

  open var showsDeviceMovementDisplay: Bool {
    get { self[\.showsDeviceMovementDisplay] }
    set { self[\.showsDeviceMovementDisplay] = newValue }
  }

  open var isDeviceMotionAvailable: Bool { false }
  open var isDeviceMotionActive: Bool { false }
  open var deviceMotion: CMDeviceMotion? { nil }
  open var attitudeReferenceFrame: CMAttitudeReferenceFrame { .xArbitraryZVertical }
  open class func availableAttitudeReferenceFrames() -> CMAttitudeReferenceFrame { [] }
  open func startDeviceMotionUpdates() {}
  open func startDeviceMotionUpdates(using referenceFrame: CMAttitudeReferenceFrame) {}
  open func startDeviceMotionUpdates(to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler) {
    AbsentDevice.report(absent("motion sensors"), on: queue) { handler(nil, $0) }
  }
  open func startDeviceMotionUpdates(
    using referenceFrame: CMAttitudeReferenceFrame, to queue: OperationQueue, withHandler handler: @escaping CMDeviceMotionHandler
  ) {
    AbsentDevice.report(absent("motion sensors"), on: queue) { handler(nil, $0) }
  }
  open func stopDeviceMotionUpdates() {}
}
