#if os(Linux)
  internal import Foundation
  internal import Glibc
  package import GodwitDBus

  /// A private D-Bus for a test, with mock services of python3-dbusmock. It needs no privileges.
  package final class PrivateBus: Sendable {
    package let address: DBusAddress
    private let text: String
    private let folder: URL
    private let daemon: ScopedProcess

    package init() throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-bus-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let configuration = folder.appendingPathComponent("bus.conf")
      try """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <listen>unix:path=\(folder.path)/bus</listen>
        <policy context="default">
          <allow send_destination="*"/> <allow receive_sender="*"/> <allow own="*"/>
        </policy>
      </busconfig>
      """.write(to: configuration, atomically: true, encoding: .utf8)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw CannotStart(program: "dbus-daemon") }
      let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
      daemon = try ScopedProcess(
        "/usr/bin/dbus-daemon", ["--config-file=\(configuration.path)", "--nofork", "--print-address=1"],
        output: ends[1])
      close(ends[1])
      // The daemon prints its address when it listens.
      let line = String(decoding: output.availableData, as: UTF8.self)
      text = line.trimmingCharacters(in: .whitespacesAndNewlines)
      guard text.hasPrefix("unix:") else { throw CannotStart(program: "dbus-daemon") }
      address = .address(text)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The environment variables with which a program uses this bus as system bus and session bus.
    package var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": text, "DBUS_SESSION_BUS_ADDRESS": text] }

    /// Ends the bus and its services.
    package func stop() { daemon.stop() }

    /// Starts a service from a template of dbusmock, and waits until it is on the bus.
    package func mock(_ template: String, _ parameters: String = "{}") async throws -> MockService {
      try await mock(["--template", template, "--parameters", parameters], name: Self.names[template] ?? "", main: "/")
    }

    private static let names = [
      "upower": "org.freedesktop.UPower", "networkmanager": "org.freedesktop.NetworkManager",
      "notification_daemon": "org.freedesktop.Notifications", "bluez5": "org.bluez",
    ]

    /// Starts an empty service, to which a test adds objects.
    package func mock(service: String, path: String, interface: String) async throws -> MockService {
      try await mock([service, path, interface], name: service, main: path)
    }

    private func mock(_ arguments: [String], name: String, main: String) async throws -> MockService {
      let connection = try await DBusConnection(address)
      let presence = try await connection.signals([.presence(of: name)])
      let process = try ScopedProcess(
        "/usr/bin/python3", ["-m", "dbusmock"] + arguments,
        environment: [
          "DBUS_SYSTEM_BUS_ADDRESS": text, "DBUS_SESSION_BUS_ADDRESS": text, "PATH": "/usr/bin:/bin",
          "PYTHONDONTWRITEBYTECODE": "1",
        ])
      let service = MockService(connection: connection, name: name, main: main, process: process)
      for await signal in presence where signal.arguments.last?.text?.isEmpty == false { break }
      return service
    }
  }

  /// A mock service on a private bus, which a test controls.
  package final class MockService: Sendable {
    private let connection: DBusConnection
    package let name: String
    /// The path of the first object of the service.
    private let main: String
    private let process: ScopedProcess

    init(connection: DBusConnection, name: String, main: String, process: ScopedProcess) {
      self.connection = connection
      self.name = name
      self.main = main
      self.process = process
    }

    /// Ends the service.
    package func stop() { process.stop() }

    /// Suspends the service, so that it does not respond.
    package func freeze() { process.signal(SIGSTOP) }
    package func thaw() { process.signal(SIGCONT) }

    /// Calls a method of dbusmock or of the template of the service.
    @discardableResult
    package func callMock(
      _ path: String, _ member: String, _ arguments: [DBusValue] = [], of interface: String = "org.freedesktop.DBus.Mock"
    ) async throws -> [DBusValue] {
      try await connection.call(
        DBusCall(service: name, path: path, interface: interface, member: member, arguments: arguments))
    }

    /// Sends a signal.
    package func signal(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue]) async throws {
      try await callMock(
        path, "EmitSignal",
        [
          .string(interface), .string(member), .string(arguments.map(\.type).joined()),
          .array(of: "v", arguments.map { .variant($0) }),
        ])
    }

    /// Adds an object with properties and methods; a method is its name, its two signatures and its code in Python.
    package func object(
      _ path: String, _ interface: String, _ properties: [String: DBusValue], methods: [(String, String, String, String)] = []
    ) async throws {
      let list = methods.map { DBusValue.structure([.string($0.0), .string($0.1), .string($0.2), .string($0.3)]) }
      try await callMock(
        main, "AddObject", [.path(path), .string(interface), .properties(properties), .array(of: "(ssss)", list)])
    }

    /// Changes properties, which the service signals.
    package func change(_ path: String, _ interface: String, _ properties: [String: DBusValue]) async throws {
      for (name, value) in properties {
        _ = try await connection.call(
          DBusCall(
            service: self.name, path: path, interface: "org.freedesktop.DBus.Properties", member: "Set",
            arguments: [.string(interface), .string(name), .variant(value)]))
      }
    }

    package func add(_ path: String, _ interface: String, _ properties: [String: DBusValue]) async throws {
      try await callMock(path, "AddProperties", [.string(interface), .properties(properties)])
    }

    /// Returns the arguments of all calls of a method.
    package func calls(_ path: String, _ member: String) async throws -> [[DBusValue]] {
      let response = try await callMock(path, "GetMethodCalls", [.string(member)])
      return (response.first?.elements ?? []).compactMap { call in
        guard case .structure(let parts) = call else { return nil }
        return parts.last?.elements
      }
    }
  }

  extension DBusValue {
    package static func properties(_ properties: [String: DBusValue]) -> DBusValue {
      .dictionary(of: "sv", properties.map { Entry(key: .string($0.key), value: .variant($0.value)) })
    }
  }
#endif
