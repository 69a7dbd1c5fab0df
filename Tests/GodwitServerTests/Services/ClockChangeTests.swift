import Foundation
import GodwitHTTPClient
import GodwitModel
import GodwitServices
import Synchronization
import Testing

@testable import GodwitHistory
@testable import GodwitPhotos
@testable import GodwitServer
@testable import GodwitStore

/// The date of the server changes while it runs, as on a machine without a battery-backed clock.
@Suite("Changes of the server's date", .timeLimit(.minutes(20)))
struct ClockChangeTests {
  private static let day = 86_400.0

  @Test("a date that is set ahead by years counts as a jump for six hours, or until it is set back")
  func jump() {
    let clock = ManualClock()
    let jump = DateJump(clock.clock)
    clock.sleep(30 * Self.day)
    #expect(!jump.isRecent, "the date and the uptime agree")
    clock.changeDate(by: 2 * Self.day)
    #expect(!jump.isRecent, "the date of a machine that was off is corrected")
    clock.changeDate(by: 3650 * Self.day)
    #expect(jump.isRecent)
    clock.sleep(6 * 3600 - 1)
    #expect(jump.isRecent)
    clock.sleep(1)
    #expect(!jump.isRecent)
    clock.changeDate(by: 3650 * Self.day)
    #expect(jump.isRecent)
    clock.changeDate(by: -3650 * Self.day)
    #expect(!jump.isRecent)
  }

  @Test("the database is checked for damage when the clock is set back")
  func integrity() async throws {
    let place = try ContractStore(.sqlite)
    defer { place.end() }
    let clock = ManualClock()
    let store = try place.location().open(clock: clock.clock)
    defer { store.close() }
    let watch = StoreWatch(store)
    try await watch.checkIntegrityIfDue()
    #expect(store.health.checked == ManualClock.start)
    clock.sleep(600)
    try await watch.checkIntegrityIfDue()
    #expect(store.health.checked == ManualClock.start, "the check is recent")
    clock.changeDate(by: -20 * Self.day)
    try await watch.checkIntegrityIfDue()
    #expect(store.health.checked == clock.now)
  }

  @Test(
    "days that could not be computed are tried again after five minutes, also if the clock is set back",
    arguments: StoreKind.tested)
  func recomputing(_ kind: StoreKind) async throws {
    let place = try ContractStore(kind)
    defer { place.end() }
    let device = try place.store.makeDevice()
    _ = try await place.store.store(try (0..<10).map { try step($0) }, of: device, at: walkStart)
    // The stored state before the first day is invalid.
    let day = DirtyDays.day(of: walkStart.millisecondsSince1970) - 1
    try await place.store.write {
      try $0.run("INSERT INTO timeline_days (device, day, state) VALUES (?, ?, '{')", device.id, day)
    }
    let clock = ManualClock(walkStart.addingTimeInterval(100))
    let sleeps = Mutex(0)
    let serverClock = ServerClock(
      now: { clock.now }, uptime: { clock.clock.uptime },
      sleep: { duration in
        let seconds: Double = duration / .seconds(1)
        clock.sleep(seconds)
        let count = sleeps.withLock { sleeps in
          sleeps += 1
          return sleeps
        }
        if count == 320 { throw CancellationError() }
        guard count == 1 else { return }
        // After the failure.
        clock.changeDate(by: -20 * 86_400)
        try await place.store.write { try $0.run("DELETE FROM timeline_days WHERE device = ? AND day = ?", device.id, day) }
      }, wake: { _, _ in })
    let store = try place.location().open(clock: serverClock)
    defer { store.close() }
    await #expect(throws: CancellationError.self) { try await RecomputeWorker(database: store).run() }
    let left = try place.store.read { try DirtyDays.due(at: .distantFuture, limit: 64, $0) }
    #expect(left.isEmpty, "\(left)")
  }

  @Test("a cached image of a photo expires after an hour, also if the clock is set back")
  func images() async throws {
    let clock = ManualClock()
    let requests = Mutex(0)
    let network = HTTPClient { _ in
      requests.withLock { $0 += 1 }
      return HTTPClient.Response(status: 200, body: [0xFF, 0xD8, 0xFF, 0xE0])
    }
    let library = PhotoLibrary(everywhere: network, publicAddresses: network, clock: clock.clock)
    let server = PhotoServer(
      account: 1, address: try PhotoServerAddress("https://example.org"), key: try PhotoServerKey("key"), stored: clock.now)
    let reachable = ReachableServer(server: server, reach: .everywhere)
    let photo = try #require(PhotoID("00000000-0000-4000-8000-000000000001"))
    for _ in 0..<2 { _ = try await library.image(photo, .thumbnail, on: reachable) }
    let first = requests.withLock { $0 }
    #expect(first == 1)
    clock.changeDate(by: -20 * Self.day)
    clock.sleep(3600)
    _ = try await library.image(photo, .thumbnail, on: reachable)
    let second = requests.withLock { $0 }
    #expect(second == 2)
  }
}
