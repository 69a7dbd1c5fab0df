#if os(Linux)
  internal import Glibc
  internal import Synchronization
  internal import TestCluster

  /// A program that a test needs cannot be started.
  package struct CannotStart: Error, CustomStringConvertible {
    let program: String
    package var description: String { "\(program) cannot be started; `make test-system` installs what it needs" }
  }

  /// A program that is killed with the last reference to it.
  package final class ScopedProcess: Sendable {
    /// `nil` after the end of the program, whose process ID another program may have then.
    private let process: Mutex<ChildProcess?>

    /// Starts a program.
    /// - Parameters:
    ///   - environment: all variables of the program.
    ///   - output: the file descriptor of the standard output; `nil`: `/dev/null`.
    package init(
      _ program: String, _ arguments: [String], environment: [String: String] = [:], output: Int32? = nil
    ) throws {
      guard access(program, X_OK) == 0 else { throw CannotStart(program: program) }
      process = Mutex(try ChildProcess(program, arguments, environment: environment, output: output))
    }

    deinit { stop() }

    /// Kills the program, and waits for its end.
    package func stop() {
      process.withLock { process in
        process?.kill()
        process = nil
      }
    }

    /// Sends a signal, unless the program has been stopped.
    package func signal(_ number: Int32) {
      process.withLock { process in
        if let id = process?.id { _ = kill(id, number) }
      }
    }

    /// Runs a program to its end.
    /// - Returns: the exit status, or 128 plus the signal that ended the program.
    @discardableResult
    package static func run(_ program: String, _ arguments: [String]) throws -> Int32 {
      guard access(program, X_OK) == 0 else { throw CannotStart(program: program) }
      return try ChildProcess(program, arguments, environment: [:]).wait()
    }
  }
#endif
