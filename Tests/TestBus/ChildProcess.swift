#if os(Linux)
  internal import Glibc
  internal import Synchronization

  /// A program that a test needs cannot be started.
  package struct CannotStart: Error, CustomStringConvertible {
    let program: String
    package var description: String { "\(program) cannot be started; `make test-system` installs what it needs" }
  }

  /// A program that runs beside a test. It does not use Foundation's `Process`, which waits for the end on a run loop and may miss it.
  package final class ChildProcess: Sendable {
    package let id: Int32
    private let isRunning = Mutex(true)

    /// Starts a program.
    /// - Parameter output: the file descriptor of the standard output; `nil`: `/dev/null`.
    package init(
      _ program: String, _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil
    ) throws {
      var files = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&files)
      defer { posix_spawn_file_actions_destroy(&files) }
      posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
      if let output {
        posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)
      } else {
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
      }
      // Threads of Dispatch block signals. A program that inherited this could not be ended with SIGTERM.
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var none = sigset_t()
      sigemptyset(&none)
      posix_spawnattr_setsigmask(&attributes, &none)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
      var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
      var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
      defer { for word in words + variables { free(word) } }
      var id: pid_t = 0
      let code = posix_spawn(&id, program, &files, &attributes, &words, &variables)
      guard code == 0 else { throw CannotStart(program: program) }
      self.id = id
    }

    deinit { stop() }

    /// Kills the program, and waits for its end.
    package func stop() {
      isRunning.withLock { isRunning in
        guard isRunning else { return }
        isRunning = false
        kill(id, SIGKILL)
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
      }
    }

    /// Sends a signal, unless the program has been stopped.
    package func signal(_ number: Int32) { isRunning.withLock { if $0 { _ = kill(id, number) } } }

    /// Runs a program to its end.
    /// - Returns: the status of `waitpid`; 0: success.
    @discardableResult
    package static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
      let child = try ChildProcess(program, arguments)
      return child.isRunning.withLock { isRunning in
        isRunning = false
        var status: Int32 = 0
        while waitpid(child.id, &status, 0) < 0, errno == EINTR {}
        return status
      }
    }
  }
#endif
