import Foundation
import Godwit
import GodwitEngine
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitApp
@testable import GodwitPhone

@Suite("The app on a phone: hard days")
@MainActor
struct HardDayTests {
  private func tracking(_ script: String, seed: UInt64 = 1, link: String = pairingLink) throws -> AppPhone {
    let app = try AppPhone(script, seed: seed)
    app.finishOnboarding()
    app.pair(link)
    app.model.tracker.isTracking = true
    app.settle(60)
    return app
  }

  @Test("ends, restarts, networks and changed servers in one day: every record arrives once", arguments: [1, 2] as [UInt64])
  func everything(seed: UInt64) throws {
    let script = """
      +7h close
      +8h10m aeroplane on
      +8h25m kill
      +8h26m open
      +8h40m aeroplane off
      +8h50m lose-replies on
      +8h58m lose-replies off
      +9h05m reboot
      +9h10m unlock
      +9h11m open
      +12h server-status 500
      +13h server-status 0
      +17h05m permission denied
      +17h15m permission authorized_always
      +17h16m open
      +17h30m force-quit
      +17h31m open
      """
    let app = try tracking(script, seed: seed)
    app.run(until: hours(8.3))
    app.model.servers.edit("home.example")
    app.model.servers.form?.name = "Home"
    app.model.servers.saveForm()
    app.run(until: hours(8.75))
    app.model.servers.setPaused(true, "home.example")
    app.run(until: hours(8.8))
    app.model.servers.setPaused(false, "home.example")
    app.run(until: hours(9.3))
    app.model.trip.start("car")
    app.run(until: hours(17.6))
    #expect(app.model.trip.isTripRunning, "the trip continued in a new process")
    app.model.trip.stop()
    app.run(until: hours(19))
    #expect(app.model.servers.rows.map(\.name) == ["Home"] && app.model.tracker.isTracking)
    let numbers = app.records.compactMap { $0.id?.sequence.value }.sorted()
    #expect(numbers == Array(1...Int64(numbers.count)), "without a gap")
    #expect(app.server.rejected == 0 && Set(app.records.compactMap(\.id)).count == app.records.count)
    #expect(app.records.count > 5_000 && (Int(app.model.tracker.queuedText) ?? .max) < 200)
    app.end()
  }

  @Test("an endpoint that is down delays no other endpoint, and each gets every record once")
  func twoServers() throws {
    let app = try tracking("")
    app.pair("godwit://setup?url=https%3A%2F%2Fother.example%2Fapi&token=x")
    app.hosts.fail("other.example", true)
    app.run(until: hours(9))
    let other = app.hosts["other.example"]
    #expect(other.count == 0 && app.server.count > 2_000)
    let rows = app.model.servers.rows
    #expect(rows.map(\.id) == ["home.example", "other.example"] && rows[0].problem == nil && rows[1].problem != nil)
    app.hosts.fail("other.example", false)
    app.run(until: hours(12))
    #expect(other.duplicates == 0 && app.server.duplicates == 0)
    #expect(abs(other.count - app.server.count) < 200, "\(other.count) \(app.server.count)")
    app.end()
  }

  @Test("after a correction of an address, its waiting records arrive at the right server")
  func correctedAddress() throws {
    let app = try tracking("")
    app.hosts.fail("home.example", true)
    app.run(until: hours(8.5))
    let waiting = Int(app.model.tracker.queuedText) ?? 0
    #expect(waiting > 1_000)
    app.model.servers.edit("home.example")
    app.model.servers.form?.address = "https://right.example/api/overland"
    app.model.servers.saveForm()
    app.run(until: hours(8.8))
    #expect(app.hosts["right.example"].count > waiting && app.hosts["right.example"].duplicates == 0)
    #expect(app.model.servers.rows.map(\.id) == ["home.example"], "its cursor in the journal is kept")
    app.end()
  }

  @Test("unlocking the phone without pending work opens the app once, and it works")
  func unlockedEarly() throws {
    let app = try tracking("+8h20m reboot\n+8h21m unlock\n+8h22m open")
    app.run(until: hours(8.6))
    #expect(app.model.showsScreens && app.model.tracker.isTracking && app.model.tracker.title == "Recording")
    #expect(app.launches.count == 2)
    app.end()
  }

  @Test("actions before the tracker is open run when it is open, and are reported as pending")
  func early() throws {
    let link = "godwit://setup?url=https%3A%2F%2Fhome.example%2Fapi%2Foverland&main.tracking_mode=both"
    let app = try tracking("+8h32m reboot\n+9h20m unlock", link: link)
    app.run(until: hours(9.3))
    try #require(app.model.isWaitingForUnlock)
    #expect(app.model.actions.startTrip("car") == AppTexts()(.saidWhenOpen))
    #expect(!app.model.tracker.canChangeTracking)
    app.run(until: hours(9.4))
    #expect(app.model.trip.isTripRunning && app.model.trip.modeLabel == "Car")
    app.end()
  }

  @Test("an action that launched the app waits until its tracker is open")
  func ready() async throws {
    let app = try tracking("")
    app.apply(.kill)
    app.phone.apply(.open)
    let model = app.model
    let spoken = Mutex<String?>(nil)
    let task = Task { @MainActor in
      await model.ready()
      let text = model.actions.stopTracking()
      spoken.withLock { $0 = text }
    }
    app.settle()
    await task.value
    #expect(spoken.withLock { $0 } == "Tracking is off now.")
    app.settle()
    #expect(!app.model.tracker.isTracking)
    app.end()
  }

  @Test("the same seed gives the same records, however often the screens are refreshed")
  func isDeterministic() throws {
    func records(refreshing seconds: Double) throws -> [Record] {
      let app = try tracking("+8h20m kill\n+8h21m open", seed: 9)
      for time in stride(from: 8 * 3600.0, through: 8.5 * 3600, by: seconds) { app.run(until: at(time)) }
      app.end()
      return app.records
    }
    let first = try records(refreshing: 1_800)
    #expect(first.count > 1_000)
    #expect(try records(refreshing: 20) == first)
  }
}

@Suite("The shared sensor of trackers")
struct SharedSensorTests {
  /// A sensor that reports the events of a test.
  private final class Source: Sensor {
    /// The closure is in a structure, because a closure that is the value of a mutex itself is wrapped again at every access.
    struct Listener { var tell: @Sendable (Event) -> Void = { _ in } }
    let listener = Mutex(Listener())
    let requests = Mutex<[LocationRequest?]>([])
    let sessions = Mutex<[SessionRequest?]>([])
    func connect(_ tell: @escaping @Sendable (Event) -> Void) {
      listener.withLock { $0.tell = tell }
      tell(.authorizationChanged(.notDetermined))
    }
    func report(_ event: Event) { listener.withLock { $0.tell }(event) }
    func configure(_ request: LocationRequest?) { requests.withLock { $0.append(request) } }
    func hold(_ request: SessionRequest?) { sessions.withLock { $0.append(request) } }
    func requestAuthorization(_ wanted: WantedAuthorization) {}
  }

  private final class Received: Sendable {
    let events = Mutex<[Event]>([])
    func connect(_ sensor: SharedSensor) { sensor.connect { [self] event in events.withLock { $0.append(event) } } }
    var all: [Event] { events.withLock { $0 } }
  }

  @Test("each tracker gets the newest permission first, then the events from the time without a tracker, once")
  func holds() {
    let source = Source()
    let sensor = SharedSensor(source)
    sensor.begin()
    source.report(.paused)
    source.report(.authorizationChanged(.always))
    #expect(sensor.authorization == .always)
    let first = Received()
    first.connect(sensor)
    #expect(first.all == [.authorizationChanged(.always), .paused])
    source.report(.resumed)
    sensor.detach()
    source.report(.leftRegion)
    source.report(.authorizationChanged(.denied))
    let second = Received()
    second.connect(sensor)
    #expect(first.all.last == .resumed)
    #expect(second.all == [.authorizationChanged(.denied), .leftRegion])
  }

  @Test("a tracker that ends does not turn the location services off for the next one")
  func keepsServices() {
    let source = Source()
    let sensor = SharedSensor(source)
    sensor.begin()
    Received().connect(sensor)
    sensor.configure(LocationRequest(LocationSettings()))
    sensor.configure(nil)
    #expect(source.requests.withLock(\.count) == 2)
    sensor.detach()
    sensor.configure(nil)
    #expect(source.requests.withLock(\.count) == 2)
    sensor.configure(LocationRequest(LocationSettings()))
    #expect(source.requests.withLock(\.count) == 3)
  }

  @Test("held events are bounded; the oldest are dropped")
  func isBounded() {
    let source = Source()
    let sensor = SharedSensor(source)
    sensor.begin()
    source.report(.leftRegion)
    for _ in 0..<SharedSensor.maximumEvents { source.report(.paused) }
    let received = Received()
    received.connect(sensor)
    #expect(received.all.count == SharedSensor.maximumEvents + 1 && !received.all.contains(.leftRegion))
  }

  @Test("held events are dropped if tracking was off")
  func dropped() {
    let source = Source()
    let sensor = SharedSensor(source)
    sensor.begin()
    sensor.watchUntilUnlock()
    source.report(.paused)
    sensor.dropHeld()
    let received = Received()
    received.connect(sensor)
    #expect(received.all == [.authorizationChanged(.notDetermined)])
    #expect(source.requests.withLock { $0.map { $0?.mode } } == [.significant, nil])
  }

  @Test("location sessions continue after a change of servers, and are held before the first unlock")
  func sessions() {
    let source = Source()
    let sensor = SharedSensor(source)
    sensor.begin()
    sensor.watchUntilUnlock()
    Received().connect(sensor)
    let wanted = SessionRequest(authorization: .always)
    sensor.hold(wanted)
    sensor.detach()
    sensor.hold(nil)
    #expect(source.sessions.withLock(\.self) == [SessionRequest(authorization: nil), wanted], "the session continues")
    Received().connect(sensor)
    sensor.hold(wanted)
    sensor.hold(nil)
    #expect(source.sessions.withLock(\.last) == .some(nil))
    let off = Source()
    let unused = SharedSensor(off)
    unused.watchUntilUnlock()
    unused.dropHeld()
    #expect(off.sessions.withLock(\.self) == [SessionRequest(authorization: nil), nil], "tracking was off")
  }
}
