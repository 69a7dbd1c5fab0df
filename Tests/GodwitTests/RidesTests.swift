import Foundation
import Godwit
import GodwitHTTPClient
import Rides
import Testing

/// Tests the model of Examples/CycleTracker, which its program and its app share.
@Suite("The bicycle tracker of the examples", .timeLimit(.minutes(20)))
struct RidesTests {
  private let clock = ReplayClock(start)

  private func rides(_ folder: TemporaryFolder, _ sensor: ScriptedSensor) throws -> RideTracker {
    let environment = TrackerEnvironment(
      now: { [clock] in clock.now }, sleep: { [clock] in try await clock.sleep($0) }, random: { 0.5 },
      client: HTTPClient { _ in throw HTTPError("no network here") })
    return try RideTracker(
      folder: URL(fileURLWithPath: folder.journal + ".rides"), sensor: sensor, environment: environment)
  }

  /// Rides north at 5 m/s during these seconds of the ride.
  private func ride(_ seconds: Range<Int>, _ sensor: ScriptedSensor, _ tracker: Tracker) async throws {
    for second in stride(from: seconds.lowerBound, to: seconds.upperBound, by: 5) {
      clock.advance(to: start.addingTimeInterval(Double(second)))
      let place = try #require(Coordinate(latitude: 45 + Double(second) * 5 / 111_195, longitude: 14))
      sensor.notify(.fixes([Fix(time: clock.now, coordinate: place, horizontalAccuracy: 5, speed: 5)]))
      await tracker.caughtUp()
    }
  }

  @Test(
    "a ride that was interrupted by the end of the program is complete after the next launch, also after an incomplete line",
    .timeLimit(.minutes(20)), arguments: ["", #"{"coordinate":{"lat"#])
  func relaunch(incompleteLine: String) async throws {
    let folder = try TemporaryFolder()
    do {
      let sensor = ScriptedSensor()
      let first = try rides(folder, sensor)
      let running = Task { try await first.tracker.run() }
      await first.tracker.caughtUp()
      first.tracker.startTracking()
      sensor.notify(.motionChanged(.cycling, isSure: true))
      try await ride(0..<200, sensor, first.tracker)
      running.cancel()
      _ = await running.result
    }
    let files = try FileManager.default.contentsOfDirectory(
      at: URL(fileURLWithPath: folder.journal + ".rides"), includingPropertiesForKeys: nil)
    let file = try FileHandle(forWritingTo: try #require(files.first { $0.pathExtension == "going" }))
    try file.seekToEnd()
    try file.write(contentsOf: Data(incompleteLine.utf8))
    try file.close()
    let sensor = ScriptedSensor()
    let second = try rides(folder, sensor)
    let (ended, tell) = AsyncStream<Ride>.makeStream()
    second.store.onRide { tell.yield($0) }
    let running = Task { try await second.tracker.run() }
    await second.tracker.caughtUp()
    #expect(await second.tracker.status.trip != nil)
    sensor.notify(.motionChanged(.cycling, isSure: true))
    try await ride(260..<400, sensor, second.tracker)
    sensor.notify(.motionChanged(.stationary, isSure: true))
    await second.tracker.caughtUp()
    clock.advance(to: start.addingTimeInterval(800))
    for await ride in ended {
      #expect(ride.start == start && ride.end == start.addingTimeInterval(395))
      #expect(abs(ride.distance - 395 * 5) < 5)
      #expect(ride.fixes.count == 40 + 28)
      break
    }
    #expect(try second.store.rides().count == 1 && second.store.problem == nil)
    running.cancel()
    _ = await running.result
  }

  @Test("the screen shows the state of the tracker, and a finished ride", .timeLimit(.minutes(20)))
  @MainActor
  func screen() async throws {
    let folder = try TemporaryFolder()
    let sensor = ScriptedSensor()
    let rides = try rides(folder, sensor)
    let model = RidesModel(rides)
    #expect(model.headline == "Not started" && model.rides.isEmpty)
    let running = Task { await model.run() }
    await rides.tracker.caughtUp()
    model.start()
    // The screen is updated after the tracker.
    func shows(_ headline: String) async throws {
      while !model.headline.hasPrefix(headline) {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
    // The sensor of this test has no motion detection.
    try await shows("No trip starts automatically")
    sensor.notify(.motionChanged(.cycling, isSure: true))
    try await ride(0..<200, sensor, rides.tracker)
    try await shows("Riding: 1.0 km")
    rides.tracker.stopTrip()
    while model.rides.isEmpty {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(model.rides.first?.summary == "1.0 km in 3 min, 18.0 km/h on average, 18.0 km/h at most")
    running.cancel()
    await running.value
  }

  @Test(
    "too short and too slow movements are not rides",
    arguments: [(500.0, 120.0, true), (499, 120, false), (500, 119, false), (1000, 600, false), (1100, 600, true)])
  func minimum(distance: Double, duration: Double, isRide: Bool) {
    let trip = Trip(
      start: start, end: start.addingTimeInterval(duration), mode: "bicycle", duration: duration, distance: distance)
    #expect((Ride(trip, fixes: []) != nil) == isRide)
  }
}
