import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitJournal
import GodwitModel
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitObjectiveC

@Suite("The interface for Objective-C")
struct FacadeTests {
  @Test(
    "an endpoint is created from strings, or an error reports the invalid one",
    arguments: [
      ("home", "https://my.example/api/openlocate", "openlocate", nil),
      ("home", "https://my.example/?lat=%LAT", "query", nil), ("", "https://my.example/", "overland", "no name"),
      ("home", "my.example", "overland", "Endpoint home"), ("home", "ftp://my.example", "overland", "Endpoint home"),
      ("home", "https://my.example/", "morse", "\"morse\""),
    ] as [(String, String, String, String?)])
  func endpoint(name: String, address: String, format: String, problem: String?) throws {
    guard let problem else {
      let endpoint = try Endpoint(name: name, address: address, headers: ["A": "b"], format: format)
      #expect(endpoint.id == EndpointID(name) && endpoint.headers == ["A": "b"])
      return
    }
    let error = #expect(throws: GodwitError.self) { try Endpoint(name: name, address: address, format: format) }
    #expect(error?.code == .invalidEndpoint && error?.message.contains(problem) == true, "\(String(describing: error))")
  }

  @Test("each error has its own code and message")
  func errors() throws {
    let missing = UsageDescriptions.Missing(key: "NSMotionUsageDescription")
    #expect(FacadeError.nsError(missing).code == 1)
    #expect(FacadeError.nsError(missing).domain == "GWTrackerErrorDomain")
    #expect(FacadeError.nsError(missing).localizedDescription == missing.description)
    #expect(FacadeError.nsError(GodwitError(.invalidEndpoint, "x")).code == 2)
    #expect(FacadeError.nsError(HTTPError("There was no position.")).code == 0)
    let unreachable = FacadeError.nsError(GodwitError(.noLocation, "There was no position."))
    #expect(unreachable.code == 3 && unreachable.localizedDescription == "There was no position.")
    let setting = #expect(throws: GodwitError.self) {
      try FacadeSettings(transmissionInterval: 1, onlyWhenInUse: false, words: ["trip_mode": "broom"])
    }
    #expect(FacadeError.nsError(try #require(setting)).code == 4)
    let folder = try TemporaryFolder()
    let held = try JournalLock(path: folder.journal)
    let inUse = #expect(throws: JournalInUse.self) { try JournalLock(path: folder.journal) }
    withExtendedLifetime(held) {}
    #expect(FacadeError.nsError(try #require(inUse)).code == 5)
    #expect(Set(FacadeError.Code.allCases.map(\.rawValue)).count == FacadeError.Code.allCases.count)
  }

  @Test("the configuration of the regions has the server of the named endpoint, its headers, the tags and the independence")
  func regions() throws {
    let endpoints = [
      try Endpoint(name: "old", address: "https://old.example/api/openlocate", format: "openlocate"),
      try Endpoint(
        name: "home", address: "https://home.example/g/api/overland", headers: ["Authorization": "Bearer t"], format: "overland"),
      try Endpoint(name: "hook", address: "https://hook.example/take", format: "overland"),
    ]
    let wanted = FacadeRegions(endpoint: "home", tags: ["shops"], without: ["night"], isIndependent: true)
    let regions = try wanted.configuration(among: endpoints)
    #expect(regions.server?.server.absoluteString == "https://home.example/g")
    #expect(regions.server?.headers == ["Authorization": "Bearer t"])
    #expect(regions.choice == RegionSync.Choice(tags: ["shops"], without: ["night"]) && regions.isIndependent)
    for (name, words) in [("work", "The endpoints are: old, home, hook."), ("hook", "/api/overland")] {
      let error = #expect(throws: GodwitError.self) { try FacadeRegions(endpoint: name).configuration(among: endpoints) }
      #expect(error?.description.contains(words) == true)
    }
  }

  @Test("a region has plain properties: a circle, the circle around polygons, a beacon with any numbers")
  func region() throws {
    let known = everyKind.map { FacadeRegion($0) }
    #expect(known.map(\.id) == everyKind.map(\.id))
    let (circle, park, door) = (known[0], known[2], known[3])
    #expect(circle.radius == 200 && circle.center == place(north: 0) && circle.name == "Über" && circle.tags == ["b", "a"])
    #expect(circle.beaconUUID == nil && circle.major == -1)
    #expect(park.radius > 4_000 && park.center != nil)
    #expect(door.radius == -1 && door.center == place(north: 50) && door.major == 3 && door.minor == 4)
    #expect(door.beaconUUID?.uuidString == "00000000-0000-0001-0000-000000000002")
    let all = Beacon(identity: BeaconIdentity(uuid: ProximityUUID(high: 1, low: 2)))
    let any = FacadeRegion(Region(id: "any", shape: .beacon(all)))
    #expect(any.center == nil && any.major == -1 && any.minor == -1)
  }

  @Test(
    "a positive finite number of seconds is an interval, and other values mean manual uploads",
    arguments: [(10_800, .every(10_800)), (0, .never), (-1, .never), (.infinity, .never)] as [(Double, EndpointPlan.Interval)])
  func interval(seconds: Double, interval: EndpointPlan.Interval) throws {
    #expect(try FacadeSettings(transmissionInterval: seconds, onlyWhenInUse: false, words: [:]).interval == interval)
  }

  @Test("settings are set by name: switches, choices, numbers and lists")
  func words() throws {
    let settings = try FacadeSettings(
      transmissionInterval: 60, onlyWhenInUse: true,
      words: [
        "notifications": "true", "trip_mode": "walk", "main.batch_size": "50", "wifi_zones": "Home@45,14; Work@46,14",
      ]
    ).value
    #expect(settings.authorization == .whenInUse && settings.main.trackingMode == .significant && settings.main.tracksVisits)
    #expect(settings.notifies && settings.tripMode == .walk && settings.main.batchSize == 50)
    #expect(settings.wifiZones.map(\.ssid) == ["Home", "Work"])
  }
}

@Suite("The clock of a replay", .timeLimit(.minutes(20)))
struct ReplayClockTests {
  private let start = Date(timeIntervalSince1970: 1_800_000_000)

  @Test("it is constant between advances, and never goes back")
  func moves() {
    let clock = ReplayClock(start)
    #expect(clock.now == start)
    clock.advance(to: start + 10)
    clock.advance(to: start + 5)
    #expect(clock.now == start + 10)
  }

  @Test("a sleeper wakes at its time, or when it is cancelled", .timeLimit(.minutes(20)))
  func sleeps() async throws {
    let clock = ReplayClock(start)
    async let first: Void = clock.sleep(60)
    // The clock is advanced repeatedly, because the sleeper may not sleep yet.
    let mover = Task {
      while !Task.isCancelled {
        clock.advance(to: clock.now + 61)
        await Task.yield()
      }
    }
    try await first
    mover.cancel()
    await mover.value
    try await clock.sleep(0)
    let sleeper = Task { try await clock.sleep(1e9) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }
}

@Suite("The tracker and its device", .timeLimit(.minutes(20)))
struct TrackerDeviceTests {
  @Test("information on the device is merged, and recorded records are passed to the app")
  func together() async throws {
    let folder = try TemporaryFolder()
    let kept = Mutex<[Record]>([])
    var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [])
    configuration.recorded = { records in kept.withLock { $0 += records } }
    configuration.settings.fields = .all
    let sensor = ScriptedSensor()
    let tracker = try Tracker(configuration: configuration, sensor: sensor)
    let running = Task { try await tracker.run() }
    // The sensor is connected after this.
    await tracker.caughtUp()
    tracker.startTracking()
    tracker.update { $0.batteryLevel = 0.5 }
    tracker.update { $0.wifi = "Home" }
    sensor.notify(.motionChanged(.cycling, isSure: true))
    tracker.update { $0.carrier = "Swisscom" }
    for second in 0..<3 {
      if case .fix(let fix) = record(Double(second)).kind { sensor.notify(.fixes([fix])) }
    }
    await tracker.caughtUp()
    let records = kept.withLock { $0 }
    #expect(records.count == 3 && records.map(\.time) == records.map(\.time).sorted())
    let context = try #require(records.last?.context)
    #expect(context.batteryLevel == 0.5 && context.wifi == "Home" && context.carrier == "Swisscom")
    #expect(context.motion == .cycling)
    #expect(await tracker.status.motion == .cycling)
    #expect(await tracker.status.motionProblem == nil)
    try await tracker.set([DesiredSetting(name: "automatic_trips", value: .flag(true))])
    await tracker.caughtUp()
    #expect(
      await tracker.status.motionProblem == "No trip starts automatically. The sensor of this configuration reports "
        + "no motion.")
    tracker.stopTracking()
    await tracker.untilTripIsFinished()
    running.cancel()
    _ = await running.result
  }
}
