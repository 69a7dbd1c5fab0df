import GodwitDBus
import TestBus
import TestParts
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

@Suite("A conversation with a service", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
struct BusConversationTests {
  private static let service = "org.example.Radio"

  @Test("a service that appears is contacted at once, without the rest of the retry delay")
  func coming() async throws {
    let bus = try PrivateBus()
    let waits = ManualSleep(returnsAtOnce: false)
    let conversation = BusConversation(bus: bus.address, service: Self.service, sleep: waits.wait)
    let reported = Reported<String>()
    let running = Task {
      try await conversation.subscribe { connection, isWell in
        let signals = try await connection.signals([.presence(of: Self.service)])
        let response = try await connection.call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "NameHasOwner", arguments: [.string(Self.service)]))
        guard response == [.boolean(true)] else { throw DBusError(.noService, "It is not there.") }
        isWell()
        await reported.handle("there")
        for await signal in signals { try conversation.check(signal) }
        throw BusConversation.end(of: connection)
      } failed: { error in
        await reported.handle("\(error)")
      }
    }
    #expect(try await reported.next() == "It is not there.")
    // The waiting client has already subscribed to the appearance of the service.
    while waits.seconds.count < 1 { await Task.yield() }
    let mock = try await bus.mock(service: Self.service, path: "/", interface: Self.service)
    #expect(try await reported.next() == "there")
    mock.stop()
    #expect(try await reported.next() == "\(Self.service) has ended.")
    while waits.seconds.count < 2 { await Task.yield() }
    let again = try await bus.mock(service: Self.service, path: "/", interface: Self.service)
    #expect(try await reported.next() == "there")
    running.cancel()
    again.stop()
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(Set(waits.seconds) == [1])
  }
}
