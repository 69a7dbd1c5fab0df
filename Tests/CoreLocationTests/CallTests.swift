import Foundation
import Synchronization
import Testing

@testable import CoreLocation

/// The threads and times of delegate calls, and the daemon that is used by code outside of a task of `serve`.
@Suite("Calls of delegates", .timeLimit(.minutes(20)))
struct CallTests {
  /// Records the thread of each call.
  private final class Listener: NSObject, CLLocationManagerDelegate, Sendable {
    private let calls = Mutex<[(isOwn: Bool, isMain: Bool, status: CLAuthorizationStatus?)]>([])
    private let thread = Mutex<ObjectIdentifier?>(nil)

    func setThread() { thread.withLock { $0 = ObjectIdentifier(Thread.current) } }
    var all: [(isOwn: Bool, isMain: Bool, status: CLAuthorizationStatus?)] { calls.withLock { $0 } }
    var statuses: [CLAuthorizationStatus] { all.compactMap(\.status) }
    var positions: Int { all.count - statuses.count }

    private func record(_ status: CLAuthorizationStatus?) {
      let isOwn = thread.withLock { $0 == ObjectIdentifier(Thread.current) }
      calls.withLock { $0.append((isOwn, Self.isOnMainQueue, status)) }
    }
    private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: mainKey) == true }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { record(manager.authorizationStatus) }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) { record(nil) }
  }

  private static let mainKey = DispatchSpecificKey<Bool>()
  init() { DispatchQueue.main.setSpecific(key: Self.mainKey, value: true) }

  @Test("a manager calls its delegate in the run loop of the thread that created it, or on the main queue if there is none")
  func threads() async {
    for runsLoop in [true, false] {
      let daemon = LocationDaemon(source: Script(north: [0, 10, 20, 30]))
      let listener = Listener()
      let isOver = Mutex(false)
      let made = AsyncStream<Void>.makeStream()
      let thread = Thread {
        daemon.scope {
          listener.setThread()
          let manager = CLLocationManager()
          manager.delegate = listener
          manager.requestWhenInUseAuthorization()
          manager.startUpdatingLocation()
          made.continuation.finish()
          while !isOver.withLock({ $0 }) {
            if runsLoop {
              RunLoop.current.run(until: Date().addingTimeInterval(0.05))
            } else {
              // A thread without a run loop: it only sleeps.
              Thread.sleep(forTimeInterval: 0.05)
            }
          }
          _ = manager.delegate
        }
      }
      thread.start()
      for await _ in made.stream {}
      await daemon.finished()
      isOver.withLock { $0 = true }
      #expect(listener.positions == 4 && listener.statuses == [.notDetermined, .authorizedWhenInUse])
      #expect(listener.all.allSatisfy { $0.isOwn == runsLoop && $0.isMain == !runsLoop })
    }
  }

  @Test("calls for a thread that has finished are made on the main queue")
  func finishedThread() async {
    let daemon = LocationDaemon(source: Script(north: [0, 10, 20, 30]))
    let listener = Listener()
    let managers = Mutex<[CLLocationManager]>([])
    let thread = Thread {
      daemon.scope {
        listener.setThread()
        let manager = CLLocationManager()
        managers.withLock { $0.append(manager) }
        manager.delegate = listener
        RunLoop.current.run(until: Date().addingTimeInterval(0.1))
      }
    }
    thread.start()
    // The end of a thread is not an event, so the test polls.
    while managers.withLock({ $0.isEmpty }) || !thread.isFinished { try? await Task.sleep(for: .milliseconds(10)) }
    let manager = managers.withLock { $0[0] }
    manager.requestWhenInUseAuthorization()
    manager.startUpdatingLocation()
    await daemon.finished()
    #expect(listener.positions == 4 && listener.all.suffix(4).allSatisfy(\.isMain))
  }

  @Test("a manager that is created on the main actor calls its delegate there")
  @MainActor
  func mainActor() async {
    let daemon = LocationDaemon(source: Script(north: [0, 10]))
    let listener = Listener()
    await daemon.serve {
      let manager = CLLocationManager()
      manager.delegate = listener
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
      await daemon.finished()
      _ = manager.delegate
    }
    #expect(listener.positions == 2 && listener.all.allSatisfy(\.isMain))
  }

  @Test(
    "a delegate gets the authorization status first, then each change once, also a delegate that is set later",
    arguments: [CLAuthorizationStatus.authorizedWhenInUse, .denied])
  @MainActor
  func authorization(_ answer: CLAuthorizationStatus) async {
    let daemon = LocationDaemon(source: Script(north: []), authorize: { $0 && answer != .denied ? .authorizedAlways : answer })
    let (first, second) = (Listener(), Listener())
    await daemon.serve {
      let manager = CLLocationManager()
      manager.delegate = first
      manager.requestWhenInUseAuthorization()
      await drainMainQueue()
      #expect(first.statuses == [.notDetermined, answer])
      manager.delegate = second
      await drainMainQueue()
      #expect(first.statuses.count == 2 && second.statuses == [answer])
      manager.requestAlwaysAuthorization()
      manager.delegate = second
      await drainMainQueue()
      #expect(second.statuses == (answer == .denied ? [.denied] : [answer, .authorizedAlways]))
      #expect(manager.authorizationStatus == second.statuses.last)
    }
  }

  /// Returns after all calls that were enqueued on the main queue before have run.
  private func drainMainQueue() async {
    for _ in 0..<2 { await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } } }
  }

  @Test("the active daemon is used if it is the only one, also when it serves twice")
  func serving() {
    let (one, two) = (LocationDaemon(source: Script(north: [])), LocationDaemon(source: Script(north: [])))
    var serving = ServingDaemons()
    #expect(serving.only == nil)
    serving.add(one)
    serving.add(one)
    #expect(serving.only === one)
    serving.add(two)
    #expect(serving.only == nil)
    serving.remove(two)
    serving.remove(one)
    #expect(serving.only === one)
    serving.remove(one)
    #expect(serving.only == nil)
  }

  // In a separate process, because the serving daemons are those of the whole process.
  @Test("dispatch queues, threads and detached tasks use the active daemon")
  func everywhere() async {
    await #expect(processExitsWith: .success) {
      let daemon = LocationDaemon(source: Script(north: []), authorization: .restricted)
      await daemon.serve {
        let queue = await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume(returning: CLLocationManager().authorizationStatus) }
        }
        let thread = await withCheckedContinuation { continuation in
          Thread { continuation.resume(returning: CLLocationManager.authorizationStatus()) }.start()
        }
        // Detached because the test is about a task without task-local values.
        let task = await Task.detached { CLLocationManager().authorizationStatus }.value
        precondition([queue, thread, task].allSatisfy { $0 == .restricted }, "\(queue) \(thread) \(task)")
        let other = LocationDaemon(source: Script(north: []), authorization: .denied)
        let (inner, detached) = await other.serve {
          (
            CLLocationManager().authorizationStatus,
            // Detached because the test is about a task without task-local values.
            await Task.detached { LocationDaemon.current === LocationDaemon.system }.value
          )
        }
        precondition(inner == .denied && detached)
      }
      precondition(LocationDaemon.current === LocationDaemon.system)
    }
  }
}
