#if os(Linux)
  internal import CDBus
  internal import Glibc

  /// The loop of a connection's thread. It performs commands, sends and receives messages, and waits in poll(2).
  struct DBusLoop: ~Copyable {
    private let library: UnsafePointer<CDBusFunctions>
    private let bus: OpaquePointer
    private let commands: DBusCommands
    private var calls: [UInt64: Call] = [:]
    private var listeners: [Int: Listener] = [:]
    /// The unique names of the connections that own the names of services, by these names; empty: none does.
    private var senders: [String: String] = [:]

    private struct Call {
      let number: Int
      let service: String
      let deadline: ContinuousClock.Instant
      let response: DBusCommands.Reply
    }
    private struct Listener {
      let rules: [DBusRule]
      let signals: AsyncStream<DBusSignal>.Continuation
    }

    /// Runs the loop. It returns when the connection is closed or broken, after all pending calls have ended.
    static func run(_ address: DBusAddress, _ commands: DBusCommands) {
      do {
        let library = try DBusLibrary.functions()
        var loop = DBusLoop(library: library, bus: try open(address, library.pointee), commands: commands)
        let reason = loop.runLoop()
        loop.end(reason)
      } catch {
        commands.end(error)
      }
    }

    private init(library: UnsafePointer<CDBusFunctions>, bus: OpaquePointer, commands: DBusCommands) {
      self.library = library
      self.bus = bus
      self.commands = commands
    }

    deinit { _ = library.pointee.sd_bus_flush_close_unref(bus) }

    private static func open(_ address: DBusAddress, _ library: CDBusFunctions) throws(DBusError) -> OpaquePointer {
      var made: OpaquePointer?
      let code: Int32
      switch address {
      case .system: code = library.sd_bus_open_system(&made)
      case .session: code = library.sd_bus_open_user(&made)
      case .address(let text):
        var result = library.sd_bus_new(&made)
        if result >= 0 { result = library.sd_bus_set_address(made, text) }
        if result >= 0 { result = library.sd_bus_set_bus_client(made, 1) }
        if result >= 0 { result = library.sd_bus_start(made) }
        code = result
      }
      guard code >= 0, let made else {
        _ = library.sd_bus_unref(made)
        throw DBusError(.noBus, code == -ENOMEDIUM ? "its address is unknown." : DBusMessage.reason(code) + ".")
      }
      return made
    }

    // MARK: The loop

    /// Runs until the connection is closed or broken, and returns the reason.
    private mutating func runLoop() -> DBusError {
      while true {
        for command in commands.take() {
          if case .close = command { return DBusError(.disconnected, "The connection was closed.") }
          carryOut(command)
        }
        var received: OpaquePointer?
        let code = library.pointee.sd_bus_process(bus, &received)
        if code < 0 { return DBusError(.disconnected, "The connection to the bus was lost: \(DBusMessage.reason(code)).") }
        if let received { handle(DBusMessage(owning: received, library)) }
        failTimedOutCalls()
        // A result above 0 means that more messages may be pending.
        if code == 0 { sleep() }
      }
    }

    private func sleep() {
      var wait = Int64.max
      var bySystem: UInt64 = 0
      if library.pointee.sd_bus_get_timeout(bus, &bySystem) > 0, bySystem != .max {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
        wait = bySystem > microseconds ? Int64((bySystem - microseconds) / 1000 + 1) : 0
      }
      if let next = calls.values.map(\.deadline).min() {
        let left = (next - .now) / .milliseconds(1)
        wait = min(wait, left > 0 ? Int64(left.rounded(.up)) : 0)
      }
      var files = [
        pollfd(
          fd: library.pointee.sd_bus_get_fd(bus), events: Int16(truncatingIfNeeded: library.pointee.sd_bus_get_events(bus)),
          revents: 0),
        pollfd(fd: commands.wake, events: Int16(POLLIN), revents: 0),
      ]
      // The result is not needed: the loop checks all sources. An interruption by a signal only causes an extra check.
      poll(&files, nfds_t(files.count), wait == .max ? -1 : Int32(min(wait, 3_600_000)))
    }

    private mutating func end(_ reason: DBusError) {
      // Called first, so that resumed code observes the ended connection.
      commands.end(reason)
      for call in calls.values { call.response.resume(throwing: reason) }
      for listener in listeners.values { listener.signals.finish() }
    }

    // MARK: Commands

    private mutating func carryOut(_ command: DBusCommands.Command) {
      switch command {
      case .call(let number, let call, let deadline, let response):
        do throws(DBusError) {
          let cookie = try send(call)
          calls[cookie] = Call(number: number, service: call.service, deadline: deadline, response: response)
        } catch {
          response.resume(throwing: error)
        }
      case .discard(let number):
        guard let cookie = calls.first(where: { $0.value.number == number })?.key else { return }
        calls.removeValue(forKey: cookie)?.response.resume(throwing: CancellationError())
      case .listen(let number, let rules, let signals):
        let watched = Set(listeners.values.flatMap { DBusRule.services(of: $0.rules) })
        // Changes of the other names were not reported.
        for service in DBusRule.services(of: rules) where !watched.contains(service) { senders[service] = nil }
        listeners[number] = Listener(rules: rules, signals: signals)
      case .unlisten(let number):
        guard let listener = listeners.removeValue(forKey: number) else { return }
        // The replies are not needed. The bus counts equal rules, so other subscriptions with the same rule are not affected.
        for rule in DBusRule.subscribed(listener.rules) {
          _ = try? send(
            DBusCall(
              service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
              member: "RemoveMatch", arguments: [.string(rule.text)]))
        }
      case .setSender(let service, let sender):
        // A reported change is newer than the reply.
        if senders[service] == nil { senders[service] = sender }
      case .close: break
      }
    }

    private func send(_ call: DBusCall) throws(DBusError) -> UInt64 {
      let message = try DBusMessage.make(call, on: bus, library)
      var cookie: UInt64 = 0
      let code = library.pointee.sd_bus_send(bus, message.pointer, &cookie)
      guard code >= 0 else {
        throw DBusError(
          .disconnected, "\(call.member) could not be sent to \(call.service): \(DBusMessage.reason(code)).")
      }
      return cookie
    }

    private mutating func failTimedOutCalls() {
      guard !calls.isEmpty else { return }
      let now = ContinuousClock.now
      for (cookie, call) in calls where call.deadline <= now {
        calls[cookie] = nil
        call.response.resume(throwing: DBusError(.timedOut, "\(call.service) does not answer."))
      }
    }

    // MARK: Messages

    private mutating func handle(_ message: consuming DBusMessage) {
      if message.isSignal {
        // A signal that cannot be decoded is ignored; the connection stays usable.
        guard let signal = try? message.signal() else { return }
        if signal.sender == "org.freedesktop.DBus", signal.member == "NameOwnerChanged",
          let service = signal.arguments.first?.text
        {
          senders[service] = signal.arguments.last?.text ?? ""
        }
        let current = senders
        for listener in listeners.values
        where listener.rules.contains(where: { $0.matches(signal, sender: current[$0.service]) }) {
          listener.signals.yield(signal)
        }
      } else if message.isCall {
        // This connection offers no methods. The error reply ends the call of the other side.
        _ = library.pointee.sd_bus_reply_method_errno(message.pointer, EOPNOTSUPP, nil)
      } else if let cookie = message.answered, let call = calls.removeValue(forKey: cookie) {
        if let error = message.error {
          call.response.resume(throwing: DBusError(named: error.name, error.message, from: call.service))
        } else {
          do throws(DBusError) {
            call.response.resume(returning: try message.body())
          } catch {
            call.response.resume(throwing: error)
          }
        }
      }
    }
  }
#endif
