#if os(Linux)
  import GodwitDBus
  import TestBus
  import TestParts
  import Testing

  @Suite("A connection to a message bus", .enabled(if: TestPart.bus.isRun, "\(TestPart.bus.reason)"), .timeLimit(.minutes(20)))
  struct DBusTests {
    private static let (service, path, interface) = ("org.example.Echo", "/echo", "org.example.Echo")

    private func echo(_ bus: PrivateBus) async throws -> MockService {
      try await bus.mock(service: Self.service, path: Self.path, interface: Self.interface)
    }

    /// Adds a method with the signatures of its arguments and of its result. Its code is Python.
    private func addMethod(
      _ name: String, _ arguments: String, _ result: String, _ code: String, to mock: MockService
    ) async throws {
      let method: [DBusValue] = [Self.interface, name, arguments, result, code].map { .string($0) }
      try await mock.callMock(Self.path, "AddMethod", method)
    }

    private static func call(_ member: String, _ arguments: [DBusValue] = [], path: String = path) -> DBusCall {
      DBusCall(service: service, path: path, interface: interface, member: member, arguments: arguments)
    }

    static let values: [DBusValue] = [
      .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
      .int64(.min), .uint64(.max), .double(-0.1), .string(""), .string("Café \u{1F6B2}\n"), .path("/a/b"),
      .signature("a{sv}"), .bytes([]), .bytes([0, 1, 255]), .strings([]), .strings(["a", ""]),
      .array(of: "au", [.array(of: "u", [.uint32(1)]), .array(of: "u", [])]),
      .structure([.int32(1), .structure([.string("x"), .double(2)])]),
      .dictionary(of: "sv", []),
      .properties(["Percentage": .double(81), "Ssid": .bytes([72, 105])]),
      .dictionary(of: "us", [DBusValue.Entry(key: .uint32(7), value: .string("seven"))]),
      .array(of: "(sb)", [.structure([.string("a"), .boolean(true)])]),
    ]

    @Test("every kind of value round-trips over the bus")
    func values() async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      let connection = try await DBusConnection(bus.address)
      let signals = try await connection.signals([
        DBusRule(service: Self.service, path: Self.path, interface: Self.interface, member: "Told")
      ])
      for value in Self.values {
        try await mock.callMock(
          Self.path, "EmitSignal",
          [.string(Self.interface), .string("Told"), .string(value.type), .array(of: "v", [.variant(value)])])
        let reported = try #require(await signals.first { _ in true })
        #expect(reported.arguments == [value])
        #expect(reported.path == Self.path)
      }
    }

    @Test("a signal that another process sends to the connection is ignored")
    func forged() async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      let connection = try await DBusConnection(bus.address)
      let signals = try await connection.signals([
        DBusRule(service: Self.service, path: Self.path, interface: Self.interface, member: "Told")
      ])
      let address = try #require(bus.environment["DBUS_SESSION_BUS_ADDRESS"])
      let names = try await connection.call(
        DBusCall(
          service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
          member: "ListNames"))
      for name in names.first?.elements?.compactMap(\.text) ?? [] where name.hasPrefix(":") {
        let status = try ScopedProcess.run(
          "/usr/bin/dbus-send",
          ["--bus=\(address)", "--type=signal", "--dest=\(name)", Self.path, Self.interface + ".Told", "string:forged"])
        #expect(status == 0)
      }
      try await mock.signal(Self.path, Self.interface, "Told", [.string("genuine")])
      #expect(await signals.first { _ in true }?.arguments == [.string("genuine")])
    }

    @Test("a restarted service is recognized")
    func restarted() async throws {
      let bus = try PrivateBus()
      let first = try await echo(bus)
      let connection = try await DBusConnection(bus.address)
      let signals = try await connection.signals([
        DBusRule(service: Self.service, path: Self.path, interface: Self.interface, member: "Told")
      ])
      first.stop()
      let second = try await echo(bus)
      try await second.signal(Self.path, Self.interface, "Told", [.string("again")])
      #expect(await signals.first { _ in true }?.arguments == [.string("again")])
    }

    @Test("an error of a service and a missing service have different codes")
    func rejections() async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      let connection = try await DBusConnection(bus.address)
      let unknown = await #expect(throws: DBusError.self) { try await connection.call(Self.call("Missing")) }
      guard case .rejected? = unknown?.code else { throw Unexpected(unknown) }
      mock.stop()
      let gone = await #expect(throws: DBusError.self) { try await connection.call(Self.call("Missing")) }
      #expect(gone?.code == .noService)
      #expect(gone?.description == "org.example.Echo is not running.")
    }

    @Test(
      "a call that cannot be encoded is an error, and the connection continues",
      arguments: [
        call("Say", [.string("with a \0 in it")]), call("Say", [.path("no path")]), call("no-member"),
        call("Say", path: "no path"), call("Say", [.signature("?")]),
        call("Say", [.array(of: "s", [.uint32(1)])]),
      ])
    func unwritable(_ bad: DBusCall) async throws {
      let bus = try PrivateBus()
      let connection = try await DBusConnection(bus.address)
      let error = await #expect(throws: DBusError.self) { try await connection.call(bad) }
      #expect(error?.code == .malformed)
      #expect(connection.broken == nil)
    }

    @Test("a call without a response ends with a timeout")
    func timeout() async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      try await addMethod("Double", "u", "u", "ret = args[0] * 2", to: mock)
      let connection = try await DBusConnection(bus.address)
      mock.freeze()
      let error = await #expect(throws: DBusError.self) {
        try await connection.call(Self.call("Double", [.uint32(1)]), timeout: .milliseconds(20))
      }
      #expect(error?.code == .timedOut)
      mock.thaw()
      // The late response must not be returned to the next call.
      #expect(try await connection.call(Self.call("Double", [.uint32(21)])) == [.uint32(42)])
    }

    @Test("a cancelled call ends at once, before it is sent or during the wait for its response", arguments: [true, false])
    func cancellation(_ isEarly: Bool) async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      try await addMethod("Wait", "", "", "time.sleep(3600)", to: mock)
      let connection = try await DBusConnection(bus.address)
      // dbusmock sends this signal before it runs the code of a method.
      let received = try await connection.signals([
        DBusRule(service: Self.service, path: Self.path, interface: "org.freedesktop.DBus.Mock", member: "MethodCalled")
      ])
      let (gate, opens) = AsyncStream<Void>.makeStream()
      let caller = Task {
        if isEarly { for await _ in gate {} }
        return try await connection.call(Self.call("Wait"), timeout: .seconds(3600))
      }
      if !isEarly {
        let call = await received.first { _ in true }
        #expect(call?.arguments.first == .string("Wait"))
      }
      caller.cancel()
      opens.finish()
      await #expect(throws: CancellationError.self) { try await caller.value }
    }

    @Test("when the bus ends, all waiting calls and signals end with the reason")
    func end() async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      let connection = try await DBusConnection(bus.address)
      let signals = try await connection.signals([.presence(of: Self.service)])
      mock.freeze()
      let waiting = Task { try await connection.call(Self.call("Say"), timeout: .seconds(3600)) }
      bus.stop()
      let error = await #expect(throws: DBusError.self) { try await waiting.value }
      #expect(error?.code == .disconnected)
      for await _ in signals {}
      #expect(connection.broken?.code == .disconnected)
      await #expect(throws: DBusError.self) { try await connection.call(Self.call("Say")) }
      await #expect(throws: DBusError.self) { try await DBusConnection(bus.address) }
      mock.thaw()
    }

    @Test("other readers of signals continue when one ends")
    func leaving() async throws {
      let bus = try PrivateBus()
      let connection = try await DBusConnection(bus.address)
      let staying = try await connection.signals([.presence(of: Self.service)])
      var leaving: AsyncStream<DBusSignal>? = try await connection.signals([.presence(of: Self.service)])
      let mock = try await echo(bus)
      let seen = await leaving?.first { _ in true }
      #expect(seen?.arguments.first == .string(Self.service))
      leaving = nil
      // The bus handles messages of a connection in order, so after this response the subscription has ended.
      _ = try await connection.call(
        DBusCall(
          service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "GetId"))
      #expect(await staying.first { _ in true }?.arguments.first == .string(Self.service))
      mock.stop()
      #expect(await staying.first { _ in true }?.arguments.last == .string(""))
    }

    @Test(
      "a missing bus and an invalid address are errors",
      arguments: ["unix:path=/nonexistent/bus", "", "rubbish", "unix:", "tcp:host=127.0.0.1,port=1"])
    func noBus(_ address: String) async throws {
      let error = await #expect(throws: DBusError.self) { try await DBusConnection(.address(address)) }
      #expect(error?.code == .noBus)
      #expect(error?.description.hasPrefix("the bus at \(address) cannot be used: ") == true)
    }

    @Test("a connection to a server that is not a bus is an error", arguments: TestBusServer.Behaviour.allCases)
    func notABus(_ behaviour: TestBusServer.Behaviour) async throws {
      let bus = try TestBusServer(behaviour)
      let error = await #expect(throws: DBusError.self) {
        try await DBusConnection(bus.address, timeout: .milliseconds(200))
      }
      #expect(error?.code == .noBus)
    }

    @Test("a hundred concurrent callers get their own responses")
    func many() async throws {
      let bus = try PrivateBus()
      let mock = try await echo(bus)
      let double: [DBusValue] = [Self.interface, "Double", "u", "u", "ret = args[0] * 2"].map { .string($0) }
      try await mock.callMock(Self.path, "AddMethod", double)
      let connection = try await DBusConnection(bus.address)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in UInt32(0)..<100 {
          group.addTask {
            let response = try await connection.call(Self.call("Double", [.uint32(number)]))
            #expect(response == [.uint32(number * 2)])
          }
        }
        try await group.waitForAll()
      }
    }

    private struct Unexpected: Error {
      let what: String
      init(_ what: Any?) { self.what = String(describing: what) }
    }
  }
#endif
