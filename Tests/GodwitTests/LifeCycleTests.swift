import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitJournal
import GodwitModel
import GodwitSQLite
import Synchronization
import Testing

@testable import Godwit

@Suite("The life cycle of a tracker", .timeLimit(.minutes(20)))
struct LifeCycleTests {
  /// A call, or the end of the work.
  enum Step: Sendable {
    case start, run, stop, launched
    case ended(GodwitError?)
  }
  static let fault = GodwitError(.fileUnavailable, "The disk is gone.")

  /// The state after some steps, and the action of the last call; `nil`: the last step is not a call.
  struct Row: Sendable, CustomTestStringConvertible {
    var steps: [Step]
    var state: Tracker.State
    var action: LifeCycle.Action?
    var code: GodwitError.Code?
    init(_ steps: [Step], _ state: Tracker.State, _ action: LifeCycle.Action? = nil, fails code: GodwitError.Code? = nil) {
      (self.steps, self.state, self.action, self.code) = (steps, state, action, code)
    }
    var testDescription: String { "\(steps)" }
  }

  @Test(
    "each call has a defined result in each state",
    arguments: [
      Row([.start], .starting, .launch), Row([.run], .starting, .launch), Row([.stop], .idle, .nothing),
      Row([.stop, .start], .starting, .launch),
      Row([.start, .start], .starting, .awaitStart), Row([.start, .run], .starting, fails: .alreadyStarted),
      Row([.start, .stop], .stopping, .end), Row([.start, .stop, .launched], .stopping),
      Row([.start, .stop, .ended(nil)], .stopped),
      Row([.start, .ended(fault)], .failed(fault)), Row([.start, .ended(fault), .start], .failed(fault), .fail(fault)),
      Row([.start, .launched], .running), Row([.start, .launched, .start], .running, .nothing),
      Row([.start, .launched, .run], .running, fails: .alreadyStarted), Row([.start, .launched, .stop], .stopping, .end),
      Row([.start, .launched, .stop, .stop], .stopping, .awaitEnd),
      Row([.start, .launched, .stop, .start], .stopping, fails: .stopped),
      Row([.start, .launched, .stop, .run], .stopping, fails: .stopped),
      Row([.start, .launched, .ended(nil)], .stopped), Row([.start, .launched, .ended(nil), .stop], .stopped, .nothing),
      Row([.start, .launched, .ended(nil), .start], .stopped, fails: .stopped),
      Row([.start, .launched, .ended(nil), .run], .stopped, fails: .stopped),
      Row([.start, .launched, .ended(fault)], .failed(fault)),
      Row([.start, .launched, .ended(fault), .stop], .failed(fault), .nothing),
      Row([.start, .launched, .ended(fault), .run], .failed(fault), .fail(fault)),
    ])
  func table(row: Row) {
    var life = LifeCycle()
    var action: LifeCycle.Action?
    for step in row.steps {
      action = nil
      switch step {
      case .start: action = life.start()
      case .run: action = life.run()
      case .stop: action = life.stop()
      case .launched: life.launched()
      case .ended(let error): life.ended(error)
      }
    }
    #expect(life.state == row.state)
    if let code = row.code {
      guard case .fail(let error)? = action else { return #expect(Bool(false), "\(String(describing: action))") }
      #expect(error.code == code)
    } else {
      #expect(action == row.action)
    }
  }

  // MARK: A whole tracker

  private func tracker(_ folder: TemporaryFolder, _ sensor: ScriptedSensor = ScriptedSensor()) throws -> Tracker {
    try Tracker(
      configuration: Tracker.Configuration(
        journalPath: folder.journal, endpoints: [],
        environment: VirtualClock().environment(HTTPClient { _ in HTTPClient.Response(status: 200) })), sensor: sensor)
  }

  private func fixes(in folder: TemporaryFolder) throws -> Int {
    let journal = try Journal(path: folder.journal)
    try journal.register(endpoint: "reader")
    return try journal.next(endpoint: "reader", limit: 100).count { if case .fix = $0.record.kind { true } else { false } }
  }

  @Test("start returns when the tracker runs, and stop when reported events are on the disk and the journal is closed")
  func startAndStop() async throws {
    let folder = try TemporaryFolder()
    let sensor = ScriptedSensor()
    let first = try tracker(folder, sensor)
    #expect(await first.status.state == .idle)
    first.startTracking()
    try await first.start()
    #expect(await first.status.state == .running)
    try await first.start()
    for second in 0..<3 { if case .fix(let fix) = record(Double(second) * 60).kind { sensor.notify(.fixes([fix])) } }
    await first.stop()
    await first.stop()
    #expect(await first.status.state == .stopped && !Tracker.isRunning(journalPath: folder.journal))
    // The first tracker still exists.
    let second = try withExtendedLifetime(first) { try tracker(folder) }
    #expect(second.journal.id == first.journal.id)
    try await second.start()
    #expect(await second.status.isTracking)
    await second.stop()
    #expect(sensor.configured.last == .some(nil))
    #expect(await second.status.lastCommitted?.time == start + 120)
  }

  @Test("a cancelled run handles the commands that still wait")
  func cancelledRun() async throws {
    let folder = try TemporaryFolder()
    let first = try tracker(folder)
    first.startTracking()
    let running = Task { try await first.run() }
    await first.caughtUp()
    #expect(await first.status.isTracking)
    // The tracker cannot read its mailbox between these calls.
    await first.holding {
      running.cancel()
      first.stopTracking()
    }
    await #expect(throws: CancellationError.self) { try await running.value }
    let second = try withExtendedLifetime(first) { try tracker(folder) }
    try await second.start()
    #expect(await !second.status.isTracking)
    await second.stop()
  }

  @Test("before the start a request for a position fails immediately")
  func beforeStart() async throws {
    let folder = try TemporaryFolder()
    let tracker = try tracker(folder)
    #expect(await tracker.performBackgroundFetch() == .failed)
    let error = await #expect(throws: GodwitError.self) { _ = try await tracker.currentLocation() }
    #expect(error?.code == .notStarted)
  }

  @Test("after a stop each call returns immediately and reports the stop")
  func afterStop() async throws {
    let folder = try TemporaryFolder()
    let tracker = try tracker(folder)
    let statuses = tracker.statuses
    try await tracker.start()
    await tracker.stop()
    await tracker.caughtUp()
    await tracker.untilTripIsFinished()
    #expect(await tracker.performBackgroundFetch() == .failed)
    let codes = [
      await #expect(throws: GodwitError.self) { try await tracker.start() }?.code,
      await #expect(throws: GodwitError.self) { try await tracker.run() }?.code,
      await #expect(throws: GodwitError.self) { _ = try await tracker.currentLocation() }?.code,
    ]
    #expect(codes == [.stopped, .stopped, .stopped])
    var last: Tracker.Status?
    for await status in statuses { last = status }
    #expect(last?.state == .stopped)
    // A later subscriber also receives the final status.
    for await status in tracker.statuses { #expect(status.state == .stopped) }
  }

  @Test("a start that cannot read the journal throws the reason, the next start throws it again, and the status has it")
  func failedStart() async throws {
    let folder = try TemporaryFolder()
    let tracker = try tracker(folder)
    try breakJournal(folder)
    let error = await #expect(throws: GodwitError.self) { try await tracker.start() }
    #expect(error?.code == .fileUnavailable)
    #expect(await #expect(throws: GodwitError.self) { try await tracker.run() } == error)
    guard case .failed(let stored) = await tracker.status.state else { return #expect(Bool(false)) }
    #expect(stored == error)
    #expect(await tracker.statuses.first { _ in true }?.state == .failed(stored))
    await tracker.stop()
    #expect(!Tracker.isRunning(journalPath: folder.journal))
  }

  /// Removes a table that a launch reads.
  private func breakJournal(_ folder: TemporaryFolder) throws {
    let database = try Database(path: folder.journal)
    try database.execute("DROP TABLE stored_values")
  }

  @Test("a service that fails ends the tracker with its error")
  func failedPart() async throws {
    struct Broken: Error, CustomStringConvertible { var description: String { "The clock is broken." } }
    let folder = try TemporaryFolder()
    var configuration = Tracker.Configuration(
      journalPath: folder.journal, endpoints: [],
      environment: VirtualClock().environment(HTTPClient { _ in HTTPClient.Response(status: 200) }))
    configuration.environment.sleep = { _ in throw Broken() }
    let tracker = try Tracker(configuration: configuration, sensor: ScriptedSensor())
    let statuses = tracker.statuses
    try? await tracker.start()
    var last: Tracker.Status?
    for await status in statuses { last = status }
    guard case .failed(let error)? = last?.state else { return #expect(Bool(false), "\(String(describing: last?.state))") }
    #expect(error.message == "The clock is broken." && error.underlyingError is Broken)
  }

  @Test("a tracker that was not started closes its journal, and a running one keeps itself alive")
  func released() async throws {
    let folder = try TemporaryFolder()
    do { _ = try tracker(folder) }
    #expect(!Tracker.isRunning(journalPath: folder.journal))
    weak var kept: Tracker?
    do {
      let tracker = try tracker(folder)
      kept = tracker
      try await tracker.start()
    }
    #expect(Tracker.isRunning(journalPath: folder.journal))
    await kept?.stop()
    while kept != nil {
      try Task.checkCancellation()
      await Task.yield()
    }
    #expect(!Tracker.isRunning(journalPath: folder.journal))
  }

  @Test("codes are distinct, and each has a category")
  func codes() {
    #expect(Set(GodwitError.Code.all.map(\.rawValue)).count == GodwitError.Code.all.count)
    let grouped = Dictionary(grouping: GodwitError.Code.all, by: \.category).mapValues(\.count)
    #expect(grouped == [.configuration: 5, .storage: 3, .location: 1, .lifeCycle: 3, .other: 1])
    #expect(GodwitError(SettingError("No.")).code == .invalidSetting)
    #expect(GodwitError(JournalInUse(description: "In use.")).code == .journalInUse)
    #expect(GodwitError(CocoaError(.fileNoSuchFile), .fileUnavailable).code == .fileUnavailable)
    #expect((GodwitError(GodwitError(.stopped, "x"), .other) as any Error).localizedDescription == "x")
  }
}

extension Tracker {
  /// Runs `body` on the actor, so that the tracker does nothing else meanwhile.
  fileprivate func holding(_ body: @Sendable () -> Void) { body() }
}
