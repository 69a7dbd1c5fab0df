#if os(Linux)
  internal import Dispatch
  internal import Foundation
  internal import Glibc
  internal import Synchronization

  /// Runs a short-lived program with little output.
  enum Subprocess {
    private static let queue = DispatchQueue(label: "godwit.program", attributes: .concurrent)
    /// Maximum bytes of output.
    static let maximum = 65536

    struct Failure: Error, Hashable, CustomStringConvertible {
      let description: String
    }

    /// Returns the standard output of the program.
    /// - Throws: ``Failure`` if it cannot be started, fails, prints too much or exceeds the timeout; `CancellationError`.
    static func run(_ program: String, _ arguments: [String], timeout: Duration = .seconds(5)) async throws -> String {
      let child = Child()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          queue.async { continuation.resume(with: Result { try child.run(program, arguments, timeout) }) }
        }
      } onCancel: {
        child.stop()
      }
    }

    /// A program that another thread can kill.
    private final class Child: Sendable {
      private enum State {
        case unstarted
        case running(pid_t)
        case over
        case stopped
      }
      private let state = Mutex(State.unstarted)

      func stop() {
        state.withLock { state in
          // The process was not reaped, so its id is still valid.
          if case .running(let id) = state { kill(id, SIGKILL) }
          if case .over = state {} else { state = .stopped }
        }
      }

      func run(_ program: String, _ arguments: [String], _ timeout: Duration) throws -> String {
        var ends: [Int32] = [-1, -1]
        // A socket pair, because a pipe cannot be created with close-on-exec in one step here.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
          throw Failure(description: "\(program) has no readable output: \(reason(errno))")
        }
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let id: pid_t
        do {
          defer { close(writing) }
          id = try start(program, arguments, output: writing)
        }
        let deadline = ContinuousClock.now + timeout
        let result = Result { try output(reading, until: deadline, program) }
        if case .failure = result { kill(id, SIGKILL) }
        let status = wait(id, until: deadline)
        if state.withLock({ if case .stopped = $0 { true } else { false } }) { throw CancellationError() }
        let text = try result.get()
        guard status & 0x7F == 0 else { throw Failure(description: "\(program) was terminated by a signal") }
        guard status == 0 else { throw Failure(description: "\(program) failed with status \(status >> 8 & 0xFF)") }
        return text
      }

      /// Returns the wait status. A program that closed its output and still runs is killed at the deadline.
      private func wait(_ id: pid_t, until deadline: ContinuousClock.Instant) -> Int32 {
        var status: Int32 = 0
        while true {
          // Reaped under the lock: afterwards the id may belong to another process, which must not be killed.
          let isOver = state.withLock { state in
            let ended = waitpid(id, &status, WNOHANG)
            guard ended == id || ended < 0 && errno != EINTR else { return false }
            if case .running = state { state = .over }
            return true
          }
          if isOver { return status }
          if deadline <= .now { kill(id, SIGKILL) }
          poll(nil, 0, 2)
        }
      }

      private func start(_ program: String, _ arguments: [String], output: Int32) throws -> pid_t {
        var files = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&files)
        defer { posix_spawn_file_actions_destroy(&files) }
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Dispatch threads block signals; the program must not inherit that mask.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        // Output in English, independent of the locale.
        let variables = ["LC_ALL=C", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
        var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
        defer { for word in words + environment { free(word) } }
        return try state.withLock { state in
          if case .stopped = state { throw CancellationError() }
          var id: pid_t = 0
          let code = posix_spawn(&id, program, &files, &attributes, &words, &environment)
          guard code == 0 else { throw Failure(description: "\(program) cannot be started: \(reason(code))") }
          state = .running(id)
          return id
        }
      }

      private func output(_ file: Int32, until deadline: ContinuousClock.Instant, _ program: String) throws -> String {
        var bytes: [UInt8] = []
        while true {
          let left = (deadline - .now) / .milliseconds(1)
          guard left > 0 else { throw Failure(description: "\(program) did not end in time") }
          var waiting = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
          guard poll(&waiting, 1, Int32(min(left.rounded(.up), 60_000))) > 0 else { continue }
          let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            if count > 0 { bytes += buffer.prefix(count) }
            return count
          }
          if count == 0 { return String(decoding: bytes, as: UTF8.self) }
          if bytes.count > Subprocess.maximum { throw Failure(description: "\(program) has too much output") }
        }
      }

      private func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
    }
  }
#endif
