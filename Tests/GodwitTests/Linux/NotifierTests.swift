#if os(Linux)
  import Foundation
  import GodwitDBus
  import GodwitEngine
  import GodwitModel
  import TestBus
  import TestParts
  import Testing

  @testable import Godwit

  @Suite("Notices", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
  struct NotifierTests {
    private static let path = "/org/freedesktop/Notifications"
    private static let interface = "org.freedesktop.Notifications"
    private static let prompt = Notice(
      kind: .endTrip, title: "End the trip?", body: "You stand still & <wait>.", responses: [.endTrip, .keepTrip])
    private static let noPositions = Notice(kind: .noPositions, title: "Tracking has stopped", body: "Look.")

    // MARK: The store

    @Test("a notice replaces one of its kind, a scheduled one closes the shown one, and a withdrawal removes both")
    func store() {
      var store = NotificationStore()
      store.want(Self.prompt, at: nil)
      store.want(Self.noPositions, at: start.addingTimeInterval(600))
      #expect(store.next == start.addingTimeInterval(600))
      #expect(store.popDue(at: start) == [.close(.noPositions), .show(Self.prompt)])
      #expect(store.popDue(at: start.addingTimeInterval(599)).isEmpty)
      store.want(Self.noPositions, at: start.addingTimeInterval(660))
      _ = store.popDue(at: start)
      #expect(store.popDue(at: start.addingTimeInterval(600)).isEmpty)
      #expect(store.popDue(at: start.addingTimeInterval(660)) == [.show(Self.noPositions)])
      #expect(store.next == nil)
      store.want(Self.noPositions, at: start.addingTimeInterval(700))
      store.withdraw(.noPositions)
      #expect(store.next == nil)
      #expect(store.popDue(at: start.addingTimeInterval(700)) == [.close(.noPositions)])
      // A notice that was replaced before its time is never shown.
      var newer = Self.prompt
      newer.title = "Again?"
      store.want(Self.prompt, at: nil)
      store.want(newer, at: nil)
      #expect(store.popDue(at: start) == [.show(newer)])
    }

    @Test("every kind of response has its own label")
    func labels() {
      #expect(Set(Notice.Response.allCases.map(\.label)).count == Notice.Response.allCases.count)
      #expect(Self.prompt.sentence == "End the trip? You stand still & <wait>.")
      #expect(Self.noPositions.sentence == "Tracking has stopped: Look.")
    }

    // MARK: A desktop

    /// Runs a notifier on a bus.
    private func run(
      _ bus: PrivateBus, _ body: (DesktopNotifier, Received) async throws -> Void
    ) async throws {
      let received = Received()
      let notifier = DesktopNotifier(bus: bus.address, sleep: ManualClock().sleep) { received.lines.1.yield($0) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          await notifier.run(telling: { received.parts.1.yield($0) }, answering: { received.responses.1.yield($0) })
        }
        try await body(notifier, received)
        group.cancelAll()
      }
    }

    private struct Received {
      let responses = AsyncStream<Notice.Response>.makeStream()
      let lines = AsyncStream<String>.makeStream()
      let parts = AsyncStream<DeviceMonitor.Part>.makeStream()
    }

    /// Waits until a method was called `count` times, and returns its calls.
    private func calls(_ mock: MockService, _ member: String, _ count: Int) async throws -> [[DBusValue]] {
      while true {
        let calls = try await mock.calls(Self.path, member)
        if calls.count >= count { return calls }
      }
    }

    private func signal(_ mock: MockService, _ member: String, _ type: String, _ arguments: [DBusValue]) async throws {
      try await mock.callMock(
        Self.path, "EmitSignal",
        [.string(Self.interface), .string(member), .string(type), .array(of: "v", arguments.map { .variant($0) })])
    }

    private static let able = "{\"capabilities\": \"actions body body-markup\"}"

    @Test("a notice has a button for each response, and the pressed button is the response")
    func respond() async throws {
      let bus = try PrivateBus()
      let mock = try await bus.mock("notification_daemon", Self.able)
      try await run(bus) { notifier, received in
        #expect(await received.parts.0.first { _ in true }?.text == "mock-notify shows them.")
        notifier.show(Self.prompt, at: nil)
        let arguments = try #require(try await calls(mock, "Notify", 1).first).map(\.inside)
        try #require(arguments.count == 8)
        #expect(arguments[0] == .string("Godwit"))
        #expect(arguments[1] == .uint32(0))
        #expect(arguments[3] == .string("End the trip?"))
        #expect(arguments[4] == .string("You stand still &amp; &lt;wait&gt;."))
        #expect(
          arguments[5].elements?.compactMap(\.text) == ["endTrip", "End the trip", "keepTrip", "Keep going"])
        #expect(arguments[7] == .int32(0))
        // A foreign notice, an unknown response and invalid arguments are ignored.
        try await signal(mock, "ActionInvoked", "us", [.uint32(77), .string("endTrip")])
        try await signal(mock, "ActionInvoked", "us", [.uint32(1), .string("default")])
        try await signal(mock, "ActionInvoked", "u", [.uint32(1)])
        try await signal(mock, "ActionInvoked", "us", [.uint32(1), .string("keepTrip")])
        #expect(await received.responses.0.first { _ in true } == .keepTrip)
      }
    }

    @Test("a newer notice of a kind replaces the older one, and a withdrawn one is closed")
    func replacing() async throws {
      let bus = try PrivateBus()
      let mock = try await bus.mock("notification_daemon")
      try await run(bus) { notifier, received in
        #expect(await received.parts.0.first { _ in true }?.text.contains("without buttons") == true)
        notifier.show(Self.prompt, at: nil)
        _ = try await calls(mock, "Notify", 1)
        notifier.show(Self.noPositions, at: nil)
        _ = try await calls(mock, "Notify", 2)
        var newer = Self.prompt
        newer.body = "Still."
        notifier.show(newer, at: nil)
        let all = try await calls(mock, "Notify", 3).map { $0.map(\.inside) }
        #expect(all.map { $0[1] } == [.uint32(0), .uint32(0), .uint32(1)])
        #expect(all.allSatisfy { $0[5].elements?.isEmpty == true })
        notifier.withdraw(.endTrip)
        #expect(try await calls(mock, "CloseNotification", 1).first?.first?.inside == .int32(1))
        // The next notice replaces none.
        notifier.show(newer, at: nil)
        #expect(try await calls(mock, "Notify", 4).last?[1].inside == .uint32(0))
      }
    }

    @Test("a notice that the user closed is not replaced but shown again")
    func closed() async throws {
      let bus = try PrivateBus()
      let mock = try await bus.mock("notification_daemon", Self.able)
      try await run(bus) { notifier, received in
        notifier.show(Self.prompt, at: nil)
        _ = try await calls(mock, "Notify", 1)
        try await signal(mock, "NotificationClosed", "uu", [.uint32(1), .uint32(2)])
        // Signals are received in order: after a later response the closing has been handled.
        notifier.show(Self.noPositions, at: nil)
        _ = try await calls(mock, "Notify", 2)
        try await signal(mock, "ActionInvoked", "us", [.uint32(2), .string("endTrip")])
        #expect(await received.responses.0.first { _ in true } == .endTrip)
        notifier.show(Self.prompt, at: nil)
        #expect(try await calls(mock, "Notify", 3).last?[1].inside == .uint32(0))
      }
    }

    @Test("without a desktop notices are printed as lines; a desktop that starts later shows the next one, until it ends")
    func later() async throws {
      let bus = try PrivateBus()
      try await run(bus) { notifier, received in
        let missing = try #require(await received.parts.0.first { _ in true })
        #expect(missing.condition == .missing && missing.text.contains("apt install dunst"))
        #expect(notifier.part == missing)
        notifier.show(Self.prompt, at: nil)
        #expect(await received.lines.0.first { _ in true } == Self.prompt.sentence)
        let mock = try await bus.mock("notification_daemon", Self.able)
        notifier.show(Self.prompt, at: nil)
        #expect(try await calls(mock, "Notify", 1).count == 1)
        #expect(await received.parts.0.first { _ in true }?.condition == .works)
        mock.stop()
        notifier.show(Self.noPositions, at: nil)
        #expect(await received.lines.0.first { _ in true } == Self.noPositions.sentence)
        #expect(await received.parts.0.first { _ in true }?.condition == .missing)
      }
    }

    @Test("without a session the reported remedy concerns the session")
    func noSession() async throws {
      let notifier = DesktopNotifier(bus: .address("unix:path=/nonexistent")) { _ in }
      let part = await notifier.check()
      #expect(part.condition == .missing && part.text.contains("DBUS_SESSION_BUS_ADDRESS"))
    }

    @Test("the response to a notice of a tracker reaches its engine")
    func tracker() async throws {
      let bus = try PrivateBus()
      let mock = try await bus.mock("notification_daemon", Self.able)
      let folder = try TemporaryFolder()
      var settings = Settings()
      settings.notifies = true
      try await run(bus) { notifier, received in
        var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [], settings: settings)
        configuration.notifier = notifier
        let sensor = ScriptedSensor()
        let tracker = try Tracker(configuration: configuration, sensor: sensor)
        let running = Task { try await tracker.run() }
        await tracker.caughtUp()
        tracker.startTracking()
        tracker.startTrip(.bicycle)
        sensor.notify(.paused)
        let shown = try await calls(mock, "Notify", 2).map { $0.map(\.inside) }
        let number = try #require(shown.firstIndex { $0[3] == .string("End the trip?") })
        try await signal(mock, "ActionInvoked", "us", [.uint32(UInt32(number + 1)), .string("endTrip")])
        let response = try #require(await received.responses.0.first { _ in true })
        tracker.respond(response)
        // The engine withdraws the notice, and the desktop closes it.
        #expect(try await calls(mock, "CloseNotification", 1).first?.first?.inside == .int32(Int32(number + 1)))
        #expect(await tracker.status.trip == nil)
        running.cancel()
        _ = await running.result
      }
    }
  }
#endif
