#if os(Linux)
  internal import Foundation
  internal import Synchronization

  /// A connection to a message bus: calls of methods and signals, as values.
  ///
  /// libsystemd's part of it belongs to one thread, which sleeps until the bus or a caller wakes it; nothing here blocks a caller's
  /// thread. The connection is closed when its last reference is released. One that broke stays broken: all that waits on it ends with
  /// the reason, and a new one is made.
  package final class DBusConnection: Sendable {
    private let commands: DBusCommands
    private let numbers = Atomic<Int>(0)

    /// Connects, and waits until the bus has let us in.
    /// - Throws: ``DBusError``, or `CancellationError`.
    package init(_ address: DBusAddress, timeout: Duration = .seconds(10)) async throws {
      _ = try DBusLibrary.functions()
      let commands = try DBusCommands()
      self.commands = commands
      let thread = Thread { DBusLoop.run(address, commands) }
      thread.name = "godwit.dbus"
      thread.start()
      do {
        _ = try await call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetId"), timeout: timeout)
      } catch let error as DBusError {
        throw DBusError(.noBus, "\(address.name) cannot be used: \(error)")
      }
    }

    deinit { commands.post(.close) }

    /// Why it broke; `nil` while it holds.
    package var broken: DBusError? { commands.ending }

    /// Calls a method and waits for its answer.
    /// - Throws: ``DBusError``; `CancellationError` when the task was cancelled, whatever became of the call.
    package func call(_ call: DBusCall, timeout: Duration = .seconds(10)) async throws -> [DBusValue] {
      let number = numbers.add(1, ordering: .relaxed).newValue
      let deadline = ContinuousClock.now + timeout
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          commands.post(.call(number, call, deadline, continuation))
          // A task that was cancelled before the call was posted has reported so too early.
          if Task.isCancelled { commands.post(.discard(number)) }
        }
      } onCancel: {
        commands.post(.discard(number))
      }
    }

    /// All properties that an interface of an object has.
    package func properties(
      of interface: String, service: String, path: String, startsService: Bool = true, timeout: Duration = .seconds(10)
    ) async throws -> [String: DBusValue] {
      let response = try await call(
        DBusCall(
          service: service, path: path, interface: "org.freedesktop.DBus.Properties", member: "GetAll",
          arguments: [.string(interface)], startsService: startsService), timeout: timeout)
      guard let properties = response.first?.properties else {
        throw DBusError(.malformed, "\(service) returned no properties of \(interface).")
      }
      return properties
    }

    /// Signals, from the moment that this returns until the reader stops reading or the connection breaks. A reader
    /// that is slower than the signals gets the newest 64.
    package func signals(_ rules: [DBusRule], timeout: Duration = .seconds(10)) async throws -> AsyncStream<DBusSignal> {
      let number = numbers.add(1, ordering: .relaxed).newValue
      let (stream, continuation) = AsyncStream<DBusSignal>.makeStream(bufferingPolicy: .bufferingNewest(64))
      continuation.onTermination = { [commands] _ in commands.post(.unlisten(number)) }
      commands.post(.listen(number, rules, continuation))
      for rule in rules {
        _ = try await call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "AddMatch", arguments: [.string(rule.text)]), timeout: timeout)
      }
      return stream
    }
  }
#endif
