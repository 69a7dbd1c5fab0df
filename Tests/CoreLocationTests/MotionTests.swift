import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation
@testable import CoreMotion
@testable import GodwitTracks

private let start = Date(timeIntervalSince1970: 1_800_000_000)

/// Returns positions once a second on a route to the north, which has parts with a duration and a speed in metres per second.
private func route(_ stretches: [(seconds: Int, speed: Double)], tellsSpeed: Bool = true) -> [Fix] {
  var north = 0.0
  var second = 0.0
  return stretches.flatMap { stretch in
    (0..<stretch.seconds).compactMap { _ in
      north += stretch.speed
      second += 1
      return Coordinate(latitude: 45 + north / 111_195, longitude: 14).map {
        Fix(
          time: start.addingTimeInterval(second), coordinate: $0, horizontalAccuracy: 5,
          speed: tellsSpeed ? stretch.speed : nil)
      }
    }
  }
}

/// Returns the reported changes of the kind of motion, in order.
private func kinds(_ fixes: [Fix]) -> [MotionClassifier.Activity] {
  var classifier = MotionClassifier()
  var seen: [MotionClassifier.Activity] = []
  for fix in fixes {
    if let activity = classifier.handle(fix), activity.kind != seen.last?.kind { seen.append(activity) }
  }
  return seen
}

extension Fix {
  fileprivate func later(by seconds: Double) -> Fix {
    var fix = self
    fix.time += seconds
    return fix
  }
}

@Suite("Motion from positions")
struct MotionClassifierTests {
  @Test(
    "speed determines the kind of motion, with and without the receiver's own speed",
    arguments: [
      (0.0, MotionClassifier.Kind.stationary), (1.4, .walking), (2.8, .running), (5.0, .cycling), (8.0, .cycling),
      (13.9, .automotive), (36, .automotive),
    ], [true, false])
  func speeds(_ row: (speed: Double, kind: MotionClassifier.Kind), tellsSpeed: Bool) {
    let fixes = route([(120, row.speed)], tellsSpeed: tellsSpeed)
    #expect(kinds(fixes).map(\.kind) == [row.kind])
    var classifier = MotionClassifier()
    for fix in fixes { _ = classifier.handle(fix) }
    #expect(classifier.activity?.confidence == .high)
  }

  @Test(
    "a short change of motion is ignored; a lasting one is reported",
    arguments: [
      // A bicycle at a traffic light.
      ([(300, 5), (40, 0), (300, 5)], [.cycling]),
      // A car at a traffic light.
      ([(200, 14), (60, 0), (200, 14)], [.automotive]),
      // A car that is as slow as a bicycle in a town, after it was fast.
      ([(200, 14), (200, 6), (200, 14)], [.automotive]),
      // A drive, a walk from the car to a bicycle, and a ride.
      ([(200, 14), (180, 1.4), (200, 5)], [.automotive, .walking, .cycling]),
      // A bicycle that is as slow as a runner uphill.
      ([(300, 5), (600, 2.8), (300, 6)], [.cycling]),
      // A ride of half an hour and a descent.
      ([(1500, 6), (240, 12.5), (300, 6)], [.cycling]),
      // A bus that is slow at first.
      ([(60, 6), (300, 15)], [.cycling, .automotive]),
      ([(240, 1.4), (240, 0), (240, 1.4)], [.walking, .stationary, .walking]),
      ([(300, 5), (400, 0)], [.cycling, .stationary]),
    ] as [([(Int, Double)], [MotionClassifier.Kind])])
  func changes(_ stretches: [(Int, Double)], _ expected: [MotionClassifier.Kind]) {
    #expect(kinds(route(stretches.map { (seconds: $0.0, speed: $0.1) })).map(\.kind) == expected)
  }

  @Test("after the clock was set back the motion is computed again")
  func clockSetBack() {
    let walk = route([(120, 1.4)])
    let drive = route([(200, 14)]).map { $0.later(by: -3600) }
    #expect(kinds(walk + drive).map(\.kind) == [.walking, .unknown, .automotive])
    // One late position is ignored.
    #expect(kinds(walk + drive.prefix(1) + walk.map { $0.later(by: 120) }).map(\.kind) == [.walking])
  }

  @Test("a short stop during a ride, as at a traffic light, is stationary and automotive")
  func still() {
    var classifier = MotionClassifier()
    let fixes = route([(300, 5), (60, 0)])
    let changes = fixes.compactMap { classifier.handle($0) }
    #expect(changes.last?.kind == .cycling && changes.last?.isStill == true)
  }

  @Test("after a long time without a position the motion is unknown; cell positions, old positions and jumps are ignored")
  func gaps() {
    var classifier = MotionClassifier()
    let fixes = route([(120, 5)])
    for fix in fixes { _ = classifier.handle(fix) }
    let before = classifier.activity
    var cell = fixes[119]
    cell.time += 1
    cell.horizontalAccuracy = 800
    cell.speed = 30
    #expect(classifier.handle(cell) == nil)
    #expect(classifier.handle(fixes[3]) == nil)
    var jump = fixes[119]
    jump.time += 2
    jump.speed = 400
    #expect(classifier.handle(jump) == nil)
    #expect(classifier.activity == before)
    var late = fixes[119]
    late.time += 1000
    #expect(classifier.handle(late)?.kind == .unknown)
  }

  @Test(
    "recorded tracks: no ride or drive on a walk, and no long walk in a car",
    arguments: [
      ("korita-zbevnica", [.walking, .stationary], 0.95), ("around-visnjan-with-car", [.automotive, .cycling], 0.75),
    ] as [(String, Set<MotionClassifier.Kind>, Double)])
  func real(_ name: String, _ kinds: Set<MotionClassifier.Kind>, _ minimum: Double) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = try TrackFile(path: folder.appendingPathComponent("GodwitFilesTests/Fixtures/\(name).gpx").path)
    var classifier = MotionClassifier()
    var (known, right) = (0.0, 0.0)
    var last: Date?
    while let points = try file.next() {
      for fix in points.compactMap(\.fix) {
        let kind = classifier.activity?.kind ?? .unknown
        if let last, kind != .unknown {
          let seconds = fix.time.timeIntervalSince(last)
          known += seconds
          if kinds.contains(kind) { right += seconds }
        }
        last = fix.time
        _ = classifier.handle(fix)
      }
    }
    #expect(known > 200)
    #expect(right / known >= minimum, "\(right / known)")
  }
}

/// A receiver that reports its recorded fixes and then ends.
private struct RecordedSource: PositionSource {
  var fixes: [Fix]
  var isSimulated: Bool { true }
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    for fix in fixes { await tell(.positions([fix])) }
    await tell(.finished)
  }
}

@Suite("CMMotionActivityManager")
struct MotionUpdatesTests {
  private final class Seen: Sendable {
    private let activities = Mutex<[CMMotionActivity]>([])
    func add(_ activity: CMMotionActivity?) { activities.withLock { $0 += [activity].compactMap(\.self) } }
    var all: [CMMotionActivity] { activities.withLock { $0 } }
  }

  private func queue() -> OperationQueue {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    return queue
  }

  @Test("activity updates keep the receiver running and report each change on the queue and in order")
  func updates() async {
    let daemon = LocationDaemon(
      source: RecordedSource(fixes: route([(100, 1.4), (200, 5)])), authorization: .authorizedAlways)
    let manager = CMMotionActivityManager(coprocessor: MotionCoprocessor(daemon: daemon))
    let seen = Seen()
    manager.startActivityUpdates(to: queue()) { seen.add($0) }
    await daemon.finished()
    #expect(seen.all.first?.walking == true)
    #expect(seen.all.last?.cycling == true && seen.all.last?.walking == false)
    #expect(seen.all.map(\.startDate) == seen.all.map(\.startDate).sorted())
    manager.stopActivityUpdates()
  }

  @Test("a late subscriber gets the current motion at once, and past motion can be queried")
  func history() async {
    let daemon = LocationDaemon(
      source: RecordedSource(fixes: route([(100, 1.4), (200, 5)])), authorization: .authorizedAlways)
    let coprocessor = MotionCoprocessor(daemon: daemon)
    let first = CMMotionActivityManager(coprocessor: coprocessor)
    first.startActivityUpdates(to: queue()) { _ in }
    await daemon.finished()
    let second = CMMotionActivityManager(coprocessor: coprocessor)
    let (reported, tell) = AsyncStream<CMMotionActivity>.makeStream()
    second.startActivityUpdates(to: queue()) { if let activity = $0 { tell.yield(activity) } }
    for await activity in reported {
      #expect(activity.cycling)
      break
    }
    let answering = queue()
    let (responses, response) = AsyncStream<([CMMotionActivity]?, Int?)>.makeStream()
    for end in [start + 90, start - 90] {
      second.queryActivityStarting(from: start, to: end, to: answering) { activities, error in
        response.yield((activities, (error as NSError?)?.code))
      }
    }
    var all: [([CMMotionActivity]?, Int?)] = []
    for await one in responses {
      all.append(one)
      if all.count == 2 { break }
    }
    #expect(all.contains { $0.0?.contains { $0.walking } == true && $0.0?.contains { $0.cycling } == false })
    #expect(all.contains { $0.0 == nil && $0.1 == 107 })
  }

  /// The code of an app that counts reports of walking, and also queries the pedometer.
  @MainActor
  private final class WalkModel {
    private(set) var walks = 0
    private(set) var codes: [Int] = []
    private let activities = CMMotionActivityManager()
    private let pedometer = CMPedometer()

    func start() {
      guard CMMotionActivityManager.isActivityAvailable() else { return }
      activities.startActivityUpdates(to: .main) { activity in
        if let activity, activity.walking, activity.confidence != .low { self.walks += 1 }
      }
      let note: (CMPedometerData?, (any Error)?) -> Void = { _, error in
        if let error { self.codes.append((error as NSError).code) }
      }
      pedometer.startUpdates(from: Date(), withHandler: note)
      pedometer.queryPedometerData(from: .distantPast, to: Date(), withHandler: note)
      pedometer.startEventUpdates { _, error in
        if let error { self.codes.append((error as NSError).code) }
      }
      pedometer.stopUpdates()
      pedometer.stopEventUpdates()
    }

    func past() async -> Int {
      do {
        return try await activities.queryActivityStarting(from: .distantPast, to: .distantFuture, to: .main).count
      } catch {
        codes.append((error as NSError).code)
        return 0
      }
    }
  }

  @Test("an ordinary class of an iOS app works unchanged", .timeLimit(.minutes(20)))
  @MainActor
  func ordinaryClass() async {
    let daemon = LocationDaemon(
      source: RecordedSource(fixes: route([(100, 1.4), (200, 5)])), authorization: .authorizedAlways)
    await daemon.serve {
      let model = WalkModel()
      model.start()
      await daemon.finished()
      #expect(model.walks > 0)
      #expect(await model.past() > 1)
      #expect(model.codes == [109, 109, 109])
      #expect(CMMotionActivityManager.authorizationStatus() == .authorized)
    }
    await LocationDaemon(source: RecordedSource(fixes: []), authorization: .denied).serve {
      let model = WalkModel()
      #expect(await model.past() == 0)
      #expect(model.codes == [Int(CMErrorMotionActivityNotAuthorized.rawValue)])
      #expect(CMMotionActivityManager.authorizationStatus() == .denied)
    }
  }

  @Test("without permission there is no motion, and the receiver is not used", .timeLimit(.minutes(20)))
  func denied() async {
    let daemon = LocationDaemon(source: RecordedSource(fixes: route([(100, 5)])), authorization: .denied)
    let manager = CMMotionActivityManager(coprocessor: MotionCoprocessor(daemon: daemon))
    let seen = Seen()
    manager.startActivityUpdates(to: queue()) { seen.add($0) }
    await daemon.finished()
    #expect(daemon.last == nil)
    manager.stopActivityUpdates()
    #expect(seen.all.isEmpty)
  }
}
