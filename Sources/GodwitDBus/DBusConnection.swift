#if os(Linux)
  internal import Foundation
  internal import Synchronization

  /// A connection to a message bus, with method calls and signals.
  ///
  /// libsystemd is used by one thread only, which sleeps until the bus or a caller wakes it; the thread of a caller is never
  /// blocked. The connection is closed when its last reference is released. A broken connection is not restored: all pending
  /// calls fail with the reason, and the caller must create a new connection.
  package final class DBusConnection: Sendable {
    private let commands: DBusCommands
    private let numbers = Atomic<Int>(0)

    /// Connects, and waits until the bus has accepted the connection.
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

    /// The reason why the connection broke; `nil`: it works.
    package var broken: DBusError? { commands.ending }

    /// Calls a method and waits for its reply.
    /// - Throws: ``DBusError``; `CancellationError` if the task was cancelled. The service may have performed the call
    ///   nevertheless.
    package func call(_ call: DBusCall, timeout: Duration = .seconds(10)) async throws -> [DBusValue] {
      let number = numbers.add(1, ordering: .relaxed).newValue
      let deadline = ContinuousClock.now + timeout
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          commands.post(.call(number, call, deadline, continuation))
          // If the task was cancelled before the call was posted, the handler below posted its command too early.
          if Task.isCancelled { commands.post(.discard(number)) }
        }
      } onCancel: {
        commands.post(.discard(number))
      }
    }

    /// Returns all properties of an interface of an object.
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

    /// Returns the unique name of the connection that owns the name of a service; empty: none does.
    private func sender(of service: String, timeout: Duration) async throws -> String {
      do {
        return try await call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetNameOwner", arguments: [.string(service)]), timeout: timeout
        ).first?.text ?? ""
      } catch let error as DBusError where error.code == .noService {
        return ""
      }
    }

    /// Subscribes to signals. The stream ends when the connection breaks or is closed. For a slow reader the newest 64 signals are
    /// buffered.
    package func signals(_ rules: [DBusRule], timeout: Duration = .seconds(10)) async throws -> AsyncStream<DBusSignal> {
      let number = numbers.add(1, ordering: .relaxed).newValue
      let (stream, continuation) = AsyncStream<DBusSignal>.makeStream(bufferingPolicy: .bufferingNewest(64))
      continuation.onTermination = { [commands] _ in commands.post(.unlisten(number)) }
      commands.post(.listen(number, rules, continuation))
      for rule in DBusRule.subscribed(rules) {
        _ = try await call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "AddMatch", arguments: [.string(rule.text)]), timeout: timeout)
      }
      for service in DBusRule.services(of: rules) {
        let name = try await sender(of: service, timeout: timeout)
        commands.post(.setSender(service: service, name))
      }
      return stream
    }
  }
#endif
