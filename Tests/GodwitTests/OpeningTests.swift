import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitJournal

/// A phone that a test unlocks. Before that the folder of the journal is a file.
private final class LockedPhone: Sendable {
  private let isUnlocked = Mutex(false)
  private let unlocks = AsyncStream<Void>.makeStream()
  private let waits = AsyncStream<Void>.makeStream()

  var protectedData: Tracker.ProtectedData {
    Tracker.ProtectedData(
      isAvailable: { [self] in isUnlocked.withLock { $0 } },
      becomesAvailable: { [self] in
        waits.continuation.finish()
        for await _ in unlocks.stream {}
        try Task.checkCancellation()
      })
  }

  func isWaitedFor() async { for await _ in waits.stream {} }

  func unlock() {
    isUnlocked.withLock { $0 = true }
    unlocks.continuation.finish()
  }
}

@Suite("Opening a tracker", .timeLimit(.minutes(20)))
struct OpeningTests {
  private func configuration(_ path: String, recorded: @escaping @Sendable ([Record]) -> Void = { _ in }) -> Tracker.Configuration
  {
    var configuration = Tracker.Configuration(
      journalPath: path, endpoints: [],
      environment: VirtualClock().environment(HTTPClient { _ in HTTPClient.Response(status: 200) }))
    configuration.recorded = recorded
    return configuration
  }

  // At the first launch of a new app the folder does not exist.
  @Test("the folder of a new journal is created with access only for its user, and a failure is reported with the path")
  func folder() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("Application Support/godwit/journal").path
    let tracker = try Tracker(configuration: configuration(path), sensor: ScriptedSensor())
    #expect(JournalFolder.files(of: path).allSatisfy { FileManager.default.fileExists(atPath: $0) }, "\(tracker.journal.path)")
    let attributes = try FileManager.default.attributesOfItem(atPath: (path as NSString).deletingLastPathComponent)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    try Data().write(to: folder.url.appendingPathComponent("file"))
    let error = #expect(throws: GodwitError.self) {
      try Tracker(configuration: configuration(folder.url.path + "/file/below/journal"), sensor: ScriptedSensor())
    }
    #expect(error?.description.contains("/file/below, the folder of the journal, cannot be created") == true)
  }

  // Before the first unlock the files of an app are not readable.
  @Test(
    "before the first unlock the tracker waits, and events in between are recorded afterwards",
    arguments: [true, false])
  func firstUnlock(wasTracking: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("app/journal").path
    if wasTracking {
      let before = try Tracker(configuration: configuration(path), sensor: ScriptedSensor())
      try before.journal.append([], remembering: ["tracking": "on"], recordedAt: start)
    }
    // The protected folder is moved away, so that it cannot be opened.
    let away = folder.url.appendingPathComponent("protected")
    if wasTracking { try FileManager.default.moveItem(at: folder.url.appendingPathComponent("app"), to: away) }
    try Data().write(to: folder.url.appendingPathComponent("app"))

    let (phone, sensor) = (LockedPhone(), ScriptedSensor())
    let recorded = Mutex<[Date]>([])
    let configuration = configuration(path) { records in recorded.withLock { $0 += records.map(\.time) } }
    let opening = Task {
      try await Tracker.open(configuration: configuration, sensor: sensor, protectedData: phone.protectedData)
    }
    await phone.isWaitedFor()
    #expect(sensor.configured.last.flatMap { $0 }?.mode == .significant)
    #expect(sensor.configured.last.flatMap { $0 }?.tracksVisits == true)
    // An app that declared sessions gets no events without one. The permission is not requested again.
    #expect(sensor.held == [SessionRequest(authorization: nil)])
    for seconds in 0..<3 { if case .fix(let fix) = record(Double(seconds) * 600).kind { sensor.notify(.fixes([fix])) } }

    try FileManager.default.removeItem(at: folder.url.appendingPathComponent("app"))
    if wasTracking { try FileManager.default.moveItem(at: away, to: folder.url.appendingPathComponent("app")) }
    phone.unlock()
    let tracker = try await opening.value
    let running = Task { try await tracker.run() }
    await tracker.caughtUp()
    if case .fix(let fix) = record(4_000).kind { sensor.notify(.fixes([fix])) }
    await tracker.caughtUp()
    let fixes = (0..<3).map { start + Double($0) * 600 } + [start + 4_000]
    #expect(Set(recorded.withLock { $0 }).isSuperset(of: fixes) == wasTracking)
    #expect((sensor.configured.last.flatMap { $0 } != nil) == wasTracking)
    #expect(sensor.held.last == (wasTracking ? SessionRequest(authorization: .always) : nil))
    running.cancel()
    _ = await running.result
  }

  @Test("on an unlocked phone an error is thrown immediately, and after an unlock if it remains")
  func unlocked() async throws {
    let folder = try TemporaryFolder()
    try Data().write(to: folder.url.appendingPathComponent("app"))
    let configuration = configuration(folder.url.appendingPathComponent("app/journal").path)
    let phone = LockedPhone()
    phone.unlock()
    let error = await #expect(throws: GodwitError.self) {
      try await Tracker.open(configuration: configuration, sensor: ScriptedSensor(), protectedData: phone.protectedData)
    }
    #expect(error?.code == .fileUnavailable)
    let locked = LockedPhone()
    let sensor = ScriptedSensor()
    let opening = Task {
      try await Tracker.open(configuration: configuration, sensor: sensor, protectedData: locked.protectedData)
    }
    await locked.isWaitedFor()
    locked.unlock()
    #expect(await #expect(throws: GodwitError.self) { try await opening.value }?.code == .fileUnavailable)
    // The sensor does not continue for a tracker that was not created.
    #expect(sensor.configured.last == .some(nil) && sensor.held.last == .some(nil))
  }

  @Test("above the capacity the newest held events remain")
  func held() {
    let sensor = ScriptedSensor()
    let held = HeldSensor(sensor)
    held.hold(LocationSettings())
    for number in 0..<HeldSensor.maximumEvents + 5 { sensor.notify(.locationFailed("\(number)")) }
    let reported = Mutex<[Event]>([])
    held.connect { event in reported.withLock { $0.append(event) } }
    sensor.notify(.paused)
    let events = reported.withLock { $0 }
    #expect(events.count == HeldSensor.maximumEvents + 1)
    #expect(events.first == .locationFailed("5") && events.last == .paused)
  }
}
