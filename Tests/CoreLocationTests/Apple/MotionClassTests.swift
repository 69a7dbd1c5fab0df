import CoreLocation
import Foundation
import Synchronization
import Testing

@testable import CoreMotion

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeActivity: CMMotionActivity, @unchecked Sendable {
  private var isWalking = false
  override var walking: Bool {
    get { isWalking }
    set { isWalking = newValue }
  }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakePedometerData: CMPedometerData, @unchecked Sendable {
  override var numberOfSteps: NSNumber { 12 }
  override var distance: NSNumber? { 9.5 }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeAltitude: CMAltitudeData, @unchecked Sendable {
  private let value: Double

  init(pressure: Double) {
    value = pressure
    super.init()
  }

  required init?(coder: NSCoder) { nil }
  override var pressure: NSNumber { NSNumber(value: value) }
}

private final class FakePedometer: CMPedometer {
  override class func isStepCountingAvailable() -> Bool { true }
  override func queryPedometerData(from start: Date, to end: Date, withHandler handler: @escaping CMPedometerHandler) {
    handler(FakePedometerData(), nil)
  }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeActivityManager: CMMotionActivityManager, @unchecked Sendable {
  override class func isActivityAvailable() -> Bool { false }
  override func startActivityUpdates(to queue: OperationQueue, withHandler handler: @escaping CMMotionActivityHandler) {
    handler(FakeActivity())
  }
}

// @unchecked because the superclass is. The subclass adds only constants, or values of one thread.
private final class FakeDeviceMotion: CMDeviceMotion, @unchecked Sendable {
  override var userAcceleration: CMAcceleration { CMAcceleration(x: 1, y: 0, z: 0) }
}

@Suite("Core Motion's classes")
struct MotionClassTests {
  private func back<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
  }

  @Test("subclasses can replace what sensors report")
  func subclasses() {
    let activity = FakeActivity()
    activity.walking = true
    #expect((activity as CMMotionActivity).walking && !activity.cycling && activity.timestamp == 0)
    #expect((FakeAltitude(pressure: 101.3) as CMAltitudeData).pressure == 101.3)
    #expect((FakeDeviceMotion() as CMDeviceMotion).userAcceleration.x == 1 && FakeDeviceMotion().gravity.z == -1)
    let steps = Mutex(0)
    (FakePedometer() as CMPedometer).queryPedometerData(from: Date(), to: Date()) { data, _ in
      steps.withLock { $0 = data?.numberOfSteps.intValue ?? 0 }
    }
    #expect(steps.withLock { $0 } == 12 && FakePedometer.isStepCountingAvailable())
    #expect(!FakeActivityManager.isActivityAvailable())
  }

  @Test("motion activities can be archived")
  func archives() throws {
    let start = Date(timeIntervalSinceReferenceDate: 1000)
    let activity = try back(CMMotionActivity(startDate: start, confidence: .high, stationary: true, automotive: true))
    #expect(activity.startDate == start && activity.confidence == .high && activity.stationary && activity.automotive)
    #expect(!activity.walking && activity.timestamp == 1000)
    let data = try back(CMPedometerData(startDate: start, endDate: start, numberOfSteps: 7, distance: 5.5))
    #expect(data.numberOfSteps == 7 && data.distance == 5.5 && data.floorsAscended == nil && data.endDate == start)
    #expect(try back(CMPedometerEvent(date: start, type: .resume)).type == .resume)
    let measured = try back(CMAccelerometerData(CMAcceleration(x: 0.5, y: 0, z: -1), timestamp: 3))
    #expect(measured.acceleration.x == 0.5 && measured.acceleration.z == -1 && measured.timestamp == 3)
    #expect(try back(CMDeviceMotion()).heading == -1)
    #expect(try back(CMAltitudeData()).timestamp == 0)
    #expect(try back(CMAttitude()).yaw == 0)
    #expect(String(format: "%@", activity) == activity.description && activity.copy() as? CMMotionActivity === activity)
    let wrong = NSKeyedArchiver(requiringSecureCoding: true)
    wrong.encode(values: [1.0], forKey: "timestamp")
    wrong.encode(values: ["a"])
    wrong.finishEncoding()
    for type in [CMMotionActivity.self, CMAccelerometerData.self] as [CMLogItem.Type] {
      let coder = try NSKeyedUnarchiver(forReadingFrom: wrong.encodedData)
      #expect(type.init(coder: coder) == nil)
    }
  }

  @Test("sensors that are not available report one error each and are not available")
  func absent() {
    let manager = CMMotionManager(accelerometer: nil)
    let codes = Mutex<[Int]>([])
    let receive: @Sendable ((any Error)?) -> Void = { error in codes.withLock { $0.append((error as NSError?)?.code ?? 0) } }
    let queue = OperationQueue()
    manager.startAccelerometerUpdates(to: queue) { receive($1) }
    queue.waitUntilAllOperationsAreFinished()
    // Each handler runs on its queue, and not on the caller's thread.
    queue.isSuspended = true
    manager.startGyroUpdates(to: queue) { receive($1) }
    manager.startMagnetometerUpdates(to: queue) { receive($1) }
    manager.startDeviceMotionUpdates(to: queue) { receive($1) }
    manager.startDeviceMotionUpdates(using: .xTrueNorthZVertical, to: queue) { receive($1) }
    CMAltimeter().startRelativeAltitudeUpdates(to: queue) { receive($1) }
    CMAltimeter().startAbsoluteAltitudeUpdates(to: queue) { receive($1) }
    CMHeadphoneMotionManager().startDeviceMotionUpdates(to: queue) { receive($1) }
    #expect(codes.withLock { $0.count } == 1)
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(codes.withLock { $0 } == Array(repeating: Int(CMErrorNotAvailable.rawValue), count: 8))
    #expect(!manager.isAccelerometerAvailable && !manager.isGyroAvailable && !manager.isMagnetometerAvailable)
    #expect(!manager.isDeviceMotionAvailable && manager.deviceMotion == nil)
    #expect(CMMotionManager.availableAttitudeReferenceFrames().isEmpty && !CMAltimeter.isRelativeAltitudeAvailable())
    #expect(!CMSensorRecorder.isAccelerometerRecordingAvailable())
    #expect(CMSensorRecorder().accelerometerData(from: Date(), to: Date()) == nil)
  }

  @Test("an accelerometer is read in multiples of gravity until updates are stopped", .timeLimit(.minutes(1)))
  func accelerometer() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-iio-\(UUID().uuidString)")
    let device = folder.appendingPathComponent("iio:device0")
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in [("x_raw", "0"), ("y_raw", "490.3325"), ("z_raw", "980.665"), ("scale", "0.01")] {
      try Data(text.utf8).write(to: device.appendingPathComponent("in_accel_\(name)"))
    }
    let manager = CMMotionManager(accelerometer: Accelerometer(in: folder.path))
    #expect(manager.isAccelerometerAvailable && !manager.isAccelerometerActive && manager.accelerometerData == nil)
    let (stream, continuation) = AsyncStream<CMAccelerometerData>.makeStream()
    manager.startAccelerometerUpdates(to: OperationQueue()) { data, _ in
      if let data { continuation.yield(data) }
    }
    #expect(manager.isAccelerometerActive)
    var received: [CMAccelerometerData] = []
    for await data in stream {
      received.append(data)
      if received.count == 3 { break }
    }
    #expect(received.allSatisfy { abs($0.acceleration.z + 1) < 1e-9 && abs($0.acceleration.y + 0.5) < 1e-9 })
    #expect(received.last?.timestamp ?? 0 > received.first?.timestamp ?? 0 && manager.accelerometerData != nil)
    manager.stopAccelerometerUpdates()
    #expect(!manager.isAccelerometerActive && manager.accelerometerData == nil)
  }
}
