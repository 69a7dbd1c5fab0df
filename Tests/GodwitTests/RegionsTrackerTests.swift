import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitRegionStorage
import GodwitWire
import Synchronization
import Testing

@testable import Godwit

/// A sensor with region support.
private final class SensorWithRegions: Sensor {
  let inner = ScriptedSensor()
  let system: ScriptedRegions

  init(_ system: ScriptedRegions) { self.system = system }

  var regions: (any RegionSensor)? { system }
  func connect(_ tell: @escaping @Sendable (Event) -> Void) { inner.connect(tell) }
  func configure(_ request: LocationRequest?) { inner.configure(request) }
  func requestAuthorization(_ wanted: WantedAuthorization) {}
}

/// A sensor that reports fixes as soon as it is connected.
private final class SensorWithFixes: Sensor {
  private let fixes: [Fix]
  private let inner = ScriptedSensor()

  init(_ fixes: [Fix]) { self.fixes = fixes }

  func connect(_ tell: @escaping @Sendable (Event) -> Void) {
    inner.connect(tell)
    if !fixes.isEmpty { tell(.fixes(fixes)) }
  }
  func configure(_ request: LocationRequest?) { inner.configure(request) }
  func requestAuthorization(_ wanted: WantedAuthorization) {}
}

@Suite("The tracker and its regions", .timeLimit(.minutes(20)))
struct RegionsTrackerTests {
  /// A server that responds to uploads and to requests for regions.
  private final class Home: Sendable {
    let regions = RegionServer()
    private let state = Mutex((uploads: 0, hint: String?.none))

    func set(hint: String?) { state.withLock { $0.hint = hint } }
    var uploads: Int { state.withLock { $0.uploads } }

    var client: HTTPClient {
      HTTPClient { [self] request in
        guard request.url.path.hasSuffix("/api/overland") else { return try await regions.client.send(request) }
        let hint = state.withLock { state in
          state.uploads += 1
          return state.hint
        }
        let member = hint.map { #","regions":"\#($0)""# } ?? ""
        return HTTPClient.Response(status: 200, body: Array(#"{"result":"ok"\#(member)}"#.utf8))
      }
    }
  }

  private func tracker(
    _ folder: TemporaryFolder, _ clock: VirtualClock, _ home: Home, _ system: ScriptedRegions,
    change: (inout Tracker.Configuration) -> Void = { _ in }
  ) throws -> (Tracker, SensorWithRegions) {
    let endpoint = Endpoint(
      id: EndpointID("home"), url: try #require(URL(string: "https://home.example/api/overland")), token: "t")
    var configuration = Tracker.Configuration(
      journalPath: folder.journal, endpoints: [endpoint], environment: clock.environment(home.client))
    configuration.regions = RegionConfiguration(beside: endpoint)
    change(&configuration)
    let sensor = SensorWithRegions(system)
    return (try Tracker(configuration: configuration, sensor: sensor), sensor)
  }

  private func run(_ tracker: Tracker, _ body: () async throws -> Void) async throws {
    let running = Task { try await tracker.run() }
    await tracker.caughtUp()
    try await body()
    running.cancel()
    _ = await running.result
  }

  private func synced(_ tracker: Tracker, _ digest: String) async throws {
    while tracker.regions?.digest != digest {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// Returns the region events in the journal, sent or not.
  private func recorded(_ tracker: Tracker) throws -> [String] {
    try tracker.journal.next(endpoint: "home", limit: 1000).compactMap { _, record in
      guard case .region(let event) = record.kind else { return nil }
      return "\(event.kind) \(event.region.id)"
    }
  }

  @Test(
    "the tracker syncs, monitors, records and sends at once, and monitors nothing while tracking is off", .timeLimit(.minutes(20))
  )
  func handsOff() async throws {
    let (folder, clock, home, system) = (try TemporaryFolder(), VirtualClock(), Home(), ScriptedRegions())
    home.regions.put([fence("home"), fence("school", north: 3_000)])
    let reported = Mutex<[Record]>([])
    let (tracker, sensor) = try tracker(folder, clock, home, system) { configuration in
      configuration.recorded = { records in reported.withLock { $0 += records } }
    }
    try await run(tracker) {
      #expect(system.monitored.isEmpty && home.regions.requests.isEmpty)
      tracker.startTracking()
      try await synced(tracker, home.regions.digest)
      // The fixes of the tracker are enough for an entry.
      sensor.inner.notify(.fixes([fix(0, north: 0)]))
      await tracker.caughtUp()
      while home.uploads == 0 {
        try Task.checkCancellation()
        await Task.yield()
      }
      await tracker.caughtUp()
      let records = reported.withLock { $0 }.filter { if case .region = $0.kind { true } else { false } }
      #expect(records.count == 1 && records.first?.context.trigger == .regionEntry)
      #expect(system.identifier("home") != nil && system.identifier("school") != nil)
      tracker.stopTracking()
      await tracker.caughtUp()
      while !system.monitored.isEmpty {
        try Task.checkCancellation()
        await Task.yield()
      }
    }
  }

  @Test("a different digest in an upload's response is a hint to sync, an equal one is not", .timeLimit(.minutes(20)))
  func hint() async throws {
    let (folder, clock, home, system) = (try TemporaryFolder(), VirtualClock(), Home(), ScriptedRegions())
    home.regions.put([fence("home")])
    let (tracker, sensor) = try tracker(folder, clock, home, system)
    try await run(tracker) {
      tracker.startTracking()
      try await synced(tracker, home.regions.digest)
      let before = home.regions.requests.count
      home.set(hint: home.regions.digest)
      sensor.inner.notify(.fixes([fix(0, north: 0)]))
      tracker.sendNow()
      await tracker.untilSent()
      #expect(home.regions.requests.count == before)
      home.regions.put([fence("new", north: 9_000)])
      home.set(hint: home.regions.digest)
      sensor.inner.notify(.fixes([fix(60, north: 100)]))
      tracker.sendNow()
      try await synced(tracker, home.regions.digest)
      #expect(tracker.regions?["new"] != nil)
    }
  }

  @Test(
    "an event that is in the file of the regions and not yet in the journal is recorded once after the relaunch",
    .timeLimit(.minutes(20))
  )
  func exactlyOnce() async throws {
    let (folder, clock, home, system) = (try TemporaryFolder(), VirtualClock(), Home(), ScriptedRegions())
    func configured(_ configuration: inout Tracker.Configuration) {
      configuration.regions = RegionConfiguration()
      configuration.endpoints[0].interval = .never
      configuration.endpoints[0].onlyOnWifi = true
    }
    do {
      // The process ends between the two commits, before the event is in the journal.
      let (tracker, _) = try tracker(folder, clock, home, system, change: configured)
      let regions = try #require(tracker.regions)
      try regions.replaceRegions([fence("home"), fence("school", north: 3_000)])
      regions.use(system)
      system.notify(.fix(fix(0, north: 0)))
      #expect(try recorded(tracker).isEmpty)
    }
    for life in 0..<3 {
      let (tracker, sensor) = try tracker(folder, clock, home, ScriptedRegions(), change: configured)
      // The process ends after the event is in the journal, and before it was removed from the file.
      if life == 0 { tracker.regions?.freeze() }
      try await run(tracker) {
        let entries = try recorded(tracker).filter { $0 == "entered home" }
        #expect(entries.count == 1)
        #expect(try tracker.regions?.storage.events(after: 0).isEmpty == (life > 0))
        tracker.startTracking()
        if life == 1 { sensor.inner.notify(.fixes([fix(3_000, north: 3_000)])) }
        await tracker.caughtUp()
        await tracker.caughtUp()
      }
      #expect(try recorded(tracker) == ["entered home"] + (life == 0 ? [] : ["exited home", "entered school"]))
    }
  }

  @Test(
    "a replayed file uses its own times, also for schedules and dwell, and a second replay reports nothing",
    .timeLimit(.minutes(20)))
  func replayed() async throws {
    let folder = try TemporaryFolder()
    func at(_ time: String, north: Double = 0) throws -> Fix {
      Fix(time: try #require(RFC3339.date(time)), coordinate: place(north: north), horizontalAccuracy: 10)
    }
    // In summer 12:00 in Ljubljana is 10:00 UTC.
    let walk = [
      try at("2011-07-01T09:30:00Z", north: 5_000), try at("2011-07-01T09:40:00Z"), try at("2011-07-01T09:50:00Z"),
      try at("2011-07-01T10:20:00Z"), try at("2011-07-01T10:30:00Z", north: 5_000),
    ]
    let hours = RegionSchedule(windows: [RegionSchedule.Window(from: 0, to: 720)], timeZone: "Europe/Ljubljana")
    let shop = Region(
      id: "shop", shape: .circle(Circle(center: place(north: 0), radius: 200)), schedule: hours, dwell: 900)
    var expected = [
      "entered 2011-07-01T09:40:00Z", "dwelled 2011-07-01T09:55:00Z", "exited 2011-07-01T10:00:00Z",
    ]
    for reported in [walk[..<3], walk[...], walk[...]] {
      var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [])
      configuration.regions = RegionConfiguration()
      configuration.regions?.isReplayed = true
      let recorded = Mutex<[RegionEvent]>([])
      configuration.recorded = { records in
        for case .region(let event) in records.map(\.kind) { recorded.withLock { $0.append(event) } }
      }
      let sensor = ScriptedSensor()
      let tracker = try Tracker(configuration: configuration, sensor: sensor)
      try tracker.regions?.replaceRegions([shop])
      try await run(tracker) {
        tracker.startTracking()
        await tracker.caughtUp()
        // All fixes at once, as of a file that is replayed at maximum speed.
        sensor.notify(.fixes(Array(reported)))
        for _ in 0..<2 { await tracker.caughtUp() }
      }
      let events = recorded.withLock { $0 }.map { "\($0.kind) \(RFC3339.string($0.time, .seconds))" }
      let count = reported.count == walk.count ? expected.count : 1
      #expect(events == Array(expected.prefix(count)))
      expected.removeFirst(count)
    }
  }

  @Test("a problem with the regions is in the status immediately, until it is fixed", .timeLimit(.minutes(20)))
  func problems() async throws {
    let (folder, clock, home, system) = (try TemporaryFolder(), VirtualClock(), Home(), ScriptedRegions())
    home.regions.put([fence("home")])
    home.regions.state.withLock { $0.instead[1] = HTTPClient.Response(status: 401) }
    let (tracker, _) = try tracker(folder, clock, home, system)
    try await run(tracker) {
      tracker.startTracking()
      for await status in tracker.statuses where status.regionProblem?.contains("is the token right?") == true { break }
      system.notify(.permission(canMonitor: false))
      for await status in tracker.statuses where status.regionProblem?.hasPrefix("No region is monitored") == true { break }
      system.notify(.permission(canMonitor: true))
      _ = await tracker.sync?.sync()
      for await status in tracker.statuses where status.regionProblem == nil { break }
    }
  }

  @Test("an interrupted sync is repeated at the next launch, also soon after the previous one", .timeLimit(.minutes(20)))
  func lostResponse() async throws {
    let (folder, clock, home) = (try TemporaryFolder(), VirtualClock(), Home())
    home.regions.put([fence("home")])
    do {
      let (tracker, _) = try tracker(folder, clock, home, ScriptedRegions())
      try await run(tracker) {
        tracker.startTracking()
        try await synced(tracker, home.regions.digest)
        // The last page of the server does not arrive.
        home.regions.put([fence("new", north: 9_000)])
        home.regions.state.withLock { $0.instead[2] = HTTPClient.Response(status: 502) }
        // If the first sync has not ended, the call waits for it.
        while home.regions.requests.count < 2 {
          try Task.checkCancellation()
          _ = await tracker.sync?.sync()
        }
      }
    }
    #expect(home.regions.requests.count == 2)
    clock.advance(60)
    let (tracker, _) = try tracker(folder, clock, home, ScriptedRegions())
    try await run(tracker) { try await synced(tracker, home.regions.digest) }
    #expect(tracker.regions?["new"] != nil)
  }

  @Test(
    "a dwell that is due by the last position of a file is reported, and a later one waits for a longer file",
    .timeLimit(.minutes(20)),
    arguments: [
      ([0.0, 899], false), ([0, 900], true), ([0, 2_000], true), ([0, 400, 899.9], false), ([0, 400, 900.5], true),
    ])
  func dwellAtTheEnd(seconds: [Double], isReported: Bool) async throws {
    let folder = try TemporaryFolder()
    func life(_ seconds: [Double]) async throws -> [String] {
      var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [])
      configuration.regions = RegionConfiguration()
      configuration.regions?.isReplayed = true
      let recorded = Mutex<[String]>([])
      configuration.recorded = { records in
        for case .region(let event) in records.map(\.kind) {
          recorded.withLock { $0.append("\(event.kind) \(event.time.timeIntervalSince(start))") }
        }
      }
      let sensor = ScriptedSensor()
      let tracker = try Tracker(configuration: configuration, sensor: sensor)
      try tracker.regions?.replaceRegions([fence("shop", dwell: 900)])
      try await run(tracker) {
        tracker.startTracking()
        await tracker.caughtUp()
        sensor.notify(.fixes(seconds.map { fix($0, north: 0) }))
        for _ in 0..<2 { await tracker.caughtUp() }
      }
      return recorded.withLock { $0 }
    }
    #expect(try await life(seconds) == ["entered 0.0"] + (isReported ? ["dwelled 900.0"] : []))
    // The longer file, replayed from its beginning.
    #expect(try await life(seconds + [3_000]) == (isReported ? [] : ["dwelled 900.0"]))
  }

  /// Returns a tracker that replays a file into the journal of the folder.
  private func replaying(
    _ folder: TemporaryFolder, _ sensor: some Sensor, recorded: @escaping @Sendable ([Record]) -> Void
  ) throws -> Tracker {
    var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [])
    configuration.regions = RegionConfiguration()
    configuration.regions?.isReplayed = true
    configuration.recorded = recorded
    return try Tracker(configuration: configuration, sensor: sensor)
  }

  @Test("fixes from before the tracker reads its mailbox are evaluated", .timeLimit(.minutes(20)))
  func fixesAtTheLaunch() async throws {
    let folder = try TemporaryFolder()
    let events = Mutex<[String]>([])
    for isFirst in [true, false] {
      let sensor = SensorWithFixes(isFirst ? [] : [fix(0, north: 0), fix(600, north: 5_000)])
      let tracker = try replaying(folder, sensor) { records in
        for case .region(let event) in records.map(\.kind) { events.withLock { $0.append("\(event.kind)") } }
      }
      try tracker.regions?.replaceRegions([fence("shop")])
      try await run(tracker) {
        // Tracking stays on, so that the next launch reads immediately.
        if isFirst { tracker.startTracking() }
        for _ in 0..<2 { await tracker.caughtUp() }
      }
    }
    #expect(events.withLock { $0 } == ["entered", "exited"])
  }

  @Test("a kill after a fix is recorded loses no effect of the fix on a region", .timeLimit(.minutes(20)))
  func killedAfterTheRecord() async throws {
    let folder = try TemporaryFolder()
    for life in 0..<2 {
      let sensor = ScriptedSensor()
      let opened = Mutex<RegionManager?>(nil)
      let tracker = try replaying(folder, sensor) { records in
        // Simulates the kill: the state of the regions is not written after the first record of a fix.
        guard life == 0, records.contains(where: { if case .fix = $0.kind { true } else { false } }) else { return }
        opened.withLock { $0 }?.freeze()
      }
      opened.withLock { $0 = tracker.regions }
      if life == 0 { try tracker.regions?.replaceRegions([fence("shop")]) }
      try await run(tracker) {
        tracker.startTracking()
        await tracker.caughtUp()
        // A recorded fix is not replayed in the second run.
        sensor.notify(.fixes([life == 0 ? fix(0, north: 0) : fix(600, north: 5_000)]))
        for _ in 0..<2 { await tracker.caughtUp() }
      }
    }
    let recorded = try Journal(path: folder.journal).next(endpoint: "later", limit: 100).compactMap { _, record in
      if case .region(let event) = record.kind { "\(event.kind) \(event.time.timeIntervalSince(start))" } else { nil }
    }
    #expect(recorded == ["entered 0.0", "exited 600.0"])
  }

  @Test("without region support in the sensor the tracker reports a remedy")
  func noSensor() throws {
    let folder = try TemporaryFolder()
    var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [])
    configuration.regions = RegionConfiguration()
    let error = #expect(throws: GodwitError.self) { try Tracker(configuration: configuration, sensor: ScriptedSensor()) }
    #expect(error?.code == .missingRegionSensor && error?.message.contains("regions: CLLocationManager())") == true)
    // If the app forwards the region events, the sensor needs no region support.
    configuration.regions?.isForwarded = true
    _ = try Tracker(configuration: configuration, sensor: ScriptedSensor())
  }

  @Test(
    "the server of the regions is that of the endpoint",
    arguments: [
      ("https://home.example/api/overland", "https://home.example"),
      ("https://a.example/g/api/overland?x=1", "https://a.example/g"),
      ("https://hooks.example/take", nil),
    ] as [(String, String?)])
  func beside(address: String, expected: String?) throws {
    let endpoint = Endpoint(id: EndpointID("e"), url: try #require(URL(string: address)), token: "t")
    #expect(RegionConfiguration(beside: endpoint)?.server?.server.absoluteString == expected)
  }
}
