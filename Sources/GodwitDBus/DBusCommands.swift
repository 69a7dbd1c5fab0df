#if os(Linux)
  internal import CDBus
  internal import Glibc
  internal import Synchronization

  /// The queue of commands for a connection's thread, and the file descriptor that wakes the thread.
  final class DBusCommands: Sendable {
    typealias Reply = CheckedContinuation<[DBusValue], any Error>

    enum Command: Sendable {
      case call(Int, DBusCall, ContinuousClock.Instant, Reply)
      /// The caller no longer waits for this reply.
      case discard(Int)
      case listen(Int, [DBusRule], AsyncStream<DBusSignal>.Continuation)
      case unlisten(Int)
      /// The unique name of the connection that owns the name of a service; empty: none does.
      case setSender(service: String, String)
      case close
    }

    private enum State {
      case open([Command])
      case ended(DBusError)
    }

    private let state = Mutex(State.open([]))
    /// An eventfd that is readable while commands wait. It is closed with this object, which the thread retains while it runs.
    let wake: Int32

    /// - Throws: ``DBusError`` if the process cannot open more files.
    init() throws(DBusError) {
      wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
      if wake < 0 { throw DBusError(.noBus, "No connection can be made: \(DBusMessage.reason(errno)).") }
    }

    deinit { if wake >= 0 { close(wake) } }

    var ending: DBusError? {
      state.withLock { if case .ended(let error) = $0 { error } else { nil } }
    }

    func post(_ command: Command) {
      let ending: DBusError? = state.withLock { state in
        switch state {
        case .ended(let error): return error
        case .open(var commands):
          // The state must not reference the array; otherwise appending would copy it.
          state = .open([])
          commands.append(command)
          state = .open(commands)
          return nil
        }
      }
      if let ending { Self.reject(command, ending) } else { eventfd_write(wake, 1) }
    }

    /// Removes and returns all waiting commands.
    func take() -> [Command] {
      var count: eventfd_t = 0
      eventfd_read(wake, &count)
      return state.withLock { state in
        guard case .open(let commands) = state else { return [] }
        state = .open([])
        return commands
      }
    }

    /// Rejects all waiting commands, and every later command, with an error.
    func end(_ error: DBusError) {
      let left: [Command] = state.withLock { state in
        guard case .open(let commands) = state else { return [] }
        state = .ended(error)
        return commands
      }
      for command in left { Self.reject(command, error) }
    }

    private static func reject(_ command: Command, _ error: DBusError) {
      switch command {
      case .call(_, _, _, let response): response.resume(throwing: error)
      case .listen(_, _, let signals): signals.finish()
      case .discard, .unlisten, .setSender, .close: break
      }
    }
  }
#endif
