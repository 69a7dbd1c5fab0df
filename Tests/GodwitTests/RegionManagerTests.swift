import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitRegionStorage
import GodwitSQLite
import Synchronization
import Testing

@testable import Godwit

/// A system that monitors the requested regions and reports the inputs of a test. It outlives programs.
final class ScriptedRegions: RegionSensor {
  struct State {
    var tell: (@Sendable (RegionInput) -> Void)?
    var monitored: [String: MonitoredRegion] = [:]
    var ranged: Set<ProximityUUID> = []
    var wanted: [DesiredAccuracy?] = []
    var effects: [RegionEffect] = []
    var unmanaged = 0
  }

  let state = Mutex(State())

  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void) {
    let (monitored, unmanaged) = state.withLock { state in
      state.tell = tell
      return (state.monitored.keys.sorted(), state.unmanaged)
    }
    tell(.launched(monitored: monitored.filter { RegionIdentifier($0) != nil }, foreign: unmanaged))
    tell(.permission(canMonitor: true))
  }

  func perform(_ effect: RegionEffect) {
    state.withLock { state in
      state.effects.append(effect)
      switch effect {
      case .startMonitoring(let region): state.monitored[region.identifier] = region
      case .stopMonitoring(let identifier): state.monitored[identifier] = nil
      case .startRanging(let uuid): state.ranged.insert(uuid)
      case .stopRanging(let uuid): state.ranged.remove(uuid)
      case .wantsFixes(let accuracy): state.wanted.append(accuracy)
      case .requestState, .setTimer, .report, .insideChanged: break
      }
    }
  }

  func notify(_ input: RegionInput) { state.withLock { $0.tell }?(input) }
  var monitored: Set<String> { state.withLock { Set($0.monitored.keys) } }
  var ranged: Set<ProximityUUID> { state.withLock { $0.ranged } }
  var effects: [RegionEffect] { state.withLock { $0.effects } }

  /// The identifier under which a geofence is monitored.
  func identifier(_ id: String) -> String? {
    monitored.first { if case .geofence(id, _)? = RegionIdentifier($0) { true } else { false } }
  }
}

/// The reports of a manager, in order.
private final class Reported: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var all: [String] { lines.withLock { $0 } }
}

@Suite("The region manager", .timeLimit(.minutes(20)))
struct RegionManagerTests {
  private let uuid = ProximityUUID(high: 1, low: 2)

  private func manager(
    _ folder: TemporaryFolder, _ clock: VirtualClock = VirtualClock(), regions: [Region]? = nil
  ) throws -> RegionManager {
    let unreachable = HTTPClient { _ in throw HTTPError("unreachable") }
    let manager = try RegionManager(path: folder.journal, environment: clock.environment(unreachable))
    if let regions { try manager.replaceRegions(regions) }
    return manager
  }

  private func events(_ manager: RegionManager, after number: Int64 = 0) throws -> [String] {
    try manager.storage.events(after: number).map { "\($0.event.kind) \($0.event.region.id)" }
  }

  @Test("fixes cause entries, dwells and exits, and observers, streams and sets agree")
  func life() async throws {
    let (folder, clock, system, reported) = (try TemporaryFolder(), VirtualClock(), ScriptedRegions(), Reported())
    let manager = try manager(
      folder, clock, regions: [fence("home", dwell: 600), fence("large", radius: 5_000), fence("far", north: 50_000)])
    manager.use(system)
    let token = manager.geofenceObservers.add { reported.add($0.map(\.id).sorted().joined(separator: " ")) }
    var streamed = manager.geofences.makeAsyncIterator()
    var happened = manager.regionEvents.makeAsyncIterator()
    #expect(await streamed.next(isolation: nil) == [])
    system.notify(.fix(fix(0, north: 0)))
    #expect(manager.currentGeofences.map(\.id).sorted() == ["home", "large"])
    // The geofence with the nearest edge is the first.
    #expect(manager.geofencesByDistance.map(\.id) == ["home", "large"])
    #expect(await streamed.next(isolation: nil)?.count == 2)
    let first = [await happened.next(isolation: nil), await happened.next(isolation: nil)].compactMap { $0?.region.id }
    #expect(Set(first) == ["home", "large"])
    while !clock.hasSleeper(until: start + 600) {
      try Task.checkCancellation()
      await Task.yield()
    }
    clock.advance(600)
    #expect(await happened.next(isolation: nil)?.kind == .dwelled)
    system.notify(.fix(fix(700, north: 1_000)))
    system.notify(.fix(fix(2_000, north: 20_000)))
    #expect(manager.currentGeofences.isEmpty)
    #expect(try events(manager).suffix(3) == ["dwelled home", "exited home", "exited large"])
    // The thread of the timer may still report: a stream receives a value after the observers.
    while await streamed.next(isolation: nil)?.isEmpty == false {}
    #expect(reported.all == ["home large", "large", ""])
    _ = token
  }

  @Test("an observer is notified as long as its token is retained")
  func observers() throws {
    let (folder, system, reported) = (try TemporaryFolder(), ScriptedRegions(), Reported())
    let manager = try manager(folder, regions: [fence("home")])
    manager.use(system)
    _ = manager.geofenceObservers.add { _ in reported.add("without") }
    let kept = manager.geofenceObservers.add { reported.add("kept \($0.count)") }
    let removed = manager.geofenceObservers.add { _ in reported.add("removed") }
    manager.geofenceObservers.remove(token: removed)
    // An observer may call the manager in turn.
    let nested = manager.geofenceObservers.add { [weak manager] _ in reported.add("sees \(manager?.currentGeofences.count ?? -1)")
    }
    system.notify(.fix(fix(0, north: 0)))
    #expect(reported.all == ["kept 1", "sees 1"])
    _ = (kept, nested)
  }

  @Test("after a kill and a relaunch the manager keeps its state, takes over monitored regions, and reports nothing twice")
  func relaunch() throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedRegions())
    let regions = (0..<100).map { fence("r\($0)", north: Double($0) * 1_000) }
    do {
      let first = try manager(folder, regions: regions)
      first.use(system)
      system.notify(.fix(fix(0, north: 0)))
      #expect(try events(first) == ["entered r0"])
    }
    let monitored = system.monitored
    system.state.withLock { $0.effects = [] }
    let second = try manager(folder)
    #expect(second.currentGeofences.map(\.id) == ["r0"])
    second.use(system)
    #expect(system.monitored == monitored)
    // Only the horizon is requested again, because the last request may not have been carried out.
    let started = system.effects.compactMap { if case .startMonitoring(let region) = $0 { region.identifier } else { nil } }
    #expect(started == [RegionIdentifier.horizon.description])
    let home = try #require(system.identifier("r0"))
    system.notify(.state(home, isInside: true))
    system.notify(.entered(home))
    system.notify(.fix(fix(60, north: 10)))
    #expect(try events(second) == ["entered r0"])
    system.notify(.exited(home))
    system.notify(.fix(fix(3_000, north: 500)))
    #expect(try events(second) == ["entered r0", "exited r0"])
  }

  @Test(
    "the manager never requests more regions than the system allows; foreign regions count and are not changed",
    arguments: [0, 5, 30])
  func unmanaged(count: Int) throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedRegions())
    let manager = try manager(folder, regions: (0..<300).map { fence("r\($0)", north: Double($0) * 500) })
    system.state.withLock { $0.unmanaged = count }
    manager.use(system)
    for step in 0..<40 { system.notify(.fix(fix(Double(step) * 60, north: Double(step) * 3_000))) }
    // One region is reserved for the tracker.
    #expect(system.monitored.count <= max(0, 19 - count))
    #expect(count > 18 || system.monitored.contains(RegionIdentifier.horizon.description))
    let touched = system.effects.compactMap { if case .stopMonitoring(let identifier) = $0 { identifier } else { nil } }
    #expect(touched.allSatisfy { RegionIdentifier($0) != nil })
  }

  @Test("beacons are ranged while near; one missing result is not an exit, a long absence is, and observers get both")
  func beacons() async throws {
    let (folder, clock, system, reported) = (try TemporaryFolder(), VirtualClock(), ScriptedRegions(), Reported())
    let door = Region(
      id: "door", shape: .beacon(Beacon(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 1), place: place(north: 0))))
    let till = Region(
      id: "till", shape: .beacon(Beacon(identity: BeaconIdentity(uuid: uuid, major: 1, minor: 2), place: place(north: 0))))
    let manager = try manager(folder, clock, regions: [door, till])
    manager.use(system)
    let token = manager.beaconObservers.add { reported.add($0.map(\.id).sorted().joined(separator: " ")) }
    var streamed = manager.beacons.makeAsyncIterator()
    #expect(await streamed.next(isolation: nil) == [])
    system.notify(.fix(fix(0, north: 0)))
    let identifier = RegionIdentifier.beacons(uuid).description
    #expect(system.monitored.contains(identifier) && system.ranged.isEmpty)
    system.notify(.entered(identifier))
    #expect(system.ranged == [uuid])
    func received(_ minors: [(UInt16, BeaconProximity)]) {
      clock.advance(1)
      system.notify(
        .ranged(
          uuid,
          minors.map {
            BeaconSighting(identity: BeaconIdentity(uuid: uuid, major: 1, minor: $0.0), proximity: $0.1, accuracy: 1, rssi: -60)
          }))
    }
    for _ in 0..<5 { received([(1, .near), (2, .immediate)]) }
    #expect(manager.beaconsByProximity.map(\.region.id) == ["till", "door"])
    received([(1, .near)])
    #expect(manager.currentBeacons.map(\.id).sorted() == ["door", "till"])
    for _ in 0..<60 { received([]) }
    #expect(manager.currentBeacons.isEmpty)
    system.notify(.exited(identifier))
    // The thread of a timer may still report: a stream receives a value after the observers.
    while await streamed.next(isolation: nil)?.isEmpty == false {}
    while !system.ranged.isEmpty {
      try Task.checkCancellation()
      await Task.yield()
    }
    let happened = try events(manager)
    #expect(
      Set(happened.prefix(2)) == ["entered door", "entered till"] && Set(happened.suffix(2)) == ["exited door", "exited till"])
    #expect(happened.count == 4 && reported.all.last == "")
    _ = token
  }

  @Test("events that cannot be written are retried, and reported after they are written; none is lost")
  func full() throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedRegions())
    let manager = try manager(folder, regions: (0..<400).map { fence("r\($0)", north: Double($0) * 1_000) })
    manager.use(system)
    try manager.storage.withDatabase { try $0.execute("PRAGMA max_page_count = 1") }
    var step = 0
    while manager.problem == nil, step < 400 {
      system.notify(.fix(fix(Double(step) * 60, north: Double(step) * 1_000)))
      step += 1
    }
    #expect(manager.problem?.contains("Free some space") == true)
    let before = try events(manager).count
    try manager.storage.withDatabase { try $0.execute("PRAGMA max_page_count = 4294967294") }
    system.notify(.fix(fix(Double(step) * 60, north: Double(step) * 1_000)))
    #expect(manager.problem == nil)
    let all = try events(manager)
    #expect(all.count > before)
    #expect(all == (0..<step).flatMap { ["entered r\($0)", "exited r\($0)"] } + ["entered r\(step)"])
  }

  @Test("a failed write is repeated without another input")
  func retried() async throws {
    let (folder, clock, system) = (try TemporaryFolder(), VirtualClock(), ScriptedRegions())
    let manager = try manager(folder, clock, regions: [fence("home")])
    manager.use(system)
    var happened = manager.regionEvents.makeAsyncIterator()
    // Like a disk that is read-only for some time.
    try manager.storage.withDatabase { try $0.execute("PRAGMA query_only = 1") }
    system.notify(.fix(fix(0, north: 0)))
    #expect(manager.problem != nil)
    try manager.storage.withDatabase { try $0.execute("PRAGMA query_only = 0") }
    while !clock.hasSleeper(until: start + 10) {
      try Task.checkCancellation()
      await Task.yield()
    }
    clock.advance(10)
    #expect(await happened.next(isolation: nil)?.kind == .entered)
    #expect(manager.problem == nil)
    #expect(try events(manager) == ["entered home"])
  }

  @Test("a missing permission is reported unless the manager is paused, and observers get the change")
  func forbidden() throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedRegions())
    let manager = try manager(folder, regions: [fence("home")])
    let reported = Reported()
    manager.whenProblemChanges { [weak manager] in reported.add(manager?.problem ?? "") }
    manager.use(system)
    #expect(manager.problem == nil)
    system.notify(.permission(canMonitor: false))
    #expect(manager.problem?.contains("has no permission") == true)
    manager.isPaused = true
    #expect(manager.problem == nil)
    manager.isPaused = false
    system.notify(.permission(canMonitor: false))
    system.notify(.permission(canMonitor: true))
    #expect(manager.problem == nil)
    #expect(reported.all.map(\.isEmpty) == [false, true, false, true])
  }

  @Test("a damaged copy is reported with its new name, until regions are stored again")
  func damaged() throws {
    let folder = try TemporaryFolder()
    try Data("this is no database, whatever its name says".utf8).write(to: URL(fileURLWithPath: folder.journal))
    let manager = try manager(folder)
    #expect(manager.problem?.contains("is now \(folder.journal).damaged") == true)
    try manager.replaceRegions([fence("home")])
    #expect(manager.problem == nil)
  }

  @Test("a schedule without a time zone follows the zone of the device, which is read at most once a minute")
  func travel() throws {
    let (folder, clock, system) = (try TemporaryFolder(), VirtualClock(), ScriptedRegions())
    let (home, abroad) = (try #require(TimeZone(secondsFromGMT: 0)), try #require(TimeZone(secondsFromGMT: 3 * 3600)))
    let timeZone = Mutex(home)
    var environment = clock.environment(HTTPClient { _ in throw HTTPError("unreachable") })
    environment.timeZone = { timeZone.withLock { $0 } }
    let manager = try RegionManager(path: folder.journal, environment: environment)
    // The clock of the test starts at 08:00 UTC.
    let morning = RegionSchedule(windows: [RegionSchedule.Window(from: 450, to: 540)])
    try manager.replaceRegions([
      Region(id: "shop", shape: .circle(Circle(center: place(north: 0), radius: 200)), schedule: morning)
    ])
    manager.use(system)
    system.notify(.fix(fix(0, north: 0)))
    #expect(try events(manager) == ["entered shop"])
    timeZone.withLock { $0 = abroad }
    clock.advance(30)
    system.notify(.fix(fix(30, north: 0)))
    #expect(try events(manager) == ["entered shop"])
    clock.advance(40)
    system.notify(.fix(fix(70, north: 0)))
    #expect(try events(manager) == ["entered shop", "exited shop"])
  }

  @Test(
    "a schedule follows the changes of summer time of later years, also if the clock was wrong at the start",
    arguments: [("2026-06-01T08:00:00Z", "2028-06-01T08:00:00Z"), ("1970-01-01T00:00:00Z", "2026-12-01T09:00:00Z")])
  func years(_ first: String, _ later: String) throws {
    let (first, later) = (try #require(RFC3339.date(first)), try #require(RFC3339.date(later)))
    let (folder, clock, system) = (try TemporaryFolder(), VirtualClock(first), ScriptedRegions())
    let environment = clock.environment(HTTPClient { _ in throw HTTPError("unreachable") })
    let manager = try RegionManager(path: folder.journal, environment: environment)
    // From 09:45 to 10:30; `later` is 10:00 in Ljubljana.
    let hours = RegionSchedule(windows: [RegionSchedule.Window(from: 585, to: 630)], timeZone: "Europe/Ljubljana")
    try manager.replaceRegions([
      Region(id: "shop", shape: .circle(Circle(center: place(north: 0), radius: 200)), schedule: hours)
    ])
    manager.use(system)
    clock.advance(later.timeIntervalSince(first))
    system.notify(.fix(Fix(time: later, coordinate: place(north: 0), horizontalAccuracy: 10)))
    #expect(try events(manager) == ["entered shop"])
  }

  @Test("a paused manager monitors nothing, with any permission, and then monitors the same regions again")
  func paused() throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedRegions())
    let manager = try manager(folder, regions: [fence("home"), fence("school", north: 3_000)])
    manager.use(system)
    system.notify(.fix(fix(0, north: 0)))
    let monitored = system.monitored
    #expect(!monitored.isEmpty)
    manager.isPaused = true
    #expect(system.monitored.isEmpty)
    system.notify(.permission(canMonitor: true))
    #expect(system.monitored.isEmpty)
    manager.isPaused = false
    #expect(system.monitored == monitored)
  }

  @Test("a catalogue that changes at run time applies at once: removed regions are exited, new ones are entered")
  func reloaded() throws {
    let (folder, system) = (try TemporaryFolder(), ScriptedRegions())
    let manager = try manager(folder, regions: [fence("home")])
    manager.use(system)
    system.notify(.fix(fix(0, north: 0)))
    try manager.replaceRegions([fence("house", radius: 300)])
    #expect(try events(manager) == ["entered home", "exited home", "entered house"])
    #expect(manager.currentGeofences.map(\.id) == ["house"])
    #expect(system.identifier("home") == nil && system.identifier("house") != nil)
  }
}
